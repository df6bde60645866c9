import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openConnection, type Connection } from '../../../src/store/sqlite-bind.ts';
import { noLog, openCommitLog, type CommitLog } from '../../../src/store/sqlite-commit-log.ts';
import { busySql, type Sql } from '../../../src/store/sqlite-query.ts';
import { prepareSchema, slotsOf } from '../../../src/store/sqlite-schema.ts';
import { rowLines, writeLines } from '../../../src/store/sqlite-commits.ts';
import type { Lines } from '../../../src/store/sqlite-wire.ts';
import { Writer } from '../../../src/store/sqlite-write.ts';
import { after, collections, docOf, rowOf, writeOf } from '../../contract/store-samples.ts';
import type { Doc, Row } from '../../../src/store/store.ts';

const slots = { doc: slotsOf(collections, 'doc'), row: slotsOf(collections, 'row') };

let folder: string;
let path: string;
let connection: Connection;
let writer: Writer;
let nowMs: number;
beforeEach(() => {
  nowMs = 0;
  folder = mkdtempSync(join(tmpdir(), 'galla-write-'));
  path = join(folder, 'galla.db');
  connection = openConnection(path);
  prepareSchema(connection, path, collections);
  writer = another();
});
afterEach(() => {
  connection.close();
  rmSync(folder, { recursive: true, force: true });
});

/** As the next process opens it. */
const another = (): Writer => new Writer(connection, slots, openCommitLog(connection, path), () => nowMs++);

const lines = (doc: Doc, expected = doc.v - 1, rows: readonly Row[] = []): Lines =>
  writeLines(writeOf(doc, expected, rows), slots);

const columnsOf = (id: string, columns: string): readonly unknown[] | undefined =>
  connection.statement(`SELECT ${columns} FROM docs WHERE id = ?`).first([id]);
const rowColumns = (id: string, columns: string): readonly unknown[] | undefined =>
  connection.statement(`SELECT ${columns} FROM view_rows WHERE id = ?`).first([id]);
/** Commits of the log that the tables may lack. */
const logged = (): number => openCommitLog(connection, path).left.length;

describe('a commit', () => {
  test('is in the log at once, and in the tables when it is applied: then the log is empty', () => {
    const doc = docOf();
    expect(writer.commit(lines(doc))).toEqual([{ is: 'applied' }]);
    expect([logged(), columnsOf(doc.id, 'v')]).toEqual([1, undefined]);
    writer.applyAll();
    expect([logged(), columnsOf(doc.id, 'v')]).toEqual([0, [1]]);
    expect(writer.appliedUpTo).toBe(writer.committed);
  });

  test('is checked against what is in the log, in the portion being applied, and in the tables', () => {
    const doc = docOf();
    const [second, third] = [after(doc), after(after(doc))];
    writer.commit(lines(doc));
    expect(writer.commit(lines(doc))).toEqual([{ is: 'stale' }]);
    expect(writer.commit(lines(third))).toEqual([{ is: 'stale' }]);
    expect(writer.commit(lines(second))).toEqual([{ is: 'applied' }]);
    // a step of no time applies some records and leaves the others
    for (let n = 0; n < 40; n++) writer.commit(lines(docOf()));
    expect(writer.applySome(0)).toBe(true);
    expect(writer.commit(lines(second))).toEqual([{ is: 'stale' }]);
    expect(writer.commit(lines(third))).toEqual([{ is: 'applied' }]);
    while (writer.applySome(0));
    expect(columnsOf(doc.id, 'v')).toEqual([3]);
    expect(another().commit(lines(third))).toEqual([{ is: 'stale' }]);
    expect(another().commit(lines(after(third, { e: 0 })))).toEqual([{ is: 'stale' }]);
  });

  test('of a portion is in the tables with that portion, also when a newer version came meanwhile', () => {
    const docs = Array.from({ length: 40 }, () => docOf());
    const last = docs.at(-1) ?? docOf();
    writer.commit(docs.flatMap((doc) => lines(doc)));
    const { committed } = writer;
    expect(writer.applySome(0)).toBe(true);
    writer.commit(lines(after(last)));
    while (writer.appliedUpTo < committed) writer.applySome(0);
    expect(columnsOf(last.id, 'v')).toEqual([2]);
    writer.applyAll();
    expect(columnsOf(last.id, 'v')).toEqual([2]);
  });

  test('that is stale leaves its rows out, and those of others in', () => {
    const [doc, other] = [docOf(), docOf()];
    const [lost, kept] = [rowOf(), rowOf()];
    const results = writer.commit([...lines(doc, 7, [lost]), ...lines(other, 0, [kept])]);
    expect(results).toEqual([{ is: 'stale' }, { is: 'applied' }]);
    writer.applyAll();
    expect([rowColumns(lost.id, 'v'), rowColumns(kept.id, 'v')]).toEqual([undefined, [1]]);
  });

  test('of several versions costs one write of the tables, of the newest', () => {
    const doc = docOf({ busy: true, wake: 5 });
    const calm = after(doc, { busy: false, wake: null });
    writer.commit(lines(doc));
    expect(writer.commit([...lines(calm), ...lines(after(doc, { wake: 9 }))])).toEqual([
      { is: 'applied' },
      { is: 'stale' },
    ]);
    writer.applyAll();
    expect(columnsOf(doc.id, 'v, busy, wake')).toEqual([calm.v, 0, null]);
    const woken = after(calm, { wake: 7 });
    writer.commit(lines(woken));
    writer.applyAll();
    expect(columnsOf(doc.id, 'v, busy, wake')).toEqual([woken.v, 0, 7]);
  });
});

describe('the log of a process that died', () => {
  test('is applied by the next one before it answers, with versions and insert-only rows as they were', () => {
    const doc = docOf();
    const [note, again] = [rowOf({ once: true }), rowOf({ once: true, body: { status: 'later' } })];
    const copy = { ...again, id: note.id };
    writer.commit(lines(doc, 0, [note]));
    writer.commit(lines(after(doc), 1, [copy]));
    const next = another();
    expect([logged(), columnsOf(doc.id, 'v')]).toEqual([0, [2]]);
    expect(rowColumns(note.id, `json_extract(json, '$.body.status')`)).toEqual(['open']);
    expect(next.commit(lines(after(after(doc))))).toEqual([{ is: 'applied' }]);
  });

  test('is applied again where a part of it was applied already', () => {
    const docs = Array.from({ length: 40 }, () => docOf());
    const note = rowOf({ once: true });
    writer.commit(docs.flatMap((doc) => lines(doc, 0, [])));
    writer.commit(lines(after(docs[0] ?? docOf()), 1, [note]));
    expect(writer.applySome(0)).toBe(true);
    expect(logged()).toBe(2);
    another();
    expect(logged()).toBe(0);
    expect(docs.map(({ id }) => columnsOf(id, 'v'))).toEqual([[2], ...docs.slice(1).map(() => [1])]);
    expect(rowColumns(note.id, 'once')).toEqual([1]);
  });

  test('that cannot be read is refused, and kept', () => {
    openCommitLog(connection, path).append({ seq: 1, text: 'no record' }, () => true);
    expect(another).toThrow();
    expect(logged()).toBe(1);
  });

  test('of a build that kept it in a table is applied, and the table is dropped with the first commit', () => {
    const [doc, note] = [docOf(), rowOf({ once: true })];
    connection.exec('CREATE TABLE IF NOT EXISTS log(seq INTEGER PRIMARY KEY, records TEXT NOT NULL) STRICT');
    const insert = connection.statement('INSERT INTO log(seq, records) VALUES(?, ?)');
    insert.run([7, lines(doc, 0, [note]).join('\n')]);
    insert.run([8, lines(after(doc)).join('\n')]);
    const next = another();
    expect(columnsOf(doc.id, 'v')).toEqual([2]);
    expect(rowColumns(note.id, 'v')).toEqual([1]);
    expect(next.commit(lines(after(after(doc))))).toEqual([{ is: 'applied' }]);
    expect(connection.statement(`SELECT count(*) FROM sqlite_schema WHERE name = 'log'`).first([])).toEqual([
      0,
    ]);
    another();
    expect(columnsOf(doc.id, 'v')).toEqual([3]);
  });
});

describe('to settle a document while a portion is being applied', () => {
  test('commits what was applied of it, and the rest follows', () => {
    const [busy, ...others] = [docOf({ busy: true }), ...Array.from({ length: 12 }, () => docOf())];
    writer.commit(lines(busy));
    writer.applyAll();
    for (const doc of others) writer.commit(lines(doc));
    expect(writer.applySome(0)).toBe(true);
    expect(connection.inTransaction).toBe(true);
    writer.settle([busy]);
    expect([connection.inTransaction, columnsOf(busy.id, 'busy')]).toEqual([false, [0]]);
    writer.applyAll();
    expect(others.map(({ id }) => columnsOf(id, 'v'))).toEqual(others.map(() => [1]));
  });

  test('leaves the portion as it was when that fails', () => {
    const [busy, ...others] = [docOf({ busy: true }), ...Array.from({ length: 12 }, () => docOf())];
    writer.commit(lines(busy));
    writer.applyAll();
    for (const doc of others) writer.commit(lines(doc));
    expect(writer.applySome(0)).toBe(true);
    connection.exec(
      "CREATE TEMP TRIGGER broken BEFORE UPDATE ON docs BEGIN SELECT RAISE(ABORT, 'broken'); END",
    );
    expect(() => writer.settle([busy])).toThrow('broken');
    connection.exec('DROP TRIGGER IF EXISTS broken');
    writer.applyAll();
    expect(others.map(({ id }) => columnsOf(id, 'v'))).toEqual(others.map(() => [1]));
    expect(columnsOf(busy.id, 'busy')).toEqual([1]);
  });
});

describe('before a file of the log is written over', () => {
  test('the tables are synced: a transaction of its own reaches the WAL, though they are up to date', () => {
    connection.pragma('journal_mode = WAL');
    connection.pragma('wal_autocheckpoint = 0');
    const wal = (): number => statSync(`${path}-wal`).size;
    const grewBy: number[] = [];
    const log: CommitLog = {
      ...noLog(connection),
      append: (_, isApplied) => {
        const before = wal();
        expect(isApplied(writer.committed)).toBe(true);
        grewBy.push(wal() - before);
        return true;
      },
    };
    writer = new Writer(connection, slots, log, () => nowMs++);
    for (let n = 0; n < 4; n++) {
      writer.commit(lines(docOf()));
      writer.applyAll();
    }
    // nothing is in the other file yet, and then it is a page and its head each time
    expect(grewBy).toEqual([0, 4120, 4120, 4120]);
    // a checkpoint has synced them meanwhile
    writer.onDisk(writer.committed);
    writer.commit(lines(docOf()));
    expect(grewBy.at(-1)).toBe(0);
  });
});

describe('a row', () => {
  test('is replaced by a newer one only, whether that is in the log or in the tables', () => {
    const [older, newer] = [rowOf({ v: 1 }), rowOf({ v: 3, body: { status: 'new' } })];
    const put = (row: Row): boolean => writer.putRows(rowLines({ ...row, id: older.id }, slots));
    expect([put(newer), put(older)]).toEqual([true, true]);
    writer.applyAll();
    expect(rowColumns(older.id, 'v')).toEqual([3]);
    put(older);
    writer.applyAll();
    expect(rowColumns(older.id, 'v')).toEqual([3]);
  });
});

describe('a rolled-back transaction', () => {
  test('leaves the caches as the tables are: the next one applies all of it', () => {
    const doc = docOf();
    writer.commit(lines(doc));
    writer.applyAll();
    writer.commit(lines(after(doc)));
    connection.exec("CREATE TRIGGER broken BEFORE UPDATE ON docs BEGIN SELECT RAISE(ABORT, 'broken'); END");
    expect(() => writer.applyAll()).toThrow('broken');
    connection.exec('DROP TRIGGER broken');
    expect([logged(), columnsOf(doc.id, 'v')]).toEqual([1, [1]]);
    writer.applyAll();
    expect([logged(), columnsOf(doc.id, 'v')]).toEqual([0, [2]]);
  });
});

describe('a database of the first version', () => {
  /** The two indexes of version 1 that version 2 has one for. */
  const first = [
    'DROP INDEX docs_busy',
    'CREATE INDEX docs_busy ON docs(kind, id) WHERE busy = 1',
    'CREATE INDEX docs_clock_busy ON docs(clock, kind, id) WHERE busy = 1 AND clock IS NOT NULL',
    'DROP INDEX docs_gone',
    'DROP TABLE IF EXISTS log',
    'DROP TABLE log_state',
    'UPDATE schema_version SET version = 1',
  ];

  test('is migrated in place, and its busy actors are found', () => {
    const [busy, calm] = [docOf({ busy: true }), docOf()];
    writer.commit([...lines(busy), ...lines(calm)]);
    writer.applyAll();
    for (const sql of first) connection.exec(sql);
    prepareSchema(connection, path, collections);
    const all = ({ sql, values }: Sql) => connection.statement(sql).all(values);
    expect(all(busySql({ limit: 10 }))).toEqual([[busy.kind, busy.id]]);
    expect(connection.statement('SELECT version FROM schema_version').first([])).toEqual([8]);
    expect(
      connection.statement(`SELECT count(*) FROM sqlite_schema WHERE name = 'docs_clock_busy'`).first([]),
    ).toEqual([0]);
  });
});
