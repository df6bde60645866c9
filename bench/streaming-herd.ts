/** A node of three dies with 10,000 streams open: when everybody has a stream again, and what merchants feel meanwhile. */
import { setTimeout as pause } from 'node:timers/promises';
import { Api } from '../src/testing/demo/api.ts';
import { openMongoStore } from '../src/store/store-mongo.ts';
import { clusterMissing, clusterOn, merchantOf, mongoOf, nodeOf, settled, type Cluster } from './cluster.ts';
import { collections } from './filling.ts';
import { Followers } from './streaming-crowd.ts';
import type { Report } from './streaming-followers.ts';
import { copiesOf, scanned } from './streaming-sessions.ts';
import { order } from './service.ts';
import { sharedMs } from './streaming-steady.ts';
import { quantile, spending, type Bench, type Room, type Row, type Served } from './support.ts';

const readers = 10_000;
/** Below what a sandbox project may create. */
const createsPerSecond = 15;
const beforeMs = 15_000;
/** From the death on. */
const afterMs = 30_000;

export const herd: Bench = {
  title: 'A herd: 10,000 readers come back after the death of their node',
  setup:
    `three nodes of all roles, limits on; ${readers.toLocaleString('en')} open Direct-QR sessions (copies of one that was scanned, without ` +
    'its look-ups), each followed by one reader at the third node; it is killed (-9), and every reader does as a ' +
    'browser does: 3 s later, as its stream told it, it comes to one of the other two with its Last-Event-ID. Served: ' +
    'it has `connected`, read after it joined. Wait of one reader: from his first byte to `connected`, of who was not ' +
    `served at once from his last try. Creates: ${createsPerSecond} a second at the two that live, before (${beforeMs / 1000} s) ` +
    `and from the death on (${afterMs / 1000} s), beside the same death with no reader anywhere; latency of those answered ` +
    '201, who is told to come again comes when he is told to, and his wait counts; CPU: of the two nodes, and of database ' +
    'and NATS, for each reader until all are served, with the creates meanwhile and the taking over of partitions',
  bound:
    'creates: a third of all sessions belonged to the dead node, and nobody may speak for them until its lease has run ' +
    'out; that is the wait of who is unlucky, with or without a herd. The herd: 10,000 connections, subscriptions and ' +
    'sessions to be read within a second or two, by two nodes (which read them by dozens), the database, NATS and the process of readers on the ' +
    'same cores',
  missing: clusterMissing,
  run,
};

async function run(room: Room): Promise<readonly Row[]> {
  const cluster = await clusterOn(room, await mongoOf(room), 'herd');
  const env = { ...cluster.env, GALLA_RATE_LIMITS: 'on' };
  const node = (): Promise<Served> => nodeOf(room, { ...cluster, env });
  const living = [await node(), await node()];
  const [first] = living;
  if (first === undefined) throw new Error('a cluster has nodes');
  const key = await merchantOf(first, cluster);
  const alone = await died(cluster, { living, dying: await node(), key, followers: null });
  const dying = await node();
  await settled([...living, dying], cluster);
  const followers = new Followers(room);
  await followers.follow(await sessions(cluster, new Api(first.url, key)), [dying.url]);
  const crowded = await died(cluster, { living, dying, key, followers });
  await followers.leave();
  return [...servedRows(crowded), ...createRows(alone, crowded)];
}

async function sessions(cluster: Cluster, api: Api): Promise<readonly string[]> {
  const url = cluster.mongodbUrl;
  const store = await openMongoStore({ url, collections, onWarning: () => undefined });
  try {
    return await copiesOf(store, await scanned(api, store), readers);
  } finally {
    await store.close();
  }
}

interface Death {
  readonly living: readonly Served[];
  readonly dying: Served;
  readonly key: string;
  readonly followers: Followers | null;
}

interface Felt {
  readonly before: Creates;
  readonly after: Creates;
  readonly diedAt: number;
  readonly report: Report | null;
  /** Of one reader's return, with the creates meanwhile. */
  readonly cost: ReturnType<ReturnType<typeof spending>> | null;
}

async function died(cluster: Cluster, death: Death): Promise<Felt> {
  const { living, dying, key, followers } = death;
  await settled([...living, dying], cluster);
  const urls = living.map(({ url }) => url);
  const before = await creates(urls, key, beforeMs);
  await followers?.report();
  followers?.goTo(urls);
  const spent = spending(
    living.map(({ pid }) => pid),
    cluster.pids,
  );
  const served = followers?.served().then(() => spent(readers));
  process.kill(dying.pid, 'SIGKILL');
  const diedAt = sharedMs();
  const [after, cost = null] = await Promise.all([creates(urls, key, afterMs), served]);
  return { before, after, diedAt, cost, report: (await followers?.report()) ?? null };
}

interface Creates {
  readonly waitsMs: readonly number[];
  /** How many were told to come again at least once, and how many never came to an end. */
  readonly toldLater: number;
  readonly failed: number;
}

const createMsMax = 60_000;

/** At a fixed rate, whatever became of those before; each at the next node. */
async function creates(urls: readonly string[], key: string, forMs: number): Promise<Creates> {
  const apis = urls.map((url) => new Api(url, key));
  const from = performance.now();
  const under: Promise<{ readonly tookMs: number; readonly tries: number }>[] = [];
  for (let made = 0; made < (forMs * createsPerSecond) / 1000; made++) {
    const early = from + (made * 1000) / createsPerSecond - performance.now();
    if (early > 0) await pause(early);
    under.push(create(apis, made));
  }
  const all = await Promise.all(under);
  const done = all.filter(({ tookMs }) => Number.isFinite(tookMs));
  return {
    waitsMs: done.map(({ tookMs }) => tookMs),
    toldLater: done.filter(({ tries }) => tries > 1).length,
    failed: all.length - done.length,
  };
}

/** Infinite when it came to nothing. */
async function create(apis: readonly Api[], turn: number): Promise<{ tookMs: number; tries: number }> {
  const from = performance.now();
  for (let tries = 1; performance.now() - from < createMsMax; tries++) {
    const api = apis[(turn + tries) % apis.length];
    const answer = await api?.post('/v1/checkout', order);
    if (answer?.status === 201) return { tookMs: performance.now() - from, tries };
    const again = Number(answer?.headers.get('retry-after') ?? Number.NaN);
    if (Number.isNaN(again)) break;
    await pause(again * 1000);
  }
  return { tookMs: Number.POSITIVE_INFINITY, tries: 0 };
}

const inSeconds = (ms: number): number => ms / 1000;

function servedRows({ report, diedAt, cost }: Felt): readonly Row[] {
  if (report === null) return [];
  const { served, toldLater, refused } = report;
  const arm = 'Galla';
  const at = served.map((one) => inSeconds(one.at - diedAt)).toSorted((a, b) => a - b);
  const waits = served.map(({ tookMs }) => tookMs);
  return [
    { what: 'first reader served again, after the death', arm, value: at[0] ?? Number.NaN, unit: 's' },
    {
      what: 'half of them',
      arm,
      value: quantile(at, 0.5),
      unit: 's',
    },
    {
      what: `all ${readers.toLocaleString('en')} of them`,
      arm,
      value: at.at(-1) ?? Number.NaN,
      unit: 's',
      p50Ms: quantile(waits, 0.5),
      p99Ms: quantile(waits, 0.99),
      ...cost,
    },
    { what: 'told by a stream to come later', arm, value: toldLater, unit: 'times' },
    { what: 'connections refused or cut before a word', arm, value: refused, unit: 'times' },
  ];
}

function createRows(alone: Felt, crowded: Felt): readonly Row[] {
  const row = (when: string, forMs: number, { waitsMs, toldLater, failed }: Creates): Row => ({
    what: 'creates answered 201',
    arm: `${when}: ${toldLater} told to come again, ${failed} failed`,
    value: waitsMs.length / inSeconds(forMs),
    unit: '/s',
    p50Ms: quantile(waitsMs, 0.5),
    p99Ms: quantile(waitsMs, 0.99),
  });
  return [
    row('no reader, before', beforeMs, alone.before),
    row('no reader, from the death on', afterMs, alone.after),
    row('10,000 readers, before', beforeMs, crowded.before),
    row('10,000 readers, from the death on', afterMs, crowded.after),
  ];
}
