/** What a move reads of a store that another process writes: each commit in order, or that some of it is lost. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { MoveRefused, MoveSource, walkBegin, type WalkPlace } from '../../../src/store/move-source.ts';
import { openConnection, type Connection } from '../../../src/store/sqlite-bind.ts';
import { logFileBytes, openCommitLog, type CommitLog } from '../../../src/store/sqlite-commit-log.ts';
import { writeLines } from '../../../src/store/sqlite-commits.ts';
import { databaseFile, prepareSchema, slotsOf } from '../../../src/store/sqlite-schema.ts';
import { Writer } from '../../../src/store/sqlite-write.ts';
import type { Doc, Row } from '../../../src/store/store.ts';
import { after, collections, docOf, rowOf, writeOf } from '../../contract/store-samples.ts';

const slots = { doc: slotsOf(collections, 'doc'), row: slotsOf(collections, 'row') };
const lines = (doc: Doc, rows: readonly Row[] = []) => writeLines(writeOf(doc, doc.v - 1, rows), slots);
const largeBytes = 2 * 1024 * 1024;
const large = (): Doc => docOf({ body: { status: 'open', text: 'x'.repeat(largeBytes) } });

let folder: string;
let connection: Connection;
let log: CommitLog;
let writer: Writer;
let source: MoveSource;

/** As at the start of a service. */
function opened(): void {
  log = openCommitLog(connection, databaseFile(folder));
  let nowMs = 0;
  writer = new Writer(connection, slots, log, () => nowMs++);
}

/** As at the end of one. */
function ended(): void {
  writer.applyAll();
  log.end();
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'galla-move-source-'));
  const path = databaseFile(folder);
  connection = openConnection(path);
  connection.pragma('journal_mode = WAL');
  prepareSchema(connection, path, collections);
  opened();
  source = new MoveSource(folder);
});
afterEach(() => {
  source.close();
  log.close();
  connection.close();
  rmSync(folder, { recursive: true, force: true });
});

function commit(doc: Doc, rows: readonly Row[] = []): Doc {
  expect(writer.commit(lines(doc, rows))).toEqual([{ is: 'applied' }]);
  return doc;
}

const idsOf = (changes: ReturnType<MoveSource['changes']>): readonly string[] | null =>
  changes?.map(({ record }) => `${record.id} ${record.v}`) ?? null;
const named = ({ id, v }: Doc | Row): string => `${id} ${v}`;

/** Polls until there is nothing more, as a move does: each poll has a bound. */
function all(): readonly string[] | null {
  const found: string[] = [];
  for (;;) {
    const some = idsOf(source.changes());
    if (some === null) return null;
    if (some.length === 0) return found;
    found.push(...some);
  }
}

test('every commit is told once and in order, its rows too, while the files of the log are written over', () => {
  const commits = Math.ceil((3 * logFileBytes) / largeBytes);
  const due: string[] = [];
  const found: string[] = [];
  for (let at = 0; at < commits; at++) {
    const [doc, row] = [large(), rowOf()];
    due.push(named(commit(doc, [row])), named(row));
    if (at % 2 === 0) found.push(...(all() ?? ['lost']));
  }
  found.push(...(all() ?? ['lost']));
  expect(found).toEqual(due);
});

test('what was written over before it was read is said to be lost, and a new beginning is followed', () => {
  commit(docOf());
  expect(all()).toHaveLength(1);
  for (let bytes = 0; bytes < 2.5 * logFileBytes; bytes += largeBytes) commit(large());
  expect(source.changes()).toBeNull();
  source.restart();
  expect(all()).not.toBeNull();
  const next = commit(docOf());
  expect(all()).toEqual([named(next)]);
});

test('a beginning has what waits in the log and is not in the tables', () => {
  const waiting = [commit(docOf()), commit(docOf())];
  source.restart();
  expect(all()).toEqual(waiting.map(named));
});

test('what was committed just before a stop in good order is told after it, though the log is removed', () => {
  commit(docOf());
  expect(all()).toHaveLength(1);
  const last = commit(docOf());
  ended();
  expect(all()).toEqual([named(last)]);
  expect(all()).toEqual([]);
});

test('a log that began and ended between two looks is said to be lost', () => {
  commit(docOf());
  ended();
  expect(all()).toBeNull();
});

test('the log of the next start is followed from its first commit', () => {
  commit(docOf());
  expect(all()).toHaveLength(1);
  ended();
  expect(all()).toEqual([]);
  opened();
  const next = commit(docOf());
  expect(all()).toEqual([named(next)]);
});

test('a log that ended and another that began between two looks: what may be missing is said to be lost', () => {
  commit(docOf());
  expect(all()).toHaveLength(1);
  commit(docOf());
  ended();
  opened();
  commit(docOf());
  expect(all()).toBeNull();
});

test('a walk finds every record of both tables, and that a document is not busy any more', () => {
  const docs = Array.from({ length: 300 }, () => commit(docOf({ busy: true }), [rowOf()]));
  const [settled = expect.unreachable()] = docs;
  writer.applyAll();
  writer.settle([settled]);
  let [found, free] = [0, [] as string[]];
  for (let place: WalkPlace | null = walkBegin; place !== null;) {
    const { records, next } = source.step(place);
    found += records.length;
    free = [
      ...free,
      ...records.flatMap(({ of, record }) => (of === 'doc' && !record.busy ? [record.id] : [])),
    ];
    place = next;
  }
  expect(found).toBe(2 * docs.length);
  expect(free).toEqual([settled.id]);
  expect(source.counts().map(({ kind, records }) => [kind, records])).toEqual([
    ['parcel', docs.length],
    ['label', docs.length],
  ]);
});

test('a newer version of a document replaces nothing that is told: both are, in their order', () => {
  const doc = commit(docOf());
  const next = commit(after(doc));
  expect(all()).toEqual([named(doc), named(next)]);
});

test('a folder without a database, and one of another version, are refused', () => {
  expect(() => new MoveSource(join(folder, 'nowhere'))).toThrow(MoveRefused);
  connection.statement('UPDATE schema_version SET version = 99').run([]);
  expect(() => new MoveSource(folder)).toThrow(/schema 99.*use the build that runs the service/);
});
