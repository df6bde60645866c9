/** Applies batches of records to the database: one transaction each, one result per write.
 *  Boundary: synchronous, on the writing connection, in the writer's thread; knows records, not documents.
 *  1. A stale write changes nothing, its rows included, and leaves the others of its batch alone.
 *  2. A batch that cannot be finished is rolled back whole; only what COMMIT itself did may be in doubt.
 *  3. After a failure of the disk nothing is written any more: a failed fsync is never tried again. */
import { assert } from '../kernel/assert.ts';
import { sqliteCode, type Bindable, type Cell, type Connection } from './sqlite-bind.ts';
import { DiskFailed } from './sqlite-errors.ts';
import { columnsOf, fieldColumns, tableOf, tagsOf, type Of, type Slots } from './sqlite-schema.ts';
import { cellOf, type DocRecord, type Field, type RowRecord, type WriteRecord } from './sqlite-wire.ts';
import type { Written } from './store.ts';

export interface Writer {
  /** One result per write. Throws DiskFailed when the outcome cannot be known. */
  commit(writes: readonly WriteRecord[]): readonly Written[];
  /** `full`: none was stored. Throws DiskFailed, or what the records themselves are guilty of. */
  putRows(rows: readonly RowRecord[]): 'applied' | 'full';
}

const applied: Written = { is: 'applied' };
const stale: Written = { is: 'stale' };

export function createWriter(connection: Connection, slots: Readonly<Record<Of, Slots>>): Writer {
  const records = { doc: keeper(connection, 'doc', slots.doc), row: keeper(connection, 'row', slots.row) };
  const shelfOf = shelfKeeper(connection);

  const transact = <Result>(work: () => Result): Result => {
    let sent = false;
    try {
      connection.exec('BEGIN IMMEDIATE');
      const result = work();
      sent = true;
      connection.exec('COMMIT');
      return result;
    } catch (error) {
      shelfOf.forget();
      if (connection.inTransaction) rollBack(connection);
      const code = sqliteCode(error);
      if (code === 'SQLITE_FULL') throw error;
      if (sent || (code !== null && failuresOfDisk.has(code))) throw new DiskFailed(String(error), { cause: error });
      throw error;
    }
  };

  const putRow = ([head, once]: RowRecord): void => {
    const row = records.row.make(head, shelfOf(head[0], head[2]), [head[8], Number(once)]);
    const there = once ? undefined : records.row.find(row);
    if (there === undefined) records.row.insert(row);
    else if (Number(there.v) < head[8] && there.cells[columnsOf.row.indexOf('once')] === 0) records.row.update(there, row);
  };

  const apply = ([expect, [head, e, clock, wake, timers, busy], rows]: WriteRecord): Written => {
    const cells = [head[8], e, clock, wake, timers, Number(busy)];
    const doc = records.doc.make(head, shelfOf(head[0], head[2]), cells);
    if (expect === 0) {
      if (!records.doc.insert(doc)) return stale;
    } else {
      const there = records.doc.find(doc);
      const stored = there?.cells[columnsOf.doc.indexOf('e')];
      if (there === undefined || there.v !== expect || Number(stored) > e) return stale;
      records.doc.update(there, doc);
    }
    rows.forEach(putRow);
    return applied;
  };

  const commit = (writes: readonly WriteRecord[]): readonly Written[] => {
    try {
      return transact(() => writes.map(apply));
    } catch (error) {
      if (error instanceof DiskFailed) throw error;
      if (sqliteCode(error) === 'SQLITE_FULL') return writes.map(() => ({ is: 'error', reason: 'disk_full' }));
      // One of them cannot be stored at all: alone, it fails alone.
      return writes.length === 1 ? [{ is: 'error', reason: String(error) }] : writes.flatMap((write) => commit([write]));
    }
  };

  return {
    commit,
    putRows(rows) {
      try {
        transact(() => rows.forEach(putRow));
        return 'applied';
      } catch (error) {
        if (sqliteCode(error) === 'SQLITE_FULL') return 'full';
        throw error;
      }
    },
  };
}

/** What says that the file or the disk can no longer be trusted. */
export const failuresOfDisk: ReadonlySet<string> = new Set([
  'SQLITE_IOERR', 'SQLITE_CORRUPT', 'SQLITE_CANTOPEN', 'SQLITE_NOTADB', 'SQLITE_READONLY',
]);

function rollBack(connection: Connection): void {
  try {
    connection.exec('ROLLBACK');
  } catch (error) {
    throw new DiskFailed(String(error), { cause: error });
  }
}

/** A record as its table holds it. */
interface Kept {
  readonly kind: string;
  readonly id: string;
  readonly tags: string | null;
  /** In the order of columnsOf, then the kind's slots. */
  readonly cells: readonly Bindable[];
  readonly json: string;
}

interface There {
  readonly n: Cell;
  readonly v: Cell;
  readonly cells: readonly Cell[];
}

type Head = DocRecord[0];

/** Reads and writes the records of one table, and the tags beside them. */
function keeper(connection: Connection, of: Of, slots: Slots) {
  const table = tableOf[of];
  const columns: readonly string[] = columnsOf[of];
  const at = { shelf: columns.indexOf('shelf'), ord: columns.indexOf('ord'), tags: columns.indexOf('tags') };
  const sqlOf = new Map<string, { columns: readonly string[]; insert: string; find: string }>();
  for (const [kind, names] of slots) {
    const all = [...columns, ...fieldColumns(names.length)];
    sqlOf.set(kind, {
      columns: all,
      insert: `INSERT INTO ${table}(kind, id, ${all.join(', ')}, json) VALUES(?, ?, ${all.map(() => '?').join(', ')}, ?)
        ON CONFLICT(id, kind) DO NOTHING`,
      find: `SELECT n, ${all.join(', ')} FROM ${table} WHERE id = ? AND kind = ?`,
    });
  }
  const sql = (kind: string) => {
    const known = sqlOf.get(kind);
    assert(known !== undefined, `the store has a collection ${kind}`);
    return known;
  };
  const addTag = `INSERT OR IGNORE INTO ${tagsOf[of]}(shelf, tag, ord, id, n) VALUES(?, ?, ?, ?, ?)`;
  const dropTag = `DELETE FROM ${tagsOf[of]} WHERE shelf = ? AND tag = ? AND ord = ? AND id = ?`;
  const addTags = (record: Kept, n: Bindable, tags: readonly string[]): void => {
    const [shelf = null, ord = null] = [record.cells[at.shelf], record.cells[at.ord]];
    for (const tag of tags) connection.statement(addTag).run([shelf, tag, ord, record.id, n]);
  };

  return {
    make(head: Head, shelf: number, rest: readonly Bindable[]): Kept {
      const [kind, id, , ord, gone, tags, fields, json] = head;
      const indexed: readonly Bindable[] = fields === null
        ? (slots.get(kind) ?? []).map(() => null)
        : fields.map((field: Field) => cellOf(field));
      return { kind, id, tags, json, cells: [shelf, ord, Number(gone), tags, ...rest, ...indexed] };
    },

    /** False when there is one of this kind and id already. */
    insert(record: Kept): boolean {
      const { changes, rowid } = connection.statement(sql(record.kind).insert)
        .run([record.kind, record.id, ...record.cells, record.json]);
      if (changes > 0 && record.tags !== null) addTags(record, rowid, tagList(record.tags));
      return changes > 0;
    },

    find(record: Kept): There | undefined {
      const row = connection.statement(sql(record.kind).find).first([record.id, record.kind]);
      if (row === undefined) return undefined;
      const [n = null, ...cells] = row;
      return { n, v: cells[columns.indexOf('v')] ?? null, cells };
    },

    /** Writes only the columns that differ: an index whose columns stay is not touched. */
    update(there: There, record: Kept): void {
      const set: string[] = ['json = ?'];
      const values: Bindable[] = [record.json];
      sql(record.kind).columns.forEach((column, position) => {
        const value = record.cells[position] ?? null;
        if (sameCell(there.cells[position] ?? null, value)) return;
        set.push(`${column} = ?`);
        values.push(value);
      });
      connection.statement(`UPDATE ${table} SET ${set.join(', ')} WHERE n = ?`).run([...values, there.n]);
      this.retag(there, record);
    },

    retag(there: There, record: Kept): void {
      const before = tagList(there.cells[at.tags]);
      const [shelf = null, ord = null] = [there.cells[at.shelf], there.cells[at.ord]];
      const moved = shelf !== record.cells[at.shelf] || ord !== record.cells[at.ord];
      if (!moved && there.cells[at.tags] === record.tags) return;
      const next = tagList(record.tags);
      for (const tag of before) {
        if (moved || !next.includes(tag)) connection.statement(dropTag).run([shelf, tag, ord, record.id]);
      }
      addTags(record, there.n, moved ? next : next.filter((tag) => !before.includes(tag)));
    },
  };
}

function tagList(stored: Cell | undefined): readonly string[] {
  if (typeof stored !== 'string') return [];
  const parsed: unknown = JSON.parse(stored);
  assert(Array.isArray(parsed), 'tags are a list');
  return parsed.filter((tag) => typeof tag === 'string');
}

function sameCell(stored: Cell, next: Bindable): boolean {
  return stored === next || (Buffer.isBuffer(stored) && Buffer.isBuffer(next) && stored.equals(next));
}

/** Shelf numbers kept in memory; beyond it they are looked up again. */
const shelvesMax = 100_000;

/** The number of a shelf, made on first use. What was made in a transaction that fell is forgotten with it. */
function shelfKeeper(connection: Connection): ((kind: string, scope: string) => number) & { forget(): void } {
  const known = new Map<string, number>();
  const keep = (kind: string, scope: string): number => {
    const key = `${kind} ${scope}`;
    const there = known.get(key);
    if (there !== undefined) return there;
    if (known.size >= shelvesMax) known.clear();
    const stored = connection.statement('SELECT n FROM shelves WHERE kind = ? AND scope = ?').first([kind, scope]);
    const shelf = stored === undefined
      ? connection.statement('INSERT INTO shelves(kind, scope) VALUES(?, ?)').run([kind, scope]).rowid
      : Number(stored[0]);
    known.set(key, shelf);
    return shelf;
  };
  return Object.assign(keep, { forget: () => known.clear() });
}
