/** What the removal of old records costs those who create: the p99 of a create while a million rows go, beside the
 *  same once the last of them has gone. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { collections } from '../src/compose/collections.ts';
import { days } from '../src/kernel/time.ts';
import { openMongoStore } from '../src/store/store-mongo.ts';
import { openSqliteStore } from '../src/store/store-sqlite.ts';
import type { Row as StoredRow, Store } from '../src/store/store.ts';
import { Api } from '../src/cli/demo/api.ts';
import { clusterMissing, clusterOn, merchantOf, mongoOf, nodeOf } from './cluster.ts';
import { creates } from './scripts.ts';
import { order, ours } from './service.ts';
import { wrk, type Bench, type Measured, type Room, type Row, type Served } from './support.ts';

/** BENCH_STORED names another number of rows, for a quick look. */
const rowsWanted = Number(process.env['BENCH_STORED'] ?? 1_000_000);
const perWrite = 1000;
const fillMsMax = 300_000;
const connections = 8;
const seconds = 5;
const rounds = 3;
/** Well above what an event of a payment has. */
const envelopeChars = 1500;
const everyMs = 50;
const beginMsMax = 60_000;
const removeMsMax = 3_600_000;

const setup =
  `events of one project, 200 days old, each with an envelope of ${envelopeChars} characters, written by the store ` +
  `itself. Then the service is started: wrk, ${connections} connections, ${rounds} rounds of ${seconds} s while it ` +
  `removes, and ${rounds} after the last row has gone; medians. The rate is that of the whole removal, with and ` +
  'without creates beside it';

export const purgingEmbedded: Bench = {
  title: 'A create while old rows are removed, embedded',
  setup,
  bound:
    'the only writer of SQLite: a batch of 64 rows holds it for a few milliseconds, and the pause after each is four ' +
    'times as long',
  async run(room) {
    const before = await ours(room, { name: 'purging' });
    const scope = await scopeOf(before.api);
    await room.end(before);
    const dataDir = join(room.folder, 'purging');
    const onFatal = (line: string): void => void process.stderr.write(`${line}\n`);
    const count = await fill(await openSqliteStore({ dataDir, collections: collections(), onFatal }), scope);
    const service = await ours(room, { name: 'purging' });
    const admin = new Api(service.url, readFileSync(join(dataDir, 'admin-token'), 'utf8').trim());
    return measured(room, { ...service, admin, count });
  },
};

export const purgingClustered: Bench = {
  title: 'A create while old rows are removed, MongoDB',
  setup: `as above, in a cluster of one node: ${setup}`,
  bound: 'the CPU of the database',
  missing: clusterMissing,
  async run(room) {
    const mongo = await mongoOf(room);
    const cluster = await clusterOn(room, mongo, 'purging');
    const before = await nodeOf(room, cluster);
    const key = await merchantOf(before, cluster);
    const scope = await scopeOf(new Api(before.url, key));
    await room.end(before);
    const url = cluster.mongodbUrl;
    const store = await openMongoStore({ url, collections: collections(), onWarning: () => undefined });
    const count = await fill(store, scope);
    const node = await nodeOf(room, cluster);
    return measured(room, { ...node, key, admin: new Api(node.url, cluster.adminToken), count });
  },
};

/** The project of a key, as the store names it. */
async function scopeOf(api: Api): Promise<StoredRow['scope']> {
  await api.must('POST', '/v1/checkout', order);
  const { body } = await api.must('GET', '/v1/test/clock');
  return `${body.text('projectId')}:sandbox`;
}

/** Closes the store. Returns how many there was time for. */
async function fill(store: Store, scope: StoredRow['scope']): Promise<number> {
  const from = performance.now();
  const created = Date.now() - days(200);
  const envelope = JSON.stringify({ id: 'evt', data: 'x'.repeat(envelopeChars) });
  let count = 0;
  while (count < rowsWanted && performance.now() - from < fillMsMax) {
    const rows = Array.from({ length: Math.min(perWrite, rowsWanted - count) }, (_, n): StoredRow => {
      // before the first entry of the project's own log
      const pos = count + n - rowsWanted;
      return {
        kind: 'journal',
        id: `bench/${pos}`,
        owner: { kind: 'checkout_session', id: 'bench' },
        scope,
        v: 1,
        once: true,
        gone: false,
        created,
        tags: [],
        body: {
          pos,
          eventId: `evt_${pos}`,
          event: 'payment.failed',
          objectId: `pay_${pos % 1000}`,
          envelope,
          at: created,
        },
      };
    });
    if ((await store.putRows(rows)) !== 'applied') throw new Error('the rows were not stored');
    count += rows.length;
  }
  await store.close();
  return count;
}

interface Subject extends Served {
  readonly key: string;
  readonly admin: Api;
  /** Rows to remove. */
  readonly count: number;
}

async function measured(room: Room, subject: Subject): Promise<readonly Row[]> {
  const { pid, url, key, count } = subject;
  const script = room.file('purging.lua', creates(false));
  const headers = [`Authorization: Bearer ${key}`];
  const load = (): Promise<Measured> =>
    wrk(pid, { url: `${url}/v1/checkout`, seconds, connections, script, headers });
  const several = async (): Promise<Measured> => {
    const all: Measured[] = [];
    for (let round = 0; round < rounds; round++) all.push(await load());
    return all.toSorted((a, b) => a.p99Ms - b.p99Ms)[Math.floor(rounds / 2)] ?? load();
  };
  const began = await until(subject, 1, beginMsMax);
  const during = await several();
  const left = count - (await removedBy(subject));
  const ended = await until(subject, count, removeMsMax);
  const after = await several();
  const row = (arm: string, { perSecond, ...rest }: Measured, more: Partial<Row> = {}): Row => ({
    what: 'create',
    arm,
    value: perSecond,
    unit: '/s',
    ...rest,
    ...more,
  });
  const said = `while ${count.toLocaleString('en')} rows go${left > 0 ? '' : ' (they had gone before the end)'}`;
  return [
    row(said, during),
    row('nothing is removed', after, { ratio: during.perSecond / after.perSecond }),
    { what: 'rows removed', arm: 'all of them', value: count / ((ended - began) / 1000), unit: '/s' },
  ];
}

async function removedBy({ admin }: Subject): Promise<number> {
  const { text } = await admin.get('/metrics');
  return Number(/^galla_purged_total\{kind="journal"\} (\d+)/m.exec(text)?.[1] ?? 0);
}

/** When this many had gone. */
async function until(subject: Subject, count: number, waitMsMax: number): Promise<number> {
  const from = performance.now();
  while ((await removedBy(subject)) < count) {
    if (performance.now() - from > waitMsMax) throw new Error(`fewer than ${count} rows went in time`);
    await pause(everyMs);
  }
  return performance.now();
}
