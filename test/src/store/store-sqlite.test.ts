import { spawn, type ChildProcess } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openConnection } from '../../../src/store/sqlite-bind.ts';
import { collections as builtCollections } from '../../../src/compose/collections.ts';
import { DataDirInUse, openSqliteStore, type SqliteStoreOptions } from '../../../src/store/store-sqlite.ts';
import {
  after,
  collections,
  docDue,
  docOf,
  first,
  freshScope,
  idsOf,
  putAll,
  queryOf,
  rowOf,
  save,
  saveAll,
  writeOf,
} from '../../contract/store-samples.ts';
import { fieldNameOf, type Collection, type ListQuery, type Store } from '../../../src/store/store.ts';

interface Line {
  readonly acked?: readonly string[];
  readonly [key: string]: unknown;
}

let folder: string;
let dataDir: string;
let fatal: string[];
const stores: Store[] = [];
const children: ChildProcess[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'galla-store-'));
  dataDir = join(folder, 'data');
  fatal = [];
});

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await Promise.all(stores.splice(0).map((store) => store.close()));
  rmSync(folder, { recursive: true, force: true });
});

async function open(options: Partial<SqliteStoreOptions> = {}): Promise<Store> {
  const onFatal = (line: string): void => void fatal.push(line);
  const store = await openSqliteStore({ dataDir, collections, onFatal, ...options });
  stores.push(store);
  return store;
}

/** Runs the child; `onLine` receives its output. Resolves with all of it and the exit code once it has ended. */
function run(what: string, onLine: (line: Line, child: ChildProcess) => void = () => {}, before = '') {
  const script = join(import.meta.dirname, 'sqlite-child.ts');
  const child = spawn(
    'bash',
    ['-c', `${before} exec "$0" --import tsx "$1" "$2" "$3"`, process.execPath, script, dataDir, what],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  children.push(child);
  return new Promise<{ said: readonly Line[]; code: number | null }>((resolve) => {
    const said: Line[] = [];
    const lines = createInterface({ input: child.stdout });
    lines.on('line', (text) => {
      const line = JSON.parse(text) as Line;
      said.push(line);
      onLine(line, child);
    });
    child.once('close', (code) => resolve({ said, code }));
  });
}

const acked = (said: readonly Line[]): readonly string[] => said.flatMap((line) => line.acked ?? []);

// Each of these starts a whole process: slow on a busy machine, never because of what is tested.
const patience = { timeout: 40_000 };

describe('a process that dies', patience, () => {
  test.each(['hammer', 'hammer, unapplied', 'hammer, applied'])(
    'by kill -9 while it writes loses nothing it acknowledged, nor does a copy of its folder: %s',
    async (what) => {
      let heard = 0;
      const { said } = await run(what, (line, child) => {
        heard += line.acked?.length ?? 0;
        if (heard > 2000) child.kill('SIGKILL');
      });
      const copy = join(folder, 'copy');
      cpSync(dataDir, copy, { recursive: true });
      for (const place of [dataDir, copy]) {
        const store = await open({ dataDir: place });
        const found = await Promise.all(acked(said).map((id) => store.read('parcel', id)));
        expect(found.length).toBeGreaterThan(2000);
        expect(found.filter((doc) => doc === null)).toEqual([]);
        const listed = await store.listDocs(queryOf({ scope: null, limit: 1 }));
        expect(listed.total).toBeGreaterThanOrEqual(acked(said).length);
      }
    },
  );

  test('leaves a WAL that is checkpointed before the next process answers anything', async () => {
    await run('hammer', (line, child) => void (line.acked !== undefined && child.kill('SIGKILL')));
    const log = join(dataDir, 'galla.db-wal');
    expect(statSync(log).size).toBeGreaterThan(0);
    await open();
    expect(statSync(log).size).toBe(0);
  });

  test('by exiting is not delayed by an open store, and loses nothing', async () => {
    const { said, code } = await run('open');
    expect({ said, code }).toEqual({ said: [{ result: { is: 'applied' } }], code: 0 });
    expect(await (await open()).read('parcel', 'pcl_one')).not.toBeNull();
  });

  test('after closing leaves one complete file, and no WAL', async () => {
    expect((await run('close')).code).toBe(0);
    expect(readdirSync(dataDir).toSorted()).toEqual(['galla.db', 'owner.lock']);
  });
});

describe('the folder', patience, () => {
  test("has one owner: another process gets one line with the folder's name", async () => {
    await open();
    const { said } = await run('open');
    expect(said).toEqual([{ refused: expect.stringContaining(dataDir) }]);
    expect(String(said[0]?.['refused'])).toMatch(/^DataDirInUse: [^\n]*$/);
  });

  test('has one owner within a process too, and is free once that one has closed', async () => {
    const store = await open();
    await expect(open()).rejects.toThrow(DataDirInUse);
    // The refused one must not have taken the lock away with it.
    expect((await run('open')).said[0]).toHaveProperty('refused');
    await store.close();
    await open();
  });

  test('and all in it are readable by the owner only', async () => {
    const store = await open();
    await save(store, docOf());
    expect(statSync(dataDir).mode & 0o777).toBe(0o700);
    for (const file of readdirSync(dataDir)) expect(statSync(join(dataDir, file)).mode & 0o777).toBe(0o600);
  });

  test('with a database of a newer version is refused with one line and not changed', async () => {
    await (await open()).close();
    const path = join(dataDir, 'galla.db');
    const version = (sql: string) => {
      const connection = openConnection(path);
      const rows = connection.statement(sql).all([]);
      connection.close();
      return rows;
    };
    version('UPDATE schema_version SET version = 99');
    await expect(open()).rejects.toThrow(/^[^\n]*galla\.db was written by a newer version[^\n]*$/);
    expect(version('SELECT version FROM schema_version')).toEqual([[99]]);
  });

  test('of version 3 keeps its tags, which are then found in all scopes', async () => {
    const doc = docOf({ tags: ['order=1', 'shop=1'] });
    const before = await open();
    await save(before, doc);
    await before.close();
    const connection = openConnection(join(dataDir, 'galla.db'));
    for (const table of ['doc_tags', 'row_tags'])
      connection.exec(`ALTER TABLE ${table} RENAME TO newer; CREATE TABLE ${table}(shelf INTEGER NOT NULL,
        tag TEXT NOT NULL, ord INTEGER NOT NULL, id TEXT NOT NULL, n INTEGER NOT NULL,
        PRIMARY KEY(shelf, tag, ord, id)) STRICT, WITHOUT ROWID;
        INSERT INTO ${table}(shelf, tag, ord, id, n) SELECT shelf, tag, ord, id, n FROM newer; DROP TABLE newer`);
    connection.exec('DROP INDEX docs_gone; DROP TABLE log_state; UPDATE schema_version SET version = 3');
    connection.close();

    const store = await open();
    const found = await store.newestTagged({
      kind: doc.kind,
      tag: 'order=1',
      from: 0,
      scopes: null,
      limit: 2,
    });
    expect(found).toEqual([{ scope: doc.scope, id: doc.id, created: doc.created, only: true }]);
    await save(store, after(doc, { tags: ['shop=1'] }));
    expect((await store.listDocs(queryOf({ scope: doc.scope, tags: ['shop=1'] }))).total).toBe(1);
    expect((await store.listDocs(queryOf({ scope: doc.scope, tags: ['order=1'] }))).total).toBe(0);
  });
});

describe('a database', () => {
  test('that is invalid is refused with one line that names the folder, and not changed', async () => {
    mkdirSync(dataDir);
    const path = join(dataDir, 'galla.db');
    const text = 'somebody put this letter here by mistake\n'.repeat(300);
    writeFileSync(path, text);
    await expect(open()).rejects.toThrow(new RegExp(`^the store in ${dataDir} cannot be opened: [^\n]*$`));
    expect(readFileSync(path, 'utf8')).toBe(text);
  });
});

describe('a disk', patience, () => {
  test('that is full refuses whole batches, loses nothing and continues when there is space', async () => {
    let store = await open({ pagesMax: 300 });
    const kept = [];
    let result = await save(store, docOf());
    while (result.is === 'applied') {
      const doc = docOf({ body: { status: 'open', text: 'x'.repeat(50_000) } });
      result = await save(store, doc);
      if (result.is === 'applied') kept.push(doc);
    }
    expect(result).toEqual({ is: 'error', of: 'store', reason: 'disk_full' });
    const [small, large] = [docOf(), docOf({ body: { status: 'open', text: 'x'.repeat(900_000) } })];
    expect(await store.commit([writeOf(small), writeOf(large)])).toEqual([result, result]);
    expect(await store.read('parcel', small.id)).toBeNull();
    expect(await store.putRows([rowOf({ body: { text: 'x'.repeat(900_000) } })])).toBe('unknown');
    for (const doc of kept) expect(await store.read('parcel', doc.id)).toEqual(doc);
    expect(fatal).toEqual([]);
    await store.close();
    store = await open();
    expect((await save(store, large)).is).toBe('applied');
    for (const doc of kept) expect(await store.read('parcel', doc.id)).toEqual(doc);
  });

  test.each([
    // What was under way behind the one in doubt was not tried any more.
    {
      when: 'at a commit, leaves that one unknown',
      what: 'until, unapplied',
      results: /^(applied,)*unknown(,error)*$/,
    },
    // Nothing is in doubt when the tables cannot be written; a commit may fail before.
    {
      when: 'behind the commits, stops the store',
      what: 'until',
      results: /^(applied,)*(unknown|error)(,error)*$/,
    },
  ])('that fails $when: it is reported in one line, and nothing is written afterwards', async (each) => {
    // No file of this process may pass 3 MiB: the write fails like a broken disk, not like a full one.
    const { said, code } = await run(each.what, undefined, 'ulimit -f 3072;');
    const results = said.findLast((line) => 'results' in line)?.['results'];
    expect(String(results)).toMatch(each.results);
    const lines = said.flatMap((line) => ('fatal' in line ? [line['fatal']] : []));
    expect(lines).toEqual([expect.stringMatching(new RegExp(`^the disk under ${dataDir} failed: [^\n]*$`))]);
    expect(said.slice(-4)).toEqual([
      { afterwards: 'unknown' },
      { read: 'refused' },
      { list: 'refused' },
      { closed: true },
    ]);
    expect(code).toBe(0);
    const store = await open();
    for (const id of acked(said)) expect(await store.read('parcel', id)).not.toBeNull();
    expect(acked(said).length).toBeGreaterThan(5);
  });
});

describe('one bad write', () => {
  test('fails alone, in its place, whether its kind is unknown or its values cannot be kept', async () => {
    const store = await open();
    const [good, fine] = [docOf(), docOf({ tags: ['a=1'] })];
    const results = await store.commit([
      writeOf(good),
      writeOf(docOf({ kind: 'stranger' })),
      writeOf(docOf({ wake: 0.5 })),
      writeOf(docDue([Number.NaN])),
      writeOf(fine),
      writeOf(good),
    ]);
    expect(results.map((result) => result.is).join(' ')).toBe('applied error error error applied stale');
    expect(await store.read('parcel', good.id)).toEqual(good);
    expect(await store.read('parcel', fine.id)).toEqual(fine);
    await expect(store.putRows([rowOf({ kind: 'stranger' })])).rejects.toThrow('stranger');
    expect(fatal).toEqual([]);
  });

  test('in a new scope does not leave the scope to the next write', async () => {
    const store = await open();
    const scope = freshScope();
    const [bad] = await store.commit([writeOf(docOf({ scope, wake: 0.5 }))]);
    expect(bad?.is).toBe('error');
    const doc = docOf({ scope });
    await save(store, doc);
    expect(idsOf(await store.listDocs(queryOf({ scope })))).toEqual([doc.id]);
  });
});

describe('closing', () => {
  test('completes calls in progress, refuses later ones, and may be done twice', async () => {
    const store = await open();
    const doc = docOf();
    const [committing, reading] = [save(store, doc), store.read('parcel', 'pcl_none')];
    await Promise.all([store.close(), store.close()]);
    expect(await committing).toEqual({ is: 'applied' });
    expect(await reading).toBeNull();
    expect((await save(store, after(doc))).is).toBe('error');
    await expect(store.read('parcel', doc.id)).rejects.toThrow('closed');
    await expect(store.putRows([rowOf()])).rejects.toThrow('closed');
    expect(fatal).toEqual([]);
    expect(await (await open()).read('parcel', doc.id)).toEqual(doc);
  });
});

describe('fields that lists filter by', () => {
  const plain: readonly Collection[] = collections.map((one) => ({ ...one, indexes: [] }));
  const queries: readonly Partial<ListQuery>[] = [
    { equals: { status: 'open' } },
    { equals: { fragile: true } },
    { equals: { fragile: 1 } },
    { equals: { note: null } },
    { equals: { grams: 5 } },
    { range: [{ field: 'grams', from: 0 }] },
    { range: [{ field: 'note', from: 'a' }] },
    { equals: { note: 'क' } },
    { anyOf: { status: ['sent', 'lost'] } },
  ];

  test('may be declared or removed when there are documents already', async () => {
    const scope = freshScope();
    const bodies = [
      { status: 'open', fragile: true, grams: 5, note: 'क' },
      { status: 'sent', fragile: 1, grams: 0.5, note: null },
      { status: 'lost', fragile: false, grams: 'x' },
      { status: 'open', fragile: null, grams: -1, note: { a: 1 } },
    ];
    const answers = async (store: Store) =>
      Promise.all(queries.map(async (query) => idsOf(await store.listDocs(queryOf({ scope, ...query })))));
    let store = await open({ collections: plain });
    const docs = bodies.map((body, created) => docOf({ scope, created, body }));
    await saveAll(store, docs);
    await saveAll(store, [after(first(docs.slice(3)), { gone: true, body: null })]);
    const expected = await answers(store);
    expect(expected.map((ids) => ids.length)).toEqual([1, 1, 1, 2, 1, 2, 1, 1, 2]);
    for (const declared of [collections, plain, collections]) {
      await store.close();
      store = await open({ collections: declared });
      expect(await answers(store)).toEqual(expected);
    }
  });

  test('and are ordered by find what a folder of an older build holds, newest first, and what comes later', async () => {
    const today = builtCollections();
    const ordered = today.flatMap(({ kind, orders = [] }) => orders.map((field) => ({ kind, field })));
    expect(ordered).toEqual([
      { kind: 'payment', field: 'paidAt' },
      { kind: 'refund', field: 'updatedAt' },
    ]);
    const older = today.map(({ orders = [], indexes, ...one }): Collection => {
      const kept = indexes.filter((index) => !orders.includes(fieldNameOf(index)));
      return { ...one, indexes: kept };
    });
    const scope = freshScope();
    const at = (hour: number): string => new Date(Date.UTC(2026, 0, 5, hour)).toISOString();
    // created in another order than that of the instants
    const rows = ordered.flatMap(({ kind, field }) =>
      [at(9), at(17), null, at(12)].map((text, created) =>
        rowOf({ kind, scope, created, body: { status: 'done', [field]: text } }),
      ),
    );
    let store = await open({ collections: older });
    await putAll(store, rows);
    await store.close();
    store = await open({ collections: today });
    await putAll(
      store,
      ordered.map(({ kind, field }) =>
        rowOf({ kind, scope, created: 9, body: { status: 'done', [field]: at(10) } }),
      ),
    );
    for (const { kind, field } of ordered) {
      const range = [{ field, from: at(10), to: at(18) }];
      const found = await store.listRows(queryOf({ kind, scope, range, newestBy: field }));
      expect(found.items.map(({ body }) => body?.[field])).toEqual([at(17), at(12), at(10)]);
      expect(found.total).toBe(3);
    }
  });
});
