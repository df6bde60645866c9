/** How fast the embedded store makes single creates durable, against the same inserts made one by one.
 *  Both arms run in turn on one disk, each in a fresh folder, with the same records, synchronous=FULL and a
 *  bounded log. Run: `npx tsx bench/store.ts [rounds]`. */
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { mintId } from '../src/kernel/id.ts';
import { openConnection } from '../src/store/sqlite-bind.ts';
import { openSqliteStore } from '../src/store/store-sqlite.ts';
import type { Collection, Doc, Store, Write } from '../src/store/store.ts';

const batchMax = 256;
const armMs = 3000;
const indexes = ['status', 'provider', 'orderId', 'source'];
const collections: readonly Collection[] = [{ kind: 'checkout_session', of: 'doc', indexes }];

const filling = 'x'.repeat(1600);

/** A checkout session of about 2 KB. */
function sampleDoc(n: number): Doc {
  const id = mintId('cs');
  return {
    kind: 'checkout_session',
    id,
    scope: 'prj_00bench:live',
    clock: null,
    slot: 0,
    v: 1,
    e: 1,
    tok: id,
    sv: 1,
    at: Date.now(),
    created: Date.now(),
    gone: false,
    tags: [`order=${n}`],
    body: { status: 'pending', provider: 'wallet_b', orderId: `o-${n}`, source: 'checkout', filling },
    seen: [],
    out: [],
    oq: 0,
    eseq: 0,
    timers: [{ name: 'expiry', gen: 1, at: Date.now() }],
    wake: Date.now(),
    busy: false,
  };
}

/** `callers` at once, each with one create under way; what waits when the lane is free goes as one batch. */
async function grouped(store: Store, callers: number): Promise<readonly number[]> {
  const latencies: number[] = [];
  const waiting: { write: Write; since: number; done(): void }[] = [];
  const until = performance.now() + armMs;
  let open = true;
  const caller = async (first: number): Promise<void> => {
    for (let n = first; performance.now() < until; n += callers) {
      const doc = sampleDoc(n);
      await new Promise<void>((done) => {
        waiting.push({ write: { expect: 0, doc, rows: [] }, since: performance.now(), done });
      });
    }
  };
  const lane = async (): Promise<void> => {
    while (open) {
      const batch = waiting.splice(0, batchMax);
      const results = await store.commit(batch.map((one) => one.write));
      if (results.some((result) => result.is !== 'applied')) throw new Error('a create was not applied');
      for (const one of batch) {
        latencies.push(performance.now() - one.since);
        one.done();
      }
      if (batch.length === 0) await new Promise(setImmediate);
    }
  };
  const running = lane();
  await Promise.all(Array.from({ length: callers }, (_, first) => caller(first)));
  open = false;
  await running;
  return latencies;
}

/** The plain way: one insert, one transaction, one sync, then the next. */
function oneByOne(path: string): readonly number[] {
  const connection = openConnection(path);
  connection.exec('PRAGMA page_size = 8192');
  connection.pragma('journal_mode = WAL');
  connection.exec('PRAGMA synchronous = FULL');
  connection.exec(`CREATE TABLE docs(id TEXT PRIMARY KEY, scope TEXT, created INTEGER, doc TEXT)`);
  for (const field of indexes) {
    connection.exec(`CREATE INDEX docs_${field} ON docs(scope, doc ->> '$.body.${field}')`);
  }
  const insert = connection.statement('INSERT INTO docs VALUES(?, ?, ?, ?)');
  const latencies: number[] = [];
  const until = performance.now() + armMs;
  for (let n = 0; performance.now() < until; n++) {
    const since = performance.now();
    const doc = sampleDoc(n);
    insert.run([doc.id, doc.scope, doc.created, JSON.stringify(doc)]);
    latencies.push(performance.now() - since);
  }
  connection.close();
  return latencies;
}

async function timed<Result>(count: number, work: () => Promise<Result>): Promise<readonly number[]> {
  const latencies: number[] = [];
  for (let n = 0; n < count; n++) {
    const since = performance.now();
    await work();
    latencies.push(performance.now() - since);
  }
  return latencies;
}

const at = (sorted: readonly number[], part: number): string =>
  (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0).toFixed(2);

function report(title: string, latencies: readonly number[], wallMs: number): number {
  const sorted = latencies.toSorted((a, b) => a - b);
  const perSecond = Math.round(latencies.length / (wallMs / 1000));
  const times = `p50 ${at(sorted, 0.5)} ms  p99 ${at(sorted, 0.99)} ms`;
  console.log(`${title.padEnd(36)} ${String(perSecond).padStart(7)}/s  ${times}`);
  return perSecond;
}

async function reads(store: Store, total: number): Promise<void> {
  const query = { kind: 'checkout_session', scope: 'prj_00bench:live', page: 1, limit: 20 } as const;
  const id = (await store.listDocs(query)).items[0]?.id ?? '';
  const cases: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['read one', () => store.read('checkout_session', id)],
    [`list 20 of ${total}, newest first`, () => store.listDocs(query)],
    ['list 20 by status', () => store.listDocs({ ...query, equals: { status: 'pending' } })],
    ['list by order id', () => store.listDocs({ ...query, equals: { orderId: 'o-7', status: 'pending' } })],
    ['list by tag', () => store.listDocs({ ...query, tags: ['order=7'] })],
    ['due, first 100', () => store.due({ until: Date.now(), limit: 100 })],
  ];
  for (const [title, work] of cases) {
    const since = performance.now();
    report(title, await timed(1000, work), performance.now() - since);
  }
  const since = performance.now();
  const many = await Promise.all(
    Array.from({ length: 64 }, () => timed(200, () => store.read('checkout_session', id))),
  );
  report('read one, 64 callers', many.flat(), performance.now() - since);
}

async function main(): Promise<void> {
  const rounds = Number(process.argv[2] ?? 2);
  const machine = `${cpus().length} x ${cpus()[0]?.model ?? '?'}, Node ${process.version}`;
  console.log(`${new Date().toISOString()}  ${machine}, load ${loadavg()[0]?.toFixed(1)}`);
  for (let round = 0; round < rounds; round++) {
    const folder = mkdtempSync(join(tmpdir(), 'galla-bench-'));
    try {
      let since = performance.now();
      const plain = report('one by one', oneByOne(join(folder, 'plain.db')), performance.now() - since);
      const onFatal = (line: string): void => console.error(line);
      const store = await openSqliteStore({ dataDir: join(folder, 'galla'), collections, onFatal });
      let total = 0;
      for (const callers of [64, 256]) {
        since = performance.now();
        const latencies = await grouped(store, callers);
        total += latencies.length;
        const perSecond = report(`grouped, ${callers} callers`, latencies, performance.now() - since);
        console.log(`  ${(perSecond / plain).toFixed(1)} times one by one`);
      }
      if (round === rounds - 1) await reads(store, total);
      await store.close();
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

await main();
