/** A node of three dies with 10,000 streams open: when every reader has a stream again, and the effect on merchants meanwhile. */
import { setTimeout as pause } from 'node:timers/promises';
import { Api } from '../src/cli/demo/api.ts';
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
    `three nodes with all roles, rate limits on. There are ${readers.toLocaleString('en')} open Direct-QR ` +
    'sessions (copies of one that was scanned, without its look-ups), and each has one reader at the third node. ' +
    'That node is killed (kill -9). Every reader then acts like a browser: after 3 s, as its stream told it, it ' +
    'connects to one of the other two nodes with its Last-Event-ID. It counts as served when it has `connected`, ' +
    'which is read after the node joined the topic. The wait of one reader is the time from its first byte to ' +
    '`connected`; a reader that was not served at once counts from its last attempt. Creates: ' +
    `${createsPerSecond} a second at the two nodes that live, before (${beforeMs / 1000} s) and from the death ` +
    `on (${afterMs / 1000} s), compared with the same death without readers. Their latency is that of creates ` +
    'answered 201; a client that is told to retry later does so, and its wait is included. CPU: of the two ' +
    'nodes, and of database and NATS, per reader until all are served. It includes the creates in that time and ' +
    'the takeover of partitions',
  bound:
    'creates: a third of all sessions belonged to the dead node. No other node may execute their commands until ' +
    'its lease has expired. That is the wait of the slowest creates, with or without readers. Readers: two nodes ' +
    'must accept 10,000 connections and subscriptions and read 10,000 sessions within a second or two. They read ' +
    'the sessions in batches of some dozens. The database, NATS and the process of readers share the same cores',
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
  /** How many were told to retry at least once, and how many never received the end. */
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
