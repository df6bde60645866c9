/** Removes old records for good.
 *  Boundary: runs inside the writer's transaction; the query names what is old, the age of a kind is decided
 *  by its descriptor.
 *  1. Every query is a range of one index, oldest first: what is kept is not read, except documents that
 *     are old and not at rest.
 *  2. A journal loses only its beginning: what is left has no gap. */
import { assert } from '../kernel/assert.ts';
import { cellOf } from './sqlite-cells.ts';
import { columnOf, tableOf, type KindIndexes, type Of, type Slots } from './sqlite-schema.ts';
import type { Bindable, Cell, Connection } from './sqlite-bind.ts';
import type { keepRecords } from './sqlite-records.ts';
import type { Sql } from './sqlite-query.ts';
import type { Purged, PurgeQuery } from './store.ts';

type Records = Readonly<Record<Of, Pick<ReturnType<typeof keepRecords>, 'remove'>>>;

export function purgeFrom(
  connection: Connection,
  records: Records,
  slots: Readonly<Record<Of, Slots>>,
  query: PurgeQuery,
): Purged {
  const of: Of = slots.doc.has(query.kind) ? 'doc' : 'row';
  const indexes = slots[of].get(query.kind);
  assert(indexes !== undefined, `the store has a collection ${query.kind}`);
  const shelf = connection
    .statement('SELECT n FROM shelves WHERE kind = ? AND scope = ?')
    .first([query.kind, query.scope])?.[0];
  if (shelf === undefined) return { removed: 0, ids: [], more: false };
  const { sql, values } = query.kind === 'journal' ? journalSql(indexes) : oldestSql(query, of, indexes);
  const found = connection.statement(sql).all([shelf, ...values, query.limit]);
  const old = query.kind === 'journal' ? beginning(found, query.before) : found;
  for (const [n = null, id = '', ord = null, tags = null] of old)
    records[of].remove(n, { kind: query.kind, id: String(id), shelf, ord, tags });
  const ids = old.map(([, id]) => String(id));
  return { removed: old.length, ids, more: old.length === query.limit };
}

/** Without the values of the first and last placeholder, which are the shelf and the limit. */
function oldestSql({ kind, before, only, gone }: PurgeQuery, of: Of, indexes: KindIndexes): Sql {
  const table = tableOf[of];
  const atRest = of === 'doc' ? 'AND busy = 0 AND wake IS NULL' : '';
  const [index, where, values]: readonly [string, string, readonly Bindable[]] =
    gone === true
      ? ['gone', 'gone = 1', []]
      : only === undefined
        ? ['list', 'gone = 0', []]
        : [columnOf(indexes, only.field), `${columnOf(indexes, only.field)} = ?`, [cellOf(only.value)]];
  assert(index !== 'list' || indexes.isListed, `${kind} is removed by a field`);
  return {
    sql: `SELECT n, id, ord, tags FROM ${table} INDEXED BY ${table}_${index}
      WHERE shelf = ? AND ${where} AND ord < ? ${atRest} ORDER BY ord LIMIT ?`,
    values: [...values, before],
  };
}

/** The same for a journal: the caller compares the last column with the limit of age. */
const journalSql = (indexes: KindIndexes): Sql => ({
  sql: `SELECT n, id, ord, tags, ${columnOf(indexes, 'created')} FROM view_rows INDEXED BY view_rows_list
    WHERE shelf = ? AND gone = 0 ORDER BY ord LIMIT ?`,
  values: [],
});

const createdColumn = 4;

function beginning(found: readonly (readonly Cell[])[], before: number): readonly (readonly Cell[])[] {
  const kept = found.findIndex((row) => Number(row[createdColumn]) >= before);
  return kept < 0 ? found : found.slice(0, kept);
}
