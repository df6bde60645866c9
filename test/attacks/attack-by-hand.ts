/** `npm run attack`: the catalogue, or random requests, against a service.
 *    npm run attack                              one node, started for it
 *    npm run attack -- --cluster                 three nodes, started for it
 *    npm run attack -- --url http://10.0.0.5:8080   a node that runs; its operator's token is in GALLA_ADMIN_TOKEN
 *    npm run attack -- --fuzz 10                 random requests for 10 minutes instead
 *    npm run attack -- --seed 5 --path 3:1:0     the one that failed, as it was printed
 *  A proxy in between judges requests by itself: attack a node, not its proxy.
 *  It makes merchants of its own and leaves them there: not for a service that takes real payments. */
import { parseArgs } from 'node:util';
import { Api } from '../../src/cli/demo/api.ts';
import { startCluster } from '../support/cluster.ts';
import { houseOf, startGalla, type House } from '../support/galla.ts';
import { catalogue, fieldAttacks, floods, slow, unread } from './catalogue/catalogue.ts';
import { replayFloods } from './floods.ts';
import { documentsAt, fuzz } from './fuzz/fuzz.ts';
import { replayAll, replaySlow } from './replay.ts';
import { prepare } from './stage.ts';
import { learntByStranger } from './stranger.ts';
import { replayUnread } from './unread.ts';

const { values } = parseArgs({
  options: {
    cluster: { type: 'boolean', default: false },
    url: { type: 'string' },
    fuzz: { type: 'string' },
    seed: { type: 'string' },
    operation: { type: 'string' },
    path: { type: 'string' },
  },
});

const say = (line: string): void => void process.stdout.write(`${line}\n`);

function houseToAttack(): Promise<House> {
  if (values.url === undefined) return values.cluster ? startCluster() : startGalla();
  const token = process.env['GALLA_ADMIN_TOKEN'];
  if (token === undefined) throw new Error('set GALLA_ADMIN_TOKEN to the token of its operator');
  return houseOf(new Api(values.url.replace(/\/$/, ''), token), () => Promise.resolve());
}

async function attack(house: House): Promise<boolean> {
  const { stage, everything } = await prepare(house);
  // a balancer reads requests before a node does
  const target = { url: new URL(house.urls[0] ?? house.url), stage };
  const before = await everything();
  const fields = fieldAttacks(await documentsAt(house.nobody));
  const all = [...Object.values(catalogue).flat(), ...fields];
  const from = performance.now();
  const wrong = (await Promise.all([replayAll(target, all), replaySlow(target, slow, all)])).flat();
  wrong.push(...(await replayUnread(target, unread)));
  wrong.push(...(await replayFloods(target, floods, values.url === undefined ? 'no' : 'unknown')));
  if ((await everything()) !== before) wrong.push('something has changed');
  wrong.push(...(await learntByStranger(house)));
  for (const line of wrong) say(line);
  const took = ((performance.now() - from) / 1000).toFixed(1);
  const count = all.length + slow.length + unread.length + floods.length + 1;
  say(`${count} attacks in ${took} s, ${wrong.length} not as expected`);
  return wrong.length === 0;
}

async function fuzzed(house: House, minutes: number): Promise<boolean> {
  const { stage } = await prepare(house);
  const documents = await documentsAt(house.nobody);
  const seed = values.seed === undefined ? Date.now() % 2 ** 31 : Number(values.seed);
  const report = await fuzz({
    url: house.url,
    stage,
    documents,
    seed,
    until: { ms: minutes * 60_000 },
    operation: values.operation,
    path: values.path,
  });
  for (const name of report.operations) {
    const statuses = [...(report.byOperation.get(name) ?? [])].toSorted(([a], [b]) => a - b);
    say(`${name}: ${statuses.map(([status, count]) => `${count} x ${status}`).join(', ')}`);
  }
  say(`seed ${seed}: ${report.requests} requests, ${report.failure ?? 'all answered as described'}`);
  return report.failure === null;
}

const house = await houseToAttack();
try {
  const isFuzz = values.fuzz !== undefined || values.seed !== undefined;
  const isWell = isFuzz ? await fuzzed(house, Number(values.fuzz ?? 1) || 1) : await attack(house);
  if (!isWell) process.exitCode = 1;
} finally {
  await house.stop();
}
