/** A list's filters as SQL conditions on a stored record, which all of them call `k`.
 *  Boundary: pure text and values; sqlite-access-paths.ts chooses the index.
 *  1. A field name that is not a plain word is refused; its value is always bound.
 *  2. Values are compared only within their type: text with text, number with number; null equals only
 *     null and an absent field. */
import { assert } from '../kernel/assert.ts';
import { isFieldName, ordFieldOf, tableOf, valueInJson, type KindIndexes, type Of } from './sqlite-schema.ts';
import { cellOf, type Field } from './sqlite-cells.ts';
import type { Bindable } from './sqlite-bind.ts';
import type { Sql } from './sqlite-query.ts';
import { afterPrefix, type ListQuery } from './store.ts';
import type { ValuesOf } from '../runtime/model/actor.ts';

export interface Filter extends Sql {
  /** The index that has this column after the shelf, if there is one. */
  readonly index: string | null;
  /** Whether that index, with this filter, still returns the list's order. */
  readonly ordered: boolean;
  /** The filter is on the list's sort key, which every list index contains. */
  readonly onOrd: boolean;
}

/** A condition on the value `@`. */
type Test = readonly [test: string, values: readonly Bindable[], ordered: boolean];

/** The tags that begin with a text, as bounds of `tag`. */
export const beginsWith = (tag: string, prefix: string): Sql => ({
  sql: `${tag} >= ? AND ${tag} < ?`,
  values: [prefix, afterPrefix(prefix)],
});

/** At least one tag of the record begins with the text. */
export function prefixed(prefix: string): Sql {
  const { sql, values } = beginsWith('one.value', prefix);
  return { sql: `EXISTS (SELECT 1 FROM json_each(k.tags) one WHERE ${sql})`, values };
}

/** The filters of a query except its tags. A slot that leaves out records is used only where the query leaves them out
 *  too. */
export function filtersOf(of: Of, { slots }: KindIndexes, query: ListQuery): readonly Filter[] {
  const filter = (field: string, [test, values, ordered]: Test): Filter => {
    assert(isFieldName(field), `a list's field is a plain word: ${JSON.stringify(field)}`);
    const slot = slots.findIndex(
      (one) => one.field === field && (one.only === null || isWithin(query, one.only)),
    );
    const onOrd = field === ordFieldOf(query.kind);
    const value = onOrd ? 'k.ord' : slot < 0 ? valueInJson(field) : `k.f${slot + 1}`;
    const index = slot < 0 ? null : `${tableOf[of]}_f${slot + 1}`;
    return { sql: test.replaceAll('@', () => value), values, index, ordered, onOrd };
  };
  return [
    ...Object.entries(query.equals ?? {}).map(([field, value]) => filter(field, same(value))),
    ...Object.entries(query.anyOf ?? {}).map(([field, values]) => filter(field, oneOf([...new Set(values)]))),
    ...(query.range ?? []).flatMap(({ field, from, to }) => {
      const test = between(from, to);
      return test === null ? [] : [filter(field, test)];
    }),
  ];
}

/** Whether the query asks only for records with these values. */
function isWithin({ equals = {}, anyOf = {} }: ListQuery, { field, values }: ValuesOf): boolean {
  const asked = [...(field in equals ? [equals[field]] : []), ...(anyOf[field] ?? [])];
  return asked.length > 0 && asked.every((one) => typeof one === 'string' && values.includes(one));
}

const same = (value: Field): Test => ['@ = ?', [cellOf(value)], true];

/** Bytes that no slot ever holds. */
const neverStored = Buffer.from([255]);

function oneOf(values: readonly string[]): Test {
  const [only = neverStored] = values;
  if (values.length <= 1) return ['@ = ?', [only], true];
  return [`@ IN (${values.map(() => '?').join(', ')})`, values, false];
}

// SQLite orders numbers before texts and texts before bytes.
const beforeNumbers = -Number.MAX_VALUE;
const afterNumbers = '';
const beforeTexts = '';
const afterTexts = Buffer.from([]);

/** From inclusive, to exclusive, among values of the same type as the ends. Without ends there is no
 *  condition. */
function between(from: number | string | undefined, to: number | string | undefined): Test | null {
  const end = from ?? to;
  if (end === undefined) return null;
  assert(from === undefined || to === undefined || typeof from === typeof to, 'a range has ends of one sort');
  return typeof end === 'string'
    ? ['@ >= ? AND @ < ?', [from ?? beforeTexts, to ?? afterTexts], false]
    : ['@ >= ? AND @ < ?', [from ?? beforeNumbers, to ?? afterNumbers], false];
}
