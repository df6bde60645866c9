/** Searches along the tags table: for a tag in all scopes, from shelf to shelf and two entries of each at most;
 *  and in one scope, from the oldest document on.
 *  Boundary: the reader runs its queries, all in one snapshot. */
import { tagsOf, type Of } from './sqlite-schema.ts';
import type { Sql } from './sqlite-query.ts';
import type { Cell } from './sqlite-bind.ts';
import type { Scope } from '../runtime/model/address.ts';
import type { Doc, Tagged, TaggedQuery, TagQuery } from './store.ts';

type All = (query: Sql) => readonly (readonly Cell[])[];

export const newestTagged = (of: Of, query: TagQuery, all: All): readonly Tagged[] =>
  all(shelvesSql(of, query)).flatMap(([scope, shelf]) => {
    const [newest, another] = all(newestTwoSql(of, query, Number(shelf)));
    if (newest === undefined) return [];
    const [id, ord] = newest;
    return [
      {
        // the runtime wrote it as a scope
        scope: String(scope) as Scope,
        id: String(id),
        created: Number(ord),
        only: another === undefined,
      },
    ];
  });

/** The scopes with a matching record, and the number of their shelf. Each step goes to the next shelf that
 *  has the tag, over all entries in between. */
function shelvesSql(of: Of, { kind, tag, from, scopes, limit }: TagQuery): Sql {
  const tags = tagsOf[of];
  const fresh = `EXISTS (SELECT 1 FROM ${tags} t WHERE t.tag = ? AND t.shelf = s.n AND t.ord >= ?)`;
  if (scopes !== null)
    return {
      sql: `SELECT s.scope, s.n FROM shelves s WHERE s.kind = ?
        AND s.scope IN (${scopes.map(() => '?').join(', ')}) AND ${fresh} LIMIT ?`,
      values: [kind, ...scopes, tag, from, limit],
    };
  return {
    sql: `WITH RECURSIVE found(n) AS (
        SELECT min(shelf) FROM ${tags} WHERE tag = ?
        UNION ALL
        SELECT (SELECT min(shelf) FROM ${tags} WHERE tag = ? AND shelf > found.n) FROM found
          WHERE found.n IS NOT NULL)
      SELECT s.scope, s.n FROM found CROSS JOIN shelves s ON s.n = found.n WHERE s.kind = ? AND ${fresh} LIMIT ?`,
    values: [tag, tag, kind, tag, from, limit],
  };
}

const newestTwoSql = (of: Of, { tag, from }: TagQuery, shelf: number): Sql => ({
  sql: `SELECT id, ord FROM ${tagsOf[of]} WHERE tag = ? AND shelf = ? AND ord >= ?
    ORDER BY ord DESC, id DESC LIMIT 2`,
  values: [tag, shelf, from],
});

export const oldestTagged = (query: TaggedQuery, all: All): readonly Pick<Doc, 'created' | 'id'>[] =>
  all(oldestTaggedSql(query)).map(([id, ord]) => ({ id: String(id), created: Number(ord) }));

function oldestTaggedSql({ kind, scope, tag, after, limit }: TaggedQuery): Sql {
  const { created, id } = after ?? { created: -Infinity, id: '' };
  return {
    sql: `SELECT id, ord FROM ${tagsOf.doc} WHERE tag = ?
      AND shelf = (SELECT n FROM shelves WHERE kind = ? AND scope = ?)
      AND (ord, id) > (?, ?) ORDER BY ord, id LIMIT ?`,
    values: [tag, kind, scope, Math.max(created, Number.MIN_SAFE_INTEGER), id, limit],
  };
}
