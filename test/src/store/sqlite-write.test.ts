import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openConnection, type Connection } from '../../../src/store/sqlite-bind.ts';
import { busySql, type Sql } from '../../../src/store/sqlite-query.ts';
import { prepareSchema, slotsOf } from '../../../src/store/sqlite-schema.ts';
import { writeRecord, type WriteRecord } from '../../../src/store/sqlite-wire.ts';
import { createWriter, type Writer } from '../../../src/store/sqlite-write.ts';
import { after, collections, docOf, writeOf } from '../../contract/store-samples.ts';
import type { Doc } from '../../../src/store/store.ts';

const slots = { doc: slotsOf(collections, 'doc'), row: slotsOf(collections, 'row') };

let connection: Connection;
let writer: Writer;
beforeEach(() => {
  connection = openConnection(':memory:');
  prepareSchema(connection, ':memory:', collections);
  writer = createWriter(connection, slots);
});
afterEach(() => connection.close());

const record = (doc: Doc, expected = doc.v - 1): WriteRecord =>
  writeRecord(writeOf(doc, expected), slots.doc, slots.row);

/** A record no table takes: it brings its whole batch down. */
function poison(): WriteRecord {
  const [expected, [head, ...rest], rows] = record(docOf());
  const [, ...others] = head;
  return [expected, [['nobody', ...others], ...rest], rows];
}

const columnsOf = (id: string, columns: string): readonly unknown[] | undefined =>
  connection.statement(`SELECT ${columns} FROM docs WHERE id = ?`).first([id]);

describe("the writer's cache of a document", () => {
  test('is cleared with a rolled-back batch: alone, the same write is applied after all', () => {
    const doc = docOf();
    expect(writer.commit([record(doc)])).toEqual([{ is: 'applied' }]);
    const [updated, refused] = writer.commit([record(after(doc)), poison()]);
    expect(updated).toEqual({ is: 'applied' });
    expect(refused).toMatchObject({ is: 'error', of: 'document' });
    expect(columnsOf(doc.id, 'v')).toEqual([after(doc).v]);
  });

  test('is cleared with a write whose rows cannot be stored: without them it is applied', () => {
    const doc = docOf();
    writer.commit([record(doc)]);
    const [expected, changed] = record(after(doc));
    const [head] = poison()[1];
    expect(writer.commit([[expected, changed, [[head, true]]]])).toMatchObject([{ is: 'error' }]);
    expect(columnsOf(doc.id, 'v')).toEqual([doc.v]);
    expect(writer.commit([[expected, changed, []]])).toEqual([{ is: 'applied' }]);
  });

  test('distinguishes a stale write, and leaves every column as the newest version has it', () => {
    const doc = docOf({ busy: true, wake: 5 });
    const calm = after(doc, { busy: false, wake: null });
    writer.commit([record(doc)]);
    expect(writer.commit([record(calm), record(after(doc, { wake: 9 }))])).toEqual([
      { is: 'applied' },
      { is: 'stale' },
    ]);
    expect(columnsOf(doc.id, 'v, busy, wake')).toEqual([calm.v, 0, null]);
    const woken = after(calm, { wake: 7 });
    writer.commit([record(woken)]);
    expect(columnsOf(doc.id, 'v, busy, wake')).toEqual([woken.v, 0, 7]);
  });
});

describe('a database of the first version', () => {
  /** The two indexes of version 1 that version 2 has one for. */
  const first = [
    'DROP INDEX docs_busy',
    'CREATE INDEX docs_busy ON docs(kind, id) WHERE busy = 1',
    'CREATE INDEX docs_clock_busy ON docs(clock, kind, id) WHERE busy = 1 AND clock IS NOT NULL',
    'DROP INDEX docs_gone',
    'UPDATE schema_version SET version = 1',
  ];

  test('is migrated in place, and its busy actors are found', () => {
    const [busy, calm] = [docOf({ busy: true }), docOf()];
    writer.commit([record(busy), record(calm)]);
    for (const sql of first) connection.exec(sql);
    prepareSchema(connection, ':memory:', collections);
    const all = ({ sql, values }: Sql) => connection.statement(sql).all(values);
    expect(all(busySql({ limit: 10 }))).toEqual([[busy.kind, busy.id]]);
    expect(connection.statement('SELECT version FROM schema_version').first([])).toEqual([5]);
    expect(
      connection.statement(`SELECT count(*) FROM sqlite_schema WHERE name = 'docs_clock_busy'`).first([]),
    ).toEqual([0]);
  });
});
