import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openConnection } from '../../../src/store/sqlite-bind.ts';
import { openCommitLog } from '../../../src/store/sqlite-commit-log.ts';
import { unappliedCharsMax } from '../../../src/store/sqlite-writer.ts';
import { openSqliteStore, type SqliteStoreOptions } from '../../../src/store/store-sqlite.ts';
import type { Store } from '../../../src/store/store.ts';
import { collections, docOf, idsOf, queryOf, save, saveAll } from '../../contract/store-samples.ts';
import { eventually } from '../../support/eventually.ts';

let dataDir: string;
let fatal: string[];
const stores: Store[] = [];

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'galla-store-'));
  fatal = [];
});

afterEach(async () => {
  await Promise.all(stores.splice(0).map((store) => store.close()));
  rmSync(dataDir, { recursive: true, force: true });
});

async function open(options: Partial<SqliteStoreOptions> = {}): Promise<Store> {
  const onFatal = (line: string): void => void fatal.push(line);
  const store = await openSqliteStore({ dataDir, collections, onFatal, ...options });
  stores.push(store);
  return store;
}

describe('the log of commits', { timeout: 40_000 }, () => {
  const inLog = (): number => {
    const path = join(dataDir, 'galla.db');
    const connection = openConnection(path);
    const { left } = openCommitLog(connection, path);
    connection.close();
    return left.reduce((sum, { text }) => sum + text.length, 0);
  };

  test('is emptied soon after the last commit', async () => {
    const store = await open();
    await saveAll(store, [docOf(), docOf()]);
    await eventually(
      async () => (inLog() === 0 ? true : null),
      () => 'an empty log',
    );
    expect(fatal).toEqual([]);
  });

  test('is bounded: beyond that, a commit waits until some of it is applied', async () => {
    const store = await open({ applyAfterMs: Infinity });
    const text = 'x'.repeat(1024 * 1024);
    const docs = Array.from({ length: 40 }, () => docOf({ body: { status: 'open', text } }));
    let most = 0;
    for (const doc of docs) {
      await save(store, doc);
      most = Math.max(most, inLog());
    }
    expect(most).toBeGreaterThan(unappliedCharsMax / 4);
    expect(most).toBeLessThan(2 * unappliedCharsMax + 4 * text.length);
    for (const doc of docs) expect(await store.read('parcel', doc.id)).toEqual(doc);
  });

  test('of a disk that has no room for the tables is kept: reads by id go on, and it is applied later', async () => {
    let store = await open({ pagesMax: 400, applyAfterMs: Infinity });
    const kept = [];
    for (let result = await save(store, docOf()); result.is === 'applied';) {
      const doc = docOf({ body: { status: 'open', text: 'x'.repeat(50_000) } });
      result = await save(store, doc);
      if (result.is === 'applied') kept.push(doc);
    }
    // no room for the tables either
    expect((await store.listDocs(queryOf({ scope: null }))).total).toBeLessThan(kept.length);
    for (const doc of kept) expect(await store.read('parcel', doc.id)).toEqual(doc);
    await store.close();
    store = await open();
    for (const { scope, id } of kept) expect(idsOf(await store.listDocs(queryOf({ scope })))).toEqual([id]);
    expect(fatal).toEqual([]);
  });
});

describe('a disk', { timeout: 40_000 }, () => {
  test.each([
    { what: 'by transactions of a mebibyte', documents: 16 },
    { what: 'by transactions larger than the log may be', documents: 80 },
  ])('is not filled by the WAL under load: $what', async ({ documents }) => {
    const store = await open();
    const text = 'x'.repeat(64 * 1024);
    const sizes: number[] = [];
    for (let batch = 0; batch < 24; batch++) {
      await saveAll(
        store,
        Array.from({ length: documents }, () => docOf({ body: { text } })),
      );
      sizes.push(statSync(join(dataDir, 'galla.db-wal')).size / 1024 / 1024);
    }
    expect(Math.max(...sizes)).toBeGreaterThan(1);
    expect(Math.max(...sizes)).toBeLessThan(24);
  });
});
