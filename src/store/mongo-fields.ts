/** The values of a stored record that lists can filter by, copied from its JSON, and a list's filters on
 *  those copies.
 *  Boundary: pure; no database. `f` holds a body's top-level fields, `ord` the number lists are ordered by.
 *  1. A field name that is not a plain word is refused in a filter and left out of the copies, so it never
 *     becomes a path or an operator.
 *  2. Values are compared only within their type: text with text, number with number; null equals only
 *     null and an absent field.
 *  3. A long text is kept as its beginning and a hash of the whole: it equals only itself, and ranges order
 *     it by its beginning. */
import { createHash } from 'node:crypto';
import { assert } from '../kernel/assert.ts';
import { afterPrefix, type Doc, type ListQuery, type Row } from './store.ts';

/** A copied value. An object or a list is copied as an empty object: it is present, and equals nothing. */
export type Copied = string | number | boolean | { readonly [name: string]: never };
export type Copies = { readonly [field: string]: Copied };

/** Longer texts are cut in the copy; the JSON beside it holds the whole text. */
const textCharsMax = 300;
const textCharsKept = textCharsMax - 63;
const nested: Copied = {};

/** A field name must be a plain word. */
export const isFieldName = (name: string): boolean => /^[A-Za-z][A-Za-z0-9_]{0,99}$/.test(name);

/** The copy of a body's top-level fields; null values are left out, like absent ones. */
export function copiesOf(body: NonNullable<Doc['body']>): Copies {
  const copies: [string, Copied][] = [];
  for (const [name, value] of Object.entries(body)) {
    if (value === null || value === undefined || !isFieldName(name)) continue;
    copies.push([name, typeof value === 'object' ? nested : copyOf(value)]);
  }
  return Object.fromEntries(copies);
}

const copyOf = <Value extends string | number | boolean>(value: Value): Value | string =>
  typeof value === 'string' ? shortened(value) : value;

/** One char longer than any text kept whole. */
function shortened(text: string): string {
  if (text.length <= textCharsMax) return text;
  return text.slice(0, textCharsKept) + createHash('sha256').update(text).digest('hex');
}

/** The path of a field in the stored record. A journal is ordered by position, anything else by creation. */
export function pathOf(kind: string, field: string): string {
  assert(isFieldName(field), `a list's field is a plain word: ${JSON.stringify(field)}`);
  if (field === (kind === 'journal' ? 'pos' : 'created')) return 'ord';
  return field === 'created' ? 'created' : `f.${field}`;
}

/** The number by which lists of a record's kind are ordered. */
export function placeOf(record: Doc | Row): number {
  if (record.kind !== 'journal') return record.created;
  const pos = record.body?.['pos'];
  assert(typeof pos === 'number', 'a journal entry has its place');
  return pos;
}

export interface MongoFilter {
  readonly [path: string]: unknown;
}

/** The filter of a list; null when nothing can match. Throws BrokenInvariant for a field name that is not a
 *  plain word. */
export function filterOf(query: ListQuery): MongoFilter | null {
  const { kind, scope, equals = {}, anyOf = {}, range = [], tags = [], tagPrefix } = query;
  const parts: [path: string, condition: unknown][] = [
    ['shelf', scope ?? { $gt: '' }],
    ...Object.entries(equals).map(([field, value]): [string, unknown] => [
      pathOf(kind, field),
      value === null ? null : copyOf(value),
    ]),
    ...Object.entries(anyOf).map(([field, values]): [string, unknown] => [
      pathOf(kind, field),
      { $in: [...new Set(values)].map(copyOf) },
    ]),
    ...range.flatMap(({ field, from, to }): [string, unknown][] => {
      const within = between(from, to);
      const path = pathOf(kind, field);
      return within === null ? [] : [[path, within]];
    }),
  ];
  const [tag, ...more] = new Set(tags);
  if (tag !== undefined) parts.push(['tags', more.length === 0 ? tag : { $all: [tag, ...more] }]);
  // both bounds for one and the same tag
  if (tagPrefix !== undefined)
    parts.push(['tags', { $elemMatch: { $gte: tagPrefix, $lt: afterPrefix(tagPrefix) } }]);
  return Object.values(anyOf).some((values) => values.length === 0) ? null : joined(parts);
}

/** From inclusive, to exclusive, among values of the same type as the ends; null without ends. */
function between(from: number | string | undefined, to: number | string | undefined): MongoFilter | null {
  if (from === undefined && to === undefined) return null;
  assert(from === undefined || to === undefined || typeof from === typeof to, 'a range has ends of one sort');
  return {
    ...(from === undefined ? {} : { $gte: copyOf(from) }),
    ...(to === undefined ? {} : { $lt: copyOf(to) }),
  };
}

/** If two conditions use the same path, both apply. */
function joined(parts: readonly (readonly [path: string, condition: unknown])[]): MongoFilter {
  const paths = new Set(parts.map(([path]) => path));
  if (paths.size === parts.length) return Object.fromEntries(parts);
  return { $and: parts.map(([path, condition]) => ({ [path]: condition })) };
}
