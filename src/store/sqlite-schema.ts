/** The tables of the embedded store, and the migration of a database file to this build's schema.
 *  Boundary: runs on the writer's connection before any other connection has opened the file.
 *  1. The shape is fixed: all collections share two tables, with one table of tags each. A declared name
 *     becomes part of SQL only as a JSON path, and only if it is a plain word.
 *  2. A shelf is one kind in one scope. List indexes start with it; tags start with the tag.
 *  3. f1 to f12 hold the fields a kind's lists filter by; NULL means in no list by this field (gone, no such slot,
 *     or not among the records that are looked for by it).
 *  4. A record with `gone` 0 is in the list of its shelf and found by its id; with 2 it is only in the lists of its
 *     fields and tags, and f1 is never NULL; 1 is a tombstone.
 *  5. `ord` is the sort key of lists: the position of a journal entry, the creation of anything else. Of a
 *     tombstone it is the last commit.
 *  6. A database written by a newer build is refused and not changed. */
import { join } from 'node:path';
import { assert } from '../kernel/assert.ts';
import { DatabaseFromTheFuture } from './sqlite-errors.ts';
import type { Connection } from './sqlite-bind.ts';
import type { ValuesOf } from '../runtime/model/actor.ts';
import { fieldNameOf, type Collection, type Row } from './store.ts';

/** Raised with each change of the tables; the steps in `lifts` migrate an older file. */
export const schemaVersion = 8;

/** Slots for indexed fields; the journal uses one for `created`. */
export const fieldsMax = 12;

export type Of = Collection['of'];

export const databaseFile = (dataDir: string): string => join(dataDir, 'galla.db');

/** The columns of a table between `id` and `f1`, in the order records carry them; five are common to all
 *  tables. */
export const columnsOf = {
  doc: ['shelf', 'ord', 'gone', 'tags', 'v', 'e', 'clock', 'wake', 'timers', 'busy'],
  row: ['shelf', 'ord', 'gone', 'tags', 'v', 'once'],
} as const;

export const tableOf = { doc: 'docs', row: 'view_rows' } as const;
export const tagsOf = { doc: 'doc_tags', row: 'row_tags' } as const;

/** The condition of a look-up by id and kind. */
export const byId = { doc: 'id = ? AND kind = ?', row: 'id = ? AND kind = ? AND gone <> 2' } as const;

/** f1, f2 ... as many as asked for. */
export const fieldColumns = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, slot) => `f${slot + 1}`);

/** One slot: a field of the body, and which records have an entry in its index; null: all that lists may show. */
export interface Slot {
  readonly field: string;
  readonly only: ValuesOf | null;
}

/** What lists of a kind are answered with. */
export interface KindIndexes {
  readonly slots: readonly Slot[];
  /** Whether its records are in the list of their shelf. */
  readonly isListed: boolean;
}

export type Slots = ReadonlyMap<string, KindIndexes>;

/** Of a kind that this build does not have. */
export const noIndexes: KindIndexes = { slots: [], isListed: true };

/** The field that `ord` holds. */
export const ordFieldOf = (kind: string): string => (kind === 'journal' ? 'pos' : 'created');

/** The value of that field. Throws for a journal entry without a position. */
export function placeOf({ kind, created, body }: Row): number {
  if (kind !== 'journal') return created;
  const { pos } = body;
  assert(typeof pos === 'number', 'a journal entry has its place');
  return pos;
}

/** The column of an indexed field. Throws BrokenInvariant for any other. */
export function columnOf({ slots }: KindIndexes, name: string): string {
  const slot = slots.findIndex(({ field }) => field === name);
  assert(slot >= 0, `${name} is an indexed field`);
  return `f${slot + 1}`;
}

/** Only plain words may name a field, because they become part of a JSON path. */
export const isFieldName = (name: string): boolean => /^[A-Za-z][A-Za-z0-9_]{0,99}$/.test(name);

/** The slots of all collections of one type. Throws for too many fields, or for a name a path must not
 *  contain. */
export function slotsOf(collections: readonly Collection[], of: Of): Slots {
  return new Map(
    collections
      .filter((one) => one.of === of)
      .map((collection) => {
        const { kind, listed } = collection;
        assert(listed === undefined || of === 'row', `${kind}: documents are found by their id`);
        const slots = slotsFor(collection);
        assert(slots.length <= fieldsMax, `${kind}: at most ${fieldsMax} indexes`);
        const names = slots.flatMap(({ field, only }) => (only === null ? [field] : [field, only.field]));
        assert(names.every(isFieldName), `${kind}: indexes are plain field names`);
        assert(
          listed === undefined || slots[0]?.only === null,
          `${kind}: its first index has all its records`,
        );
        return [kind, { slots, isListed: listed === undefined }];
      }),
  );
}

/** Of a journal `created` has a slot too, and that of its position, which is its `ord`, stays empty. */
function slotsFor({ kind, indexes }: Collection): readonly Slot[] {
  const slots = indexes.map((index): Slot => {
    const field = fieldNameOf(index);
    if (field === ordFieldOf(kind)) return { field, only: { field, values: [] } };
    return { field, only: typeof index === 'string' ? null : index.only };
  });
  return kind === 'journal' ? [...slots, { field: 'created', only: null }] : slots;
}

const shelvesTable = `CREATE TABLE shelves(n INTEGER PRIMARY KEY, kind TEXT NOT NULL, scope TEXT NOT NULL,
  UNIQUE(kind, scope)) STRICT`;
const collectionsTable = `CREATE TABLE collections(of TEXT NOT NULL, kind TEXT NOT NULL, fields TEXT NOT NULL,
  PRIMARY KEY(of, kind)) STRICT, WITHOUT ROWID`;

const fields = fieldColumns(fieldsMax);
const head = `n INTEGER PRIMARY KEY, kind TEXT NOT NULL, id TEXT NOT NULL, shelf INTEGER NOT NULL,
  ord INTEGER NOT NULL, gone INTEGER NOT NULL, tags TEXT, v INTEGER NOT NULL`;
// The text comes last: columns after a long value are slow to read.
const tail = `${fields.map((field) => `${field} ANY`).join(', ')}, json TEXT NOT NULL`;

const indexesOf = (of: Of): readonly string[] => {
  const table = tableOf[of];
  return [
    `CREATE UNIQUE INDEX ${table}_id ON ${table}(id, kind)`,
    `CREATE INDEX ${table}_list ON ${table}(shelf, ord, id) WHERE gone = 0`,
    ...fields.map(
      (f) => `CREATE INDEX ${table}_${f} ON ${table}(shelf, ${f}, ord, id) WHERE ${f} IS NOT NULL`,
    ),
    `CREATE TABLE ${tagsOf[of]}(shelf INTEGER NOT NULL, tag TEXT NOT NULL, ord INTEGER NOT NULL,
      id TEXT NOT NULL, n INTEGER NOT NULL, PRIMARY KEY(shelf, tag, ord, id)) STRICT, WITHOUT ROWID`,
  ];
};

/** The step that makes version n from n - 1; the first one creates everything. */
const lifts: readonly (readonly string[])[] = [
  [
    `CREATE TABLE schema_version(version INTEGER NOT NULL) STRICT`,
    `INSERT INTO schema_version VALUES(0)`,
    shelvesTable,
    collectionsTable,
    `CREATE TABLE docs(${head}, e INTEGER NOT NULL, clock TEXT, wake INTEGER, timers INTEGER NOT NULL,
    busy INTEGER NOT NULL, ${tail}) STRICT`,
    ...indexesOf('doc'),
    `CREATE INDEX docs_wake ON docs(wake, id, kind) WHERE wake IS NOT NULL`,
    `CREATE INDEX docs_clock ON docs(clock, wake, id, kind, timers)
    WHERE wake IS NOT NULL AND clock IS NOT NULL`,
    `CREATE INDEX docs_busy ON docs(kind, id) WHERE busy = 1`,
    `CREATE INDEX docs_clock_busy ON docs(clock, kind, id) WHERE busy = 1 AND clock IS NOT NULL`,
    `CREATE TABLE view_rows(${head}, once INTEGER NOT NULL, ${tail}) STRICT`,
    ...indexesOf('row'),
  ],
  [
    // An actor stays busy for seconds: in write order an index entry touches a page or two per commit, in
    // the order of their random ids it would touch one page per actor.
    'DROP INDEX docs_busy',
    'DROP INDEX docs_clock_busy',
    'CREATE INDEX docs_busy ON docs(kind, n, id, clock) WHERE busy = 1',
  ],
  // Documents store their senders as a list (docs/decisions/0017): nothing to migrate, but older builds must not
  // read them.
  [],
  // The tag comes first: it can be searched in one scope and in all of them, by the same entries.
  [...tagFirst('doc_tags'), ...tagFirst('row_tags')],
  // Tombstones are removed by their age.
  ['CREATE INDEX docs_gone ON docs(shelf, ord) WHERE gone = 1'],
  // Commits that are not in the tables yet (docs/decisions/0038).
  ['CREATE TABLE log(seq INTEGER PRIMARY KEY, records TEXT NOT NULL) STRICT'],
  // The log is in files of its own (docs/decisions/0045), which this names; `log` is dropped when it has been applied.
  [
    'CREATE TABLE log_state(name TEXT, applied INTEGER NOT NULL, turns INTEGER NOT NULL) STRICT',
    'INSERT INTO log_state VALUES(NULL, 0, 0)',
  ],
  // Rows that are not found by their id, and slots with some values only (docs/decisions/0047): older builds must not
  // read them. The index is made again when no record changes any more (rowIds).
  ['DROP INDEX view_rows_id'],
];

/** Made last, because a refill may bring rows into it. */
const rowIds = `CREATE UNIQUE INDEX IF NOT EXISTS view_rows_id ON view_rows(id, kind) WHERE gone <> 2`;

function tagFirst(table: string): readonly string[] {
  return [
    `CREATE TABLE ${table}_new(tag TEXT NOT NULL, shelf INTEGER NOT NULL, ord INTEGER NOT NULL,
      id TEXT NOT NULL, n INTEGER NOT NULL, PRIMARY KEY(tag, shelf, ord, id)) STRICT, WITHOUT ROWID`,
    `INSERT INTO ${table}_new(tag, shelf, ord, id, n)
      SELECT tag, shelf, ord, id, n FROM ${table} ORDER BY tag, shelf, ord, id`,
    `DROP TABLE ${table}`,
    `ALTER TABLE ${table}_new RENAME TO ${table}`,
  ];
}

/** Migrates the file to this build's schema and its lists to the declared collections, in one transaction.
 *  Throws DatabaseFromTheFuture, with the file unchanged. */
export function prepareSchema(
  connection: Connection,
  path: string,
  collections: readonly Collection[],
): void {
  const version = versionOf(connection);
  if (version > schemaVersion) throw new DatabaseFromTheFuture(path, version, schemaVersion);
  connection.exec('BEGIN IMMEDIATE');
  try {
    if (version < schemaVersion) {
      for (const lift of lifts.slice(version)) for (const sql of lift) connection.exec(sql);
      connection.statement('UPDATE schema_version SET version = ?').run([schemaVersion]);
    }
    for (const of of ['doc', 'row'] as const) declare(connection, of, slotsOf(collections, of));
    connection.exec(rowIds);
    connection.exec('COMMIT');
  } catch (error) {
    if (connection.inTransaction) connection.exec('ROLLBACK');
    throw error;
  }
}

/** 0 for a new file. */
export function versionOf(connection: Connection): number {
  const known = connection.statement(`SELECT name FROM sqlite_schema WHERE name = 'schema_version'`);
  if (known.first([]) === undefined) return 0;
  return Number(connection.statement('SELECT version FROM schema_version').first([])?.[0]);
}

/** Refills what differs from what the file was last used with. */
function declare(connection: Connection, of: Of, slots: Slots): void {
  const before = connection.statement('SELECT fields FROM collections WHERE of = ? AND kind = ?');
  const keep = connection.statement('INSERT OR REPLACE INTO collections(of, kind, fields) VALUES(?, ?, ?)');
  for (const [kind, indexes] of slots) {
    const declared = declarationsOf(indexes);
    const stored = before.first([of, kind])?.[0];
    const text = JSON.stringify(declared);
    if (stored === text) continue;
    const known: unknown = typeof stored === 'string' ? JSON.parse(stored) : [];
    refill(connection, of, kind, indexes, Array.isArray(known) ? known : []);
    keep.run([of, kind, text]);
  }
}

/** How the file names what a kind declares: a field by its name, and last what is not in the list of its shelf. */
const declarationsOf = ({ slots, isListed }: KindIndexes): readonly unknown[] => [
  ...slots.map(({ field, only }) => (only === null ? field : [field, only.field, only.values])),
  ...(isListed ? [] : [false]),
];

/** Writes the columns of all records of a kind that lack something. What needs fewer entries than before is not
 *  written again: an entry that no list looks for does no harm. */
function refill(
  connection: Connection,
  of: Of,
  kind: string,
  { slots, isListed }: KindIndexes,
  known: readonly unknown[],
): void {
  const declared = declarationsOf({ slots, isListed: true });
  const before = known.filter((one) => one !== false);
  const set = slots.flatMap((slot, place) => {
    const kept = before[place];
    if (JSON.stringify(declared[place]) === JSON.stringify(kept) || slot.field === kept) return [];
    return [`f${place + 1} = CASE WHEN k.gone <> 1 THEN ${valueOfSlot(slot)} END`];
  });
  if (isListed && known.includes(false)) set.push('gone = (k.gone = 1)');
  if (set.length === 0) return;
  const sql = `UPDATE ${tableOf[of]} AS k SET ${set.join(', ')}
    WHERE k.shelf IN (SELECT n FROM shelves WHERE kind = ?)`;
  connection.statement(sql).run([kind]);
}

/** SQL for what a slot holds of the stored record `k`. The values become part of it as hexadecimal text. */
function valueOfSlot({ field, only }: Slot): string {
  if (only === null) return valueInJson(field);
  if (only.values.length === 0) return 'NULL';
  const values = only.values.map((value) => `x'${Buffer.from(value).toString('hex')}'`);
  return `CASE WHEN CAST(${valueInJson(only.field)} AS BLOB) IN (${values.join(', ')}) THEN ${valueInJson(field)} END`;
}

/** SQL for a number of the stored record `k`; NULL for any other value. Asserts a plain word. */
export function numberInJson(name: string): string {
  assert(isFieldName(name), `what is added up is a plain word: ${JSON.stringify(name)}`);
  const path = `'$.body.${name}'`;
  return `CASE WHEN json_type(k.json, ${path}) IN ('integer', 'real') THEN json_extract(k.json, ${path}) END`;
}

/** SQL for a field of the stored record `k`, as a slot would hold it (see cellOf). Asserts a plain word. */
export function valueInJson(name: string): string {
  assert(isFieldName(name), `a list's field is a plain word: ${JSON.stringify(name)}`);
  const path = name === 'created' ? `'$.created'` : `'$.body.${name}'`;
  return `CASE json_type(k.json, ${path}) WHEN 'true' THEN x'01' WHEN 'false' THEN x'00'
    WHEN 'object' THEN x'02' WHEN 'array' THEN x'02' ELSE coalesce(json_extract(k.json, ${path}), x'') END`;
}
