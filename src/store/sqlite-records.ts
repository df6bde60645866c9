/** The records of one table and their tags: find, insert, update, remove.
 *  Boundary: runs inside the caller's transaction (sqlite-write.ts, sqlite-purge.ts) and decides nothing.
 *  1. An update writes only the columns that differ, so an index on unchanged columns is not touched.
 *  2. The tags table holds exactly the tags of the records that lists may show.
 *  3. A cached record equals its row in the table: there is no other writer, and a rolled-back transaction
 *     clears the cache. */
import { assert } from '../kernel/assert.ts';
import {
  byId,
  columnsOf,
  fieldColumns,
  noIndexes,
  tableOf,
  tagsOf,
  type KindIndexes,
  type Of,
  type Slots,
} from './sqlite-schema.ts';
import type { Head } from './sqlite-cells.ts';
import type { Bindable, Cell, Connection } from './sqlite-bind.ts';
import type { SettledDoc } from './store.ts';

/** A record as it should be stored in its table. */
export interface Entry {
  readonly kind: string;
  readonly id: string;
  /** In the order of columnsOf, then the kind's slots. */
  readonly cells: readonly Bindable[];
  readonly json: string;
}

/** A record as it is stored in its table now. */
export interface Stored {
  readonly n: Cell;
  readonly v: number;
  readonly cells: readonly Bindable[];
}

/** What identifies a record and its tags. */
export interface Removal {
  readonly kind: string;
  readonly id: string;
  readonly shelf: Bindable;
  readonly ord: Bindable;
  readonly tags: Bindable;
}

/** The column at `position` after `v`. */
export const extraOf = ({ cells }: Stored, position: number): Bindable => cells[at.v + 1 + position] ?? null;

/** The positions of the columns common to all tables. */
const at = { shelf: 0, ord: 1, gone: 2, tags: 3, v: 4 } as const;

interface Statements {
  readonly columns: readonly string[];
  readonly insert: string;
  readonly find: string;
}

export function keepRecords(connection: Connection, of: Of, slots: Slots) {
  const table = tableOf[of];
  const statements = new Map([...slots].map(([kind, indexes]) => [kind, statementsOf(of, indexes)]));
  const known = (kind: string): Statements => {
    const found = statements.get(kind) ?? statementsOf(of, noIndexes);
    statements.set(kind, found);
    return found;
  };
  const tags = keepTags(connection, of);
  const written = rememberWritten();

  return {
    /** `extra` are the columns after `v`. */
    make: (head: Head, shelf: number, extra: readonly Bindable[]): Entry =>
      entryOf(head, shelf, extra, slots.get(head[0]) ?? noIndexes),

    /** False when a record of this kind and id already exists. */
    insert(record: Entry): boolean {
      const { kind, id, cells, json } = record;
      const { changes, rowid } = connection.statement(known(kind).insert).run([kind, id, ...cells, json]);
      if (changes === 0) return false;
      tags.add(record, rowid, tagList(cells[at.tags]));
      // most rows are written once; documents never are
      if (of === 'doc') written.set(kind, id, { n: rowid, v: Number(cells[at.v]), cells });
      return true;
    },

    /** The record, if it was written lately. */
    remembered: ({ kind, id }: Pick<Entry, 'kind' | 'id'>): Stored | undefined => written.get(kind, id),

    find({ kind, id }: Pick<Entry, 'kind' | 'id'>): Stored | undefined {
      const remembered = written.get(kind, id);
      if (remembered !== undefined) return remembered;
      const row = connection.statement(known(kind).find).first([id, kind]);
      if (row === undefined) return undefined;
      const [n = null, ...cells] = row;
      return { n, v: Number(cells[at.v]), cells };
    },

    update(stored: Stored, record: Entry): void {
      const set: string[] = ['json = ?'];
      const values: Bindable[] = [record.json];
      known(record.kind).columns.forEach((column, position) => {
        const value = record.cells[position] ?? null;
        if (sameCell(stored.cells[position] ?? null, value)) return;
        set.push(`${column} = ?`);
        values.push(value);
      });
      connection.statement(`UPDATE ${table} SET ${set.join(', ')} WHERE n = ?`).run([...values, stored.n]);
      tags.change(stored, record);
      const { kind, id, cells } = record;
      written.set(kind, id, { n: stored.n, v: Number(cells[at.v]), cells });
    },

    settle: (doc: SettledDoc) => settleIn(connection, written, doc),

    /** Removes a record for good. `tags` as its column holds them. */
    remove(n: Cell, { kind, id, shelf, ord, tags: held }: Removal): void {
      connection.statement(`DELETE FROM ${table} WHERE n = ?`).run([n]);
      tags.remove([shelf, ord, id], tagList(held));
      written.drop(kind, id);
    },

    /** Clears the cache: its entries may have been rolled back with their transaction. */
    forget: () => written.clear(),
  };
}

function entryOf(
  [kind, id, , ord, isGone, tagList, fields, json, v]: Head,
  shelf: number,
  extra: readonly Bindable[],
  { slots, isListed }: KindIndexes,
): Entry {
  const gone = isGone ? 1 : isListed ? 0 : 2;
  const indexed = fields ?? slots.map(() => null);
  return { kind, id, json, cells: [shelf, ord, gone, tagList, v, ...extra, ...indexed] };
}

/** Takes `busy` away from a document that still has this version: its text stays, so the record is changed in place. */
function settleIn(
  connection: Connection,
  written: Pick<ReturnType<typeof rememberWritten>, 'drop'>,
  { kind, id, v }: SettledDoc,
): void {
  connection
    .statement('UPDATE docs SET busy = 0 WHERE id = ? AND kind = ? AND v = ? AND busy = 1')
    .run([id, kind, v]);
  written.drop(kind, id);
}

/** At least this many records are cached as last written: a record just written is often written again
 *  soon. */
const writtenMin = 10_000;

/** Two generations, by kind and id: when the younger one is full, the older one is dropped. */
function rememberWritten() {
  let young = new Map<string, Map<string, Stored>>();
  let old = young;
  let size = 0;
  return {
    get: (kind: string, id: string): Stored | undefined => young.get(kind)?.get(id) ?? old.get(kind)?.get(id),
    set(kind: string, id: string, stored: Stored): void {
      if (size >= writtenMin) {
        [old, young] = [young, new Map()];
        size = 0;
      }
      let known = young.get(kind);
      if (known === undefined) young.set(kind, (known = new Map()));
      if (!known.has(id)) size++;
      known.set(id, stored);
    },
    drop(kind: string, id: string): void {
      if (young.get(kind)?.delete(id)) size--;
      if (old !== young) old.get(kind)?.delete(id);
    },
    clear(): void {
      young = new Map();
      old = young;
      size = 0;
    },
  };
}

function statementsOf(of: Of, { slots, isListed }: KindIndexes): Statements {
  const columns = [...columnsOf[of], ...fieldColumns(slots.length)];
  const table = tableOf[of];
  const all = ['kind', 'id', ...columns, 'json'];
  const [names, values] = [all.join(', '), all.map(() => '?').join(', ')];
  const one = of === 'doc' ? '(id, kind)' : '(id, kind) WHERE gone <> 2';
  return {
    columns,
    // what has no entry by its id is compared with what is listed beside it
    insert: isListed
      ? `INSERT INTO ${table}(${names}) VALUES(${values}) ON CONFLICT${one} DO NOTHING`
      : `WITH one(${names}) AS (VALUES(${values})) INSERT OR IGNORE INTO ${table}(${names})
          SELECT * FROM one WHERE NOT EXISTS (SELECT 1 FROM ${table} k INDEXED BY ${table}_f1
            WHERE k.shelf = one.shelf AND k.f1 = one.f1 AND k.ord = one.ord AND k.id = one.id)`,
    find: `SELECT n, ${columns.join(', ')} FROM ${table} WHERE ${byId[of]}`,
  };
}

/** Tags that one statement adds. */
const tagsAtOnce = 8;

function keepTags(connection: Connection, of: Of) {
  const insert = Array.from(
    { length: tagsAtOnce + 1 },
    (_, count) => `INSERT OR IGNORE INTO ${tagsOf[of]}(shelf, tag, ord, id, n)
      VALUES${Array.from({ length: count }, () => '(?, ?, ?, ?, ?)').join(', ')}`,
  );
  const remove = `DELETE FROM ${tagsOf[of]} WHERE shelf = ? AND tag = ? AND ord = ? AND id = ?`;
  const add = ({ id, cells }: Entry, n: Cell, added: readonly string[]): void => {
    const { [at.shelf]: shelf = null, [at.ord]: ord = null } = cells;
    for (let from = 0; from < added.length; from += tagsAtOnce) {
      const some = added.slice(from, from + tagsAtOnce);
      connection.statement(insert[some.length] ?? '').run(some.flatMap((tag) => [shelf, tag, ord, id, n]));
    }
  };
  return {
    add,
    remove([shelf, ord, id]: readonly [Bindable, Bindable, string], removed: readonly string[]): void {
      for (const tag of removed) connection.statement(remove).run([shelf, tag, ord, id]);
    },
    change(stored: Stored, record: Entry): void {
      const { [at.shelf]: shelf = null, [at.ord]: ord = null, [at.tags]: before = null } = stored.cells;
      const moved = shelf !== record.cells[at.shelf] || ord !== record.cells[at.ord];
      if (!moved && before === record.cells[at.tags]) return;
      const [old, next] = [tagList(before), tagList(record.cells[at.tags])];
      for (const tag of old) {
        if (moved || !next.includes(tag)) connection.statement(remove).run([shelf, tag, ord, record.id]);
      }
      add(record, stored.n, moved ? next : next.filter((tag) => !old.includes(tag)));
    },
  };
}

function tagList(cell: Bindable | undefined): readonly string[] {
  if (typeof cell !== 'string') return [];
  const parsed: unknown = JSON.parse(cell);
  assert(Array.isArray(parsed), 'tags are a list');
  return parsed.filter((tag) => typeof tag === 'string');
}

function sameCell(stored: Bindable, next: Bindable): boolean {
  return stored === next || (Buffer.isBuffer(stored) && Buffer.isBuffer(next) && stored.equals(next));
}

/** Shelf numbers kept in memory; above this they are read again. */
const shelvesMax = 100_000;

/** The numbers of shelves, created on first use. Numbers created by a rolled-back transaction are dropped
 *  with it. */
export function keepShelves(connection: Connection) {
  const known = new Map<string, Map<string, number>>();
  let size = 0;
  const find = connection.statement('SELECT n FROM shelves WHERE kind = ? AND scope = ?');
  const insert = connection.statement('INSERT INTO shelves(kind, scope) VALUES(?, ?)');
  const forget = (): void => {
    known.clear();
    size = 0;
  };
  return {
    of(kind: string, scope: string): number {
      const there = known.get(kind)?.get(scope);
      if (there !== undefined) return there;
      if (size >= shelvesMax) forget();
      const stored = find.first([kind, scope])?.[0];
      const shelf = typeof stored === 'number' ? stored : insert.run([kind, scope]).rowid;
      const ofKind = known.get(kind) ?? new Map<string, number>();
      known.set(kind, ofKind.set(scope, shelf));
      size++;
      return shelf;
    },
    forget,
  };
}
