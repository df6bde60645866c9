/** The SQL of every read: what may be asked, and along which index it is answered.
 *  Boundary: pure text and values; the reader runs it.
 *  1. Every query names its index (INDEXED BY) or is a look-up by key: none can fall back to a scan.
 *  2. Names in SQL come from this file; a list's own field names are plain words or refused.
 *  3. A list has one or more ways, each along another index; all ways give the same answer. */
import { assert } from '../kernel/assert.ts';
import { isFieldName, tableOf, tagsOf, valueInJson, type Of } from './sqlite-schema.ts';
import { cellOf } from './sqlite-wire.ts';
import type { Bindable } from './sqlite-bind.ts';
import type { ListQuery, Store } from './store.ts';

export interface Sql {
  readonly sql: string;
  readonly values: readonly Bindable[];
}

/** One way to answer a list. */
export interface Way {
  /** Whether its index yields the list's order; if not, all that match are sorted. */
  readonly ordered: boolean;
  /** Every one that matches, counted. */
  readonly count: Sql;
  /** What its index alone would yield, counted up to `most`: how dear this way is. */
  probe(most: number): Sql;
  /** The texts of one page. */
  readonly page: Sql;
}

export interface Ways {
  /** Newest first through the whole shelf. */
  readonly whole: Way;
  /** Along the index of a tag or a field. */
  readonly narrow: readonly Way[];
}

export const readSql = (of: Of): string => `SELECT json FROM ${tableOf[of]} WHERE id = ? AND kind = ?`;

export const journalSql = (scope: string, after: number, limit: number): Sql => ({
  sql: `SELECT json FROM view_rows INDEXED BY view_rows_list WHERE gone = 0 AND ord > ?
    AND shelf = (SELECT n FROM shelves WHERE kind = 'journal' AND scope = ?) ORDER BY ord, id LIMIT ?`,
  values: [after, scope, limit],
});

export function dueSql({ clock, until, limit }: Parameters<Store['due']>[0]): Sql {
  const [index, where, values] = clock === undefined ? ['docs_wake', '', []] : ['docs_clock', 'clock = ? AND', [clock]];
  return {
    sql: `SELECT kind, id, wake FROM docs INDEXED BY ${index} WHERE ${where} wake <= ? ORDER BY wake, id LIMIT ?`,
    values: [...values, until, limit],
  };
}

export const timersSql = (clock: string): Sql => ({
  sql: `SELECT coalesce(sum(timers), 0) FROM docs INDEXED BY docs_clock WHERE clock = ? AND wake IS NOT NULL`,
  values: [clock],
});

export function busySql({ clock, after, limit }: Parameters<Store['busy']>[0]): Sql {
  const [index, where, values] =
    clock === undefined ? ['docs_busy', '', []] : ['docs_clock_busy', 'clock = ? AND', [clock]];
  const { kind, id } = after ?? { kind: '', id: '' };
  return {
    sql: `SELECT kind, id FROM docs INDEXED BY ${index} WHERE ${where} busy = 1 AND (kind, id) > (?, ?)
      ORDER BY kind, id LIMIT ?`,
    values: [...values, kind, id, limit],
  };
}

/** A filter as SQL; in every one of them `k` is the record. */
interface Term extends Sql {
  /** Its column is indexed after the shelf: the index, and whether it leaves the list's order intact. */
  readonly index?: { readonly name: string; readonly ordered: boolean };
  /** It is about `ord`, which every list index has. */
  readonly onOrd?: boolean;
}

/** Every way to answer the query. `names` are the fields of its kind, by slot. Throws for a field that is no word. */
export function waysOf(of: Of, names: readonly string[], query: ListQuery): Ways {
  assert(Number.isSafeInteger(query.page) && query.page >= 1, 'pages are counted from 1');
  assert(Number.isSafeInteger(query.limit) && query.limit >= 1, 'a page holds at least one');
  const terms = termsOf(of, names, query);
  const tags = [...new Set(query.tags)];
  const along = new Set(terms.flatMap((term) => (term.index === undefined ? [] : [term.index.name])));
  return {
    whole: fieldWay(of, query, terms, tags, { name: `${tableOf[of]}_list`, ordered: true }),
    narrow: [
      ...tags.map((tag) => tagWay(of, query, terms, tag, tags.filter((other) => other !== tag))),
      ...[...along].map((name) => fieldWay(of, query, terms, tags, {
        name, ordered: terms.some((term) => term.index?.name === name && term.index.ordered),
      })),
    ],
  };
}

const joined = (parts: readonly Sql[]): Sql => ({
  sql: parts.map((part) => part.sql).join(' AND '), values: parts.flatMap((part) => part.values),
});

/** Along an index of the table itself; `index.name` is the list index or that of a field. */
function fieldWay(
  of: Of, query: ListQuery, terms: readonly Term[], tags: readonly string[], index: { name: string; ordered: boolean },
): Way {
  const narrow = terms.filter((term) => term.index?.name === index.name);
  // Slots of the gone are empty, so only the list index must be told to leave them out.
  const here = [shelfOf(query), ...(narrow.length === 0 ? [{ sql: 'k.gone = 0', values: [] }] : narrow)];
  const inIndex = joined([...here, ...terms.filter((term) => term.onOrd === true)]);
  const all = joined([
    ...here, ...terms.filter((term) => !narrow.includes(term)), ...tags.map((tag) => tagged(of, tag)),
  ]);
  return wayOf(of, query, `${tableOf[of]} k INDEXED BY ${index.name}`, index.ordered, inIndex, all);
}

/** Along one tag; the record itself is fetched only when a filter needs it. */
function tagWay(of: Of, query: ListQuery, terms: readonly Term[], tag: string, others: readonly string[]): Way {
  const here: readonly Sql[] = [
    shelfOf(query, 't'), { sql: 't.tag = ?', values: [tag] },
    ...terms.filter((term) => term.onOrd === true).map(({ sql, values }) => ({ sql: sql.replaceAll('k.', 't.'), values })),
  ];
  const rest = terms.filter((term) => term.onOrd !== true);
  const table = rest.length === 0 ? `${tagsOf[of]} t` : `${tagsOf[of]} t CROSS JOIN ${tableOf[of]} k ON k.n = t.n`;
  const all = joined([...here, ...others.map((other) => tagged(of, other, 't')), ...rest]);
  return wayOf(of, query, table, true, joined(here), all, 't');
}

function wayOf(
  of: Of, { page, limit, scope }: ListQuery, from: string, ordered: boolean, inIndex: Sql, all: Sql, alias = 'k',
): Way {
  const newestFirst = `ORDER BY ${alias}.ord DESC, ${alias}.id DESC`;
  return {
    ordered: ordered && scope !== null,
    count: { sql: `SELECT count(*) FROM ${from} WHERE ${all.sql}`, values: all.values },
    probe: (most) => ({
      sql: `SELECT count(*) FROM (SELECT 1 FROM ${alias === 't' ? `${tagsOf[of]} t` : from} WHERE ${inIndex.sql} LIMIT ?)`,
      values: [...inIndex.values, most],
    }),
    page: {
      sql: `SELECT json FROM ${tableOf[of]} WHERE n IN (
        SELECT ${alias}.n FROM ${from} WHERE ${all.sql} ${newestFirst} LIMIT ? OFFSET ?) ORDER BY ord DESC, id DESC`,
      values: [...all.values, limit, (page - 1) * limit],
    },
  };
}

const shelfOf = ({ kind, scope }: ListQuery, alias = 'k'): Sql => scope === null
  ? { sql: `${alias}.shelf IN (SELECT n FROM shelves WHERE kind = ?)`, values: [kind] }
  : { sql: `${alias}.shelf = (SELECT n FROM shelves WHERE kind = ? AND scope = ?)`, values: [kind, scope] };

const tagged = (of: Of, tag: string, alias = 'k'): Sql => ({
  sql: `EXISTS (SELECT 1 FROM ${tagsOf[of]} o WHERE o.shelf = ${alias}.shelf AND o.tag = ? AND o.ord = ${alias}.ord
    AND o.id = ${alias}.id)`,
  values: [tag],
});

function termsOf(of: Of, names: readonly string[], query: ListQuery): readonly Term[] {
  const term = (field: string, test: string, values: readonly Bindable[], ordered: boolean): Term => {
    assert(isFieldName(field), `a list's field is a plain word: ${JSON.stringify(field)}`);
    const slot = names.indexOf(field);
    // Of all but the journal the creation is what lists are ordered by.
    const onOrd = field === 'created' && slot < 0;
    const expression = onOrd ? 'k.ord' : slot < 0 ? valueInJson(field) : `k.f${slot + 1}`;
    const sql = test.replaceAll('@', () => expression);
    if (onOrd) return { sql, values, onOrd };
    return slot < 0 ? { sql, values } : { sql, values, index: { name: `${tableOf[of]}_f${slot + 1}`, ordered } };
  };
  return [
    ...Object.entries(query.equals ?? {}).map(([field, value]) => term(field, '@ = ?', [cellOf(value)], true)),
    ...Object.entries(query.anyOf ?? {}).map(([field, values]) => term(field, ...oneOf([...new Set(values)]))),
    ...(query.range ?? []).flatMap(({ field, from, to }) => {
      const bounds = boundsOf(from, to);
      return bounds.length === 0
        ? (assert(isFieldName(field), `a list's field is a plain word: ${JSON.stringify(field)}`), [])
        : [term(field, bounds.map(([sign]) => `@ ${sign} ?`).join(' AND '), bounds.map(([, value]) => value), false)];
    }),
  ];
}

/** Bytes no slot ever holds. */
const neverStored = Buffer.from([255]);

/** The test and its values for `field is one of`; of none, nothing is. */
function oneOf(values: readonly string[]): readonly [test: string, values: readonly Bindable[], ordered: boolean] {
  const [only = neverStored] = values;
  if (values.length <= 1) return ['@ = ?', [only], true];
  return [`@ IN (${values.map(() => '?').join(', ')})`, values, false];
}

const afterEveryText = Buffer.from([]);

/** SQLite orders numbers before texts before bytes; a range holds only what is of its ends' own sort. */
function boundsOf(from: number | string | undefined, to: number | string | undefined): readonly (readonly [string, Bindable])[] {
  if (from === undefined && to === undefined) return [];
  assert(from === undefined || to === undefined || typeof from === typeof to, 'both ends of a range are of one sort');
  const texts = typeof (from ?? to) === 'string';
  const low: readonly [string, Bindable] = from === undefined ? ['>=', texts ? '' : -Number.MAX_VALUE] : ['>=', from];
  const high: readonly [string, Bindable] = to === undefined ? ['<', texts ? afterEveryText : ''] : ['<', to];
  return [low, high];
}
