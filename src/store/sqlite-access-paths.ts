/** The SQL of lists: each list can be answered with one or more indexes, called its access paths.
 *  Boundary: pure text and values; the reader chooses an access path and runs it.
 *  1. All access paths of a query give the same answer; they differ in how many entries they read.
 *  2. Every path names its index or searches the tags by their primary key: none can become a full scan.
 *  3. In its SQL `k` is the record and `t` the tag it is found by. */
import { assert } from '../kernel/assert.ts';
import { beginsWith, filtersOf, prefixed, type Filter } from './sqlite-filters.ts';
import { columnOf, numberInJson, tableOf, tagsOf, type KindIndexes, type Of } from './sqlite-schema.ts';
import type { Sql } from './sqlite-query.ts';
import type { ListQuery } from './store.ts';

export interface AccessPath {
  /** Whether its index returns the list's order; if not, all matches are sorted. */
  readonly ordered: boolean;
  /** How many match. */
  readonly count: Sql;
  /** The texts of one page. */
  readonly page: Sql;
  /** How many match, and the sum of a field. Throws BrokenInvariant for a field name that is not a plain
   *  word. */
  sum(field: string): Sql;
  /** How many entries its index alone returns, counted up to `most`: the cost of this path. */
  probe(most: number): Sql;
}

export interface AccessPaths {
  /** Newest first through the whole shelf. */
  readonly whole: AccessPath;
  /** Along the index of a tag or of a field. */
  readonly narrow: readonly AccessPath[];
}

/** Every access path for the query. Throws BrokenInvariant for a field name that is not a plain word and for an
 *  invalid page. */
export function accessPathsOf(of: Of, kind: KindIndexes, query: ListQuery): AccessPaths {
  assert(Number.isSafeInteger(query.page) && query.page >= 1, 'pages are counted from 1');
  assert(Number.isSafeInteger(query.limit) && query.limit >= 1, 'a page holds at least one');
  const own = filtersOf(of, kind, query);
  const tags = [...new Set(query.tags)];
  const indexes = new Set(own.flatMap(({ index }) => (index === null ? [] : [index])));
  const { tagPrefix } = query;
  const filters = tagPrefix === undefined ? own : [...own, onRecord(prefixed(tagPrefix))];
  const asked: Ordered = { ...query, order: orderOf(of, kind, query) };
  const { index: ordering } = asked.order;
  return {
    whole:
      ordering !== null
        ? alongField(of, asked, filters, tags, ordering)
        : kind.isListed
          ? alongList(of, asked, filters, tags)
          : alongAllValues(of, asked, filters, tags),
    narrow: [
      ...(tagPrefix === undefined ? [] : [alongPrefix(of, asked, own, tags, tagPrefix)]),
      ...tags.map((tag) =>
        alongTag(
          of,
          asked,
          filters,
          tag,
          tags.filter((other) => other !== tag),
        ),
      ),
      ...[...indexes].map((index) => alongField(of, asked, filters, tags, index)),
    ],
  };
}

/** A query and what its list is ordered by. */
interface Ordered extends ListQuery {
  readonly order: Order;
}
interface Order {
  readonly column: string;
  /** The index that returns this order; null: that of lists and of tags. */
  readonly index: string | null;
}

function orderOf(of: Of, kind: KindIndexes, { newestBy, range = [] }: ListQuery): Order {
  if (newestBy === undefined) return { column: 'ord', index: null };
  const column = columnOf(kind, newestBy);
  const isBounded = range.some(({ field, from, to }) => field === newestBy && (from ?? to) !== undefined);
  assert(isBounded, 'a list ordered by a field has a range of it');
  return { column, index: `${tableOf[of]}_${column}` };
}

function alongList(of: Of, query: Ordered, filters: readonly Filter[], tags: readonly string[]): AccessPath {
  const here = [shelfOf(query, 'k'), { sql: 'k.gone = 0', values: [] }];
  return accessPathOf(query, {
    of,
    alias: 'k',
    from: `${tableOf[of]} k INDEXED BY ${tableOf[of]}_list`,
    ordered: true,
    inIndex: [...here, ...filters.filter((filter) => filter.onOrd)],
    all: [...here, ...filters, ...tags.map((tag) => tagged(of, tag, 'k'))],
  });
}

function alongField(
  of: Of,
  query: Ordered,
  filters: readonly Filter[],
  tags: readonly string[],
  index: string,
): AccessPath {
  // No condition for deleted records: their slots are empty.
  const here = [shelfOf(query, 'k'), ...filters.filter((filter) => filter.index === index)];
  return accessPathOf(query, {
    of,
    alias: 'k',
    from: `${tableOf[of]} k INDEXED BY ${index}`,
    index,
    ordered: filters.some((filter) => filter.index === index && filter.ordered),
    inIndex: [...here, ...filters.filter((filter) => filter.onOrd)],
    all: [
      ...here,
      ...filters.filter((filter) => filter.index !== index),
      ...tags.map((tag) => tagged(of, tag, 'k')),
    ],
  });
}

/** Of a kind without a list of its shelf: its first slot is in the index whatever it holds. */
const alongAllValues = (
  of: Of,
  query: Ordered,
  filters: readonly Filter[],
  tags: readonly string[],
): AccessPath => {
  const index = `${tableOf[of]}_f1`;
  const all: Filter = { sql: 'k.f1 IS NOT NULL', values: [], index, ordered: false, onOrd: false };
  return alongField(
    of,
    query,
    [all, ...filters.map((filter) => ({ ...filter, ordered: false }))],
    tags,
    index,
  );
};

/** The record itself is read only when a filter needs it. */
function alongTag(
  of: Of,
  query: Ordered,
  filters: readonly Filter[],
  tag: string,
  others: readonly string[],
): AccessPath {
  const onOrd = filters
    .filter((filter) => filter.onOrd)
    .map(({ sql, values }) => ({ sql: sql.replaceAll('k.ord', 't.ord'), values }));
  const onRecord = filters.filter((filter) => !filter.onOrd);
  const here = [shelfOf(query, 't'), { sql: 't.tag = ?', values: [tag] }, ...onOrd];
  const record = onRecord.length === 0 ? '' : `CROSS JOIN ${tableOf[of]} k ON k.n = t.n`;
  return accessPathOf(query, {
    of,
    alias: 't',
    from: `${tagsOf[of]} t ${record}`,
    ordered: true,
    inIndex: here,
    all: [...here, ...others.map((other) => tagged(of, other, 't')), ...onRecord],
  });
}

/** A record that several tags lead to is given once: the records are looked up by their numbers. */
function alongPrefix(
  of: Of,
  query: Ordered,
  filters: readonly Filter[],
  tags: readonly string[],
  prefix: string,
): AccessPath {
  const { sql, values } = joined([beginsWith('t.tag', prefix), shelfOf(query, 't')]);
  const here = { sql: `k.n IN (SELECT t.n FROM ${tagsOf[of]} t WHERE ${sql})`, values };
  const path = accessPathOf(query, {
    of,
    alias: 'k',
    from: `${tableOf[of]} k NOT INDEXED`,
    ordered: false,
    inIndex: [here],
    all: [here, ...filters, ...tags.map((tag) => tagged(of, tag, 'k'))],
  });
  return {
    ...path,
    probe: (most) => ({
      sql: `SELECT count(*) FROM (SELECT 1 FROM ${tagsOf[of]} t WHERE ${sql} LIMIT ?)`,
      values: [...values, most],
    }),
  };
}

/** A condition that no index answers. */
const onRecord = ({ sql, values }: Sql): Filter => ({
  sql,
  values,
  index: null,
  ordered: false,
  onOrd: false,
});

interface Path {
  readonly of: Of;
  /** The name of the record in its index: `k`, or `t` for a tag. */
  readonly alias: 'k' | 't';
  readonly from: string;
  /** Of a field; absent: of lists or tags. */
  readonly index?: string;
  /** Whether it returns the newest by `ord` first. */
  readonly ordered: boolean;
  /** The conditions its index alone can check. */
  readonly inIndex: readonly Sql[];
  readonly all: readonly Sql[];
}

function accessPathOf(
  { page, limit, scope, order }: Ordered,
  { of, alias, from, index, ordered, inIndex, all }: Path,
): AccessPath {
  const [found, met] = [joined(all), joined(inIndex)];
  const { column } = order;
  // a field is a column of the record, also where a tag leads to it: its range has joined the record
  const inner = `ORDER BY ${order.index === null ? alias : 'k'}.${column} DESC, ${alias}.id DESC`;
  const isOrdered = order.index === null ? ordered : index === order.index;
  const alone = alias === 't' ? `${tagsOf[of]} t` : from;
  return {
    // Across scopes each shelf has its own order.
    ordered: isOrdered && scope !== null,
    count: { sql: `SELECT count(*) FROM ${from} WHERE ${found.sql}`, values: found.values },
    page: {
      sql: `SELECT json FROM ${tableOf[of]} WHERE n IN (SELECT ${alias}.n FROM ${from} WHERE ${found.sql}
        ${inner} LIMIT ? OFFSET ?) ORDER BY ${column} DESC, id DESC`,
      values: [...found.values, limit, (page - 1) * limit],
    },
    sum: (field) => ({
      sql: `SELECT count(*), sum(${numberInJson(field)}) FROM ${tableOf[of]} k
        WHERE k.n IN (SELECT ${alias}.n FROM ${from} WHERE ${found.sql})`,
      values: found.values,
    }),
    probe: (most) => ({
      sql: `SELECT count(*) FROM (SELECT 1 FROM ${alone} WHERE ${met.sql} LIMIT ?)`,
      values: [...met.values, most],
    }),
  };
}

const joined = (parts: readonly Sql[]): Sql => ({
  sql: parts.map((part) => part.sql).join(' AND '),
  values: parts.flatMap((part) => part.values),
});

/** All shelves of a kind. Entries of a tag are few, and each is checked; the indexes of records start with
 *  the shelf and are searched shelf by shelf. */
const everyShelf = {
  k: 'k.shelf IN (SELECT n FROM shelves WHERE kind = ?)',
  t: 'EXISTS (SELECT 1 FROM shelves s WHERE s.n = t.shelf AND s.kind = ?)',
} as const;

const shelfOf = ({ kind, scope }: ListQuery, alias: Path['alias']): Sql =>
  scope === null
    ? { sql: everyShelf[alias], values: [kind] }
    : { sql: `${alias}.shelf = (SELECT n FROM shelves WHERE kind = ? AND scope = ?)`, values: [kind, scope] };

const tagged = (of: Of, tag: string, alias: string): Sql => ({
  sql: `EXISTS (SELECT 1 FROM ${tagsOf[of]} o WHERE o.shelf = ${alias}.shelf AND o.tag = ?
    AND o.ord = ${alias}.ord AND o.id = ${alias}.id)`,
  values: [tag],
});
