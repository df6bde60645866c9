/** A copy of a database whose writer is at work: each commit is in it whole or not at all. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { setTimeout as pause } from 'node:timers/promises';
import { copyDatabase } from '../../../src/store/sqlite-backup.ts';
import { openConnection, type Connection } from '../../../src/store/sqlite-bind.ts';
import { openCommitLog, type CommitLog } from '../../../src/store/sqlite-commit-log.ts';
import { rowLines, writeLines } from '../../../src/store/sqlite-commits.ts';
import { lockFolder } from '../../../src/store/sqlite-lock.ts';
import { databaseFile, prepareSchema, slotsOf } from '../../../src/store/sqlite-schema.ts';
import { Writer } from '../../../src/store/sqlite-write.ts';
import type { Doc, Row } from '../../../src/store/store.ts';
import { after, collections, docOf, rowOf, writeOf } from '../../contract/store-samples.ts';

const slots = { doc: slotsOf(collections, 'doc'), row: slotsOf(collections, 'row') };
const lines = (doc: Doc, rows: readonly Row[] = []) => writeLines(writeOf(doc, doc.v - 1, rows), slots);

let folder: string;
let connection: Connection;
let log: CommitLog;
let writer: Writer;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'galla-copy-'));
  const path = databaseFile(folder);
  connection = openConnection(path);
  connection.pragma('journal_mode = WAL');
  prepareSchema(connection, path, collections);
  log = openCommitLog(connection, path);
  let nowMs = 0;
  writer = new Writer(connection, slots, log, () => nowMs++);
});
afterEach(() => {
  connection.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Copies, does `meanwhile` after so many pieces, and answers what the copy has: versions of documents, ids of rows. */
async function copied(piece: number, meanwhile: () => void) {
  const target = join(folder, 'copy.db');
  let pieces = 0;
  const onProgress = (): void => void (++pieces === piece && meanwhile());
  await copyDatabase({ dataDir: folder, target, collections, bytesPerSecondMax: 1e12, onProgress });
  const copy = openConnection(target);
  const docs = new Map(
    copy
      .statement('SELECT id, v FROM docs')
      .all([])
      .map(([id, v]) => [id, v]),
  );
  const rows = copy
    .statement('SELECT id FROM view_rows')
    .all([])
    .map(([id]) => id);
  copy.close();
  return { docs, rows };
}

test('a commit of which the tables have a part when they are copied is in the copy whole', async () => {
  const docs = Array.from({ length: 40 }, () => docOf());
  const last = docs.at(-1) ?? expect.unreachable();
  writer.commit(docs.flatMap((doc) => lines(doc)));
  expect(writer.applySome(0)).toBe(true);
  const row = rowOf();
  const copy = await copied(1, () => {
    writer.commit(lines(after(last), [row]));
    // ends the portion: the newest version of its last document, and not the row beside that
    writer.applySome(Infinity);
  });
  expect(copy.docs.get(last.id)).toBe(2);
  expect(copy.rows).toEqual([row.id]);
});

test('a service that starts while it is copied does not wait for the copy, which begins again', async () => {
  const doc = docOf();
  writer.commit(lines(doc));
  writer.applyAll();
  const starts: Promise<boolean>[] = [];
  // what a service does before it answers: it fails after 5 s
  const start = async (): Promise<boolean> => {
    const lock = lockFolder(folder);
    const until = performance.now() + 5000;
    while (connection.pragma('wal_checkpoint(TRUNCATE)') !== 0) {
      if (performance.now() > until) return false;
      await pause(20);
    }
    lock.close();
    return true;
  };
  const target = join(folder, 'copy.db');
  await copyDatabase({
    dataDir: folder,
    target,
    collections,
    // at first it would take ten seconds at least
    get bytesPerSecondMax() {
      return starts.length === 0 ? 4096 : 1e12;
    },
    onProgress: () => {
      if (starts.length === 0) starts.push(start());
    },
  });
  expect(await Promise.all(starts)).toEqual([true]);
  const copy = openConnection(target);
  expect(copy.statement('SELECT id FROM docs').all([])).toEqual([[doc.id]]);
  copy.close();
}, 60_000);

test('a service that stops while it is copied is copied once more, with all that it had', async () => {
  const [doc, note] = [docOf(), rowOf()];
  writer.commit(lines(doc));
  const copy = await copied(2, () => {
    writer.putRows(rowLines(note, slots));
    writer.applyAll();
    log.end();
  });
  expect([...copy.docs]).toEqual([[doc.id, 1]]);
  expect(copy.rows).toEqual([note.id]);
  expect(readdirSync(folder).filter((name) => name.includes('log_'))).toEqual([]);
});
