/** Starts of a node that must not succeed: each ends with exit code 1 and one line that says what to do. */
import { MongoClient } from 'mongodb';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runToEnd, Service } from '../../src/cli/demo/service.ts';
import { Proxy } from '../faults/proxy.ts';
import { entry, missingClusterToHurt } from '../support/cluster.ts';
import {
  mongoForTests,
  startMongod,
  startNats,
  type RunningServer,
  type TestMongo,
} from '../support/servers.ts';

type Env = { readonly [name: string]: string };

const suite = 'starts of a cluster that must not succeed';
/** A dozen starts of real processes at once, on a busy machine. */
const startMsMax = 120_000;
const secrets = {
  GALLA_ADMIN_TOKEN: 'token-of-this-test-alone',
  GALLA_SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
};

describe.skipIf(missingClusterToHurt(suite))(suite, { timeout: startMsMax }, () => {
  let dataDir: string;
  let nats: RunningServer;
  let mongo: TestMongo;
  let whole: Env;
  const stops: (() => Promise<unknown>)[] = [];
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'galla-start-'));
    [nats, mongo] = await Promise.all([startNats(), mongoForTests()]);
    whole = { ...secrets, NATS_URL: nats.url, MONGODB_URL: mongo.url('galla_starts') };
  }, startMsMax);
  afterAll(async () => {
    for (const stop of stops.reverse()) await stop();
    await Promise.all([nats.stop(), mongo.stop()]);
    await rm(dataDir, { recursive: true, force: true });
  });

  /** The lines of a start that is refused, without what it warned of on its way. */
  async function refused(env: Env): Promise<readonly string[]> {
    const own = await mkdtemp(join(dataDir, 'start-'));
    const { code, output } = await runToEnd({ dataDir: own, entry, env: { LOG_LEVEL: 'silent', ...env } });
    expect(code, output).toBe(1);
    return output.trim().split('\n');
  }

  const without = (name: string): Env =>
    Object.fromEntries(Object.entries(whole).filter(([each]) => each !== name));

  test.concurrent.each([
    ['NATS_URL', /^galla: NATS_URL is not set, but MONGODB_URL is: a cluster needs both/],
    ['MONGODB_URL', /^galla: MONGODB_URL is not set, but NATS_URL is: a cluster needs both/],
    ['GALLA_ADMIN_TOKEN', /^galla: GALLA_ADMIN_TOKEN is not set: in a cluster every node/],
    ['GALLA_SECRETS_KEY', /^galla: GALLA_SECRETS_KEY is not set: in a cluster every node/],
  ])('without %s', async (name, line) => {
    expect(await refused(without(name))).toEqual([expect.stringMatching(line)]);
  });

  test.concurrent('NATS_REPLICAS above the number of NATS servers', async () => {
    const alone = await startNats();
    stops.push(() => alone.stop());
    expect(await refused({ ...whole, NATS_URL: alone.url, NATS_REPLICAS: '3' })).toEqual([
      expect.stringMatching(
        /^galla: JetStream at .+ refuses to create the streams of this service: .*replicas/,
      ),
    ]);
  });

  test.concurrent('a standalone mongod', async () => {
    const lone = await startMongod({ replSet: null });
    stops.push(() => lone.stop());
    expect(await refused({ ...whole, MONGODB_URL: `${lone.url}/galla` })).toEqual([
      `galla: MongoDB at ${new URL(lone.url).host} is a standalone server, and a cluster needs a replica set: ` +
        'start mongod with --replSet rs0 and run rs.initiate() once',
    ]);
  });

  test.concurrent('a replica set that is not initiated', async () => {
    const ghost = await startMongod({ initiate: false });
    stops.push(() => ghost.stop());
    expect(await refused({ ...whole, MONGODB_URL: `${ghost.url}/galla` })).toEqual([
      expect.stringMatching(/^galla: MongoDB at .+ is not initiated: run rs\.initiate\(\) once$/),
    ]);
  });

  test.concurrent('a NATS without JetStream', async () => {
    const bare = await startNats({ jetstream: false });
    stops.push(() => bare.stop());
    expect(await refused({ ...whole, NATS_URL: bare.url })).toEqual([
      expect.stringMatching(/^galla: NATS at .+ has JetStream off: start nats-server with -js/),
    ]);
  });

  test.concurrent('a server that cannot be reached is named', async () => {
    // a port that no test is given
    const host = '127.0.0.1:1';
    const starts = [
      refused({ ...whole, NATS_URL: `nats://${host}` }),
      refused({ ...whole, MONGODB_URL: `mongodb://${host}/galla` }),
    ];
    for (const lines of await Promise.all(starts)) expect(lines).toEqual([expect.stringContaining(host)]);
  });

  test.concurrent('a cluster created with another number of partitions', async () => {
    const url = mongo.url('galla_other_layout');
    const client = new MongoClient(url);
    stops.push(() => client.close());
    const facts = client.db().collection<{ _id: string; count: number }>('cluster');
    await facts.insertOne({ _id: 'partitions', count: 128 });
    expect(await refused({ ...whole, MONGODB_URL: url })).toEqual([
      'galla: this cluster was created with 128 partitions and this version has 256: start the version that created it',
    ]);
  });

  test.concurrent('a GALLA_SECRETS_KEY that is not that of the other nodes', async () => {
    const env = { ...whole, MONGODB_URL: mongo.url('galla_secrets') };
    const node = await Service.start({ dataDir: join(dataDir, 'first'), entry, env, readyMsMax: startMsMax });
    stops.push(() => node.stop());
    const other = { ...env, GALLA_SECRETS_KEY: Buffer.alloc(32, 8).toString('base64') };
    expect(await refused(other)).toEqual([
      expect.stringMatching(/^galla: .* does not open with this GALLA_SECRETS_KEY: start with the one/),
    ]);
    expect(await node.healthy()).toBe(true);
  });

  test.concurrent("a clock that differs by more than five seconds from the database's", async () => {
    const line = await Proxy.open(whole['MONGODB_URL'] ?? '');
    stops.push(() => line.close());
    line.falsify((answer) => later(answer, 10_000));
    const through = line.through(mongo.url('galla_skewed'));
    expect(await refused({ ...whole, MONGODB_URL: through })).toEqual([
      expect.stringMatching(
        /^galla: this machine's clock and the database's are (?:9|10) s apart \(at most 5 s\): set the clock/,
      ),
    ]);
  });
});

/** An answer in which the server's `localTime`, a date of BSON, is later. */
function later(answer: Buffer, ms: number): Buffer {
  const name = Buffer.from('\tlocalTime\0', 'latin1');
  const at = answer.indexOf(name);
  if (at < 0 || at + name.length + 8 > answer.length) return answer;
  const changed = Buffer.from(answer);
  changed.writeBigInt64LE(changed.readBigInt64LE(at + name.length) + BigInt(ms), at + name.length);
  return changed;
}
