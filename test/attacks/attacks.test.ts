/** The catalogue of attacks, replayed against one service, and random requests to every operation against another.
 *  `npm run attack` does the same to a cluster, or to a service anywhere. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startGalla, type Galla } from '../support/galla.ts';
import { catalogue, fieldAttacks, floods, slow, unread } from './catalogue/catalogue.ts';
import { replayFloods } from './floods.ts';
import { documentsAt, fuzz, type FuzzReport } from './fuzz/fuzz.ts';
import { replayAll, replaySlow } from './replay.ts';
import { prepare, type Scene } from './stage.ts';
import { learntByStranger } from './stranger.ts';
import { replayUnread } from './unread.ts';

/** Mixed requests, after some to each operation alone: what a core answers in some 15 s; more by hand. */
const fuzzRequests = 3000;
const seed = Date.now() % 2 ** 31;

const everything = Object.values(catalogue).flat();

let galla: Galla;
let fuzzed: Galla;
let scene: Scene;
let before = '';
/** These wait, most of their time; the others run meanwhile. */
let slowly: Promise<readonly string[]>;
beforeAll(async () => {
  [galla, fuzzed] = await Promise.all([startGalla(), startGalla()]);
  scene = await prepare(galla);
  before = await scene.everything();
  slowly = replaySlow({ url: new URL(galla.url), stage: scene.stage }, slow, everything);
}, 30_000);
afterAll(() => Promise.all([galla.stop(), fuzzed.stop()]));

test('every attack has a name of its own', () => {
  const names = everything.map(({ name }) => name);
  expect(names.filter((name, place) => names.indexOf(name) !== place)).toEqual([]);
  expect(names.length).toBeGreaterThan(500);
});

test.each(Object.keys(catalogue))(
  '%s: each is refused as documented, within a second',
  async (topic) => {
    const target = { url: new URL(galla.url), stage: scene.stage };
    expect(await replayAll(target, catalogue[topic] ?? [])).toEqual([]);
  },
  30_000,
);

test('every field beyond its bounds is refused by its name', async () => {
  const attacks = fieldAttacks(await documentsAt(galla.nobody));
  expect(attacks.length).toBeGreaterThan(1000);
  expect(await replayAll({ url: new URL(galla.url), stage: scene.stage }, attacks)).toEqual([]);
}, 60_000);

test('random requests to every operation get an answer that is described, and none fails on our side', async () => {
  const { stage } = await prepare(fuzzed);
  const documents = await documentsAt(fuzzed.nobody);
  const report: FuzzReport = await fuzz({
    url: fuzzed.url,
    stage,
    documents,
    seed,
    until: { requests: fuzzRequests },
  });
  expect(report.failure, `npm run attack -- --seed ${seed}`).toBeNull();
  const silent = report.operations.filter((name) => !report.byOperation.has(name));
  expect(silent).toEqual([]);
}, 90_000);

test('slow senders are closed in time, and what the parser refuses is answered once at most', async () => {
  expect(await slowly).toEqual([]);
}, 30_000);

test('clients that ask and do not read are closed, and the memory does not grow', async () => {
  expect(await replayUnread({ url: new URL(galla.url), stage: scene.stage }, unread)).toEqual([]);
}, 120_000);

test('the service stays well under floods of costly bodies', async () => {
  expect(await replayFloods({ url: new URL(galla.url), stage: scene.stage }, floods, 'no')).toEqual([]);
}, 60_000);

test('callbacks of an address are refused beyond their burst, and /health is answered meanwhile', async () => {
  const limited = await startGalla({ GALLA_RATE_LIMITS: 'on' });
  const target = { url: new URL(limited.url), stage: scene.stage };
  const callbacks = floods.filter(({ limit }) => limit !== null);
  expect(callbacks.length).toBe(1);
  expect(await replayFloods(target, callbacks, 'yes')).toEqual([]);
  await limited.stop();
}, 60_000);

test('nothing has changed, and the service is well', async () => {
  expect((await galla.nobody.get('/health')).status).toBe(200);
  expect(await scene.everything()).toBe(before);
});

test('who knows the reference of a payment learns neither its invoice nor its customer', async () => {
  expect(await learntByStranger(galla)).toEqual([]);
});
