/** What lists may ask of a stored record, copied out of its JSON, and a list's filters over those copies.
 *  Boundary: pure; no database. `f` holds a body's top-level fields, `ord` what lists are ordered by.
 *  1. A field's name is a plain word or refused, so it never becomes a path or an operator.
 *  2. Values equal and compare by sort: text with text, number with number, nothing with null but null.
 *  3. A long text is kept as its beginning and a hash of the whole: it equals itself alone, and ranges
 *     order it by its beginning. */
import { createHash } from 'node:crypto';
import { assert } from '../kernel/assert.ts';
import type { Doc, ListQuery, Row } from './store.ts';

/** A copied value. An object or a list is kept as an empty object: it is there, and equals nothing. */
export type Copied = string | number | boolean | { readonly [name: string]: never };
export type Copies = { readonly [field: string]: Copied };

/** Longer texts are cut for the copy; the JSON beside it holds the whole. */
const textCharsMax = 300;
const textCharsKept = textCharsMax - 63;
const nested: Copied = {};

/** Only plain words name a field. */
export const isFieldName = (name: string): boolean => /^[A-Za-z][A-Za-z0-9_]{0,99}$/.test(name);

/** The copy of a body's top-level fields; what is null is left out, as what is not there. */
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

/** Where a field lies in the stored record. A journal is ordered by place, anything else by creation. */
export function pathOf(kind: string, field: string): string {
  assert(isFieldName(field), `a list's field is a plain word: ${JSON.stringify(field)}`);
  if (field === (kind === 'journal' ? 'pos' : 'created')) return 'ord';
  return field === 'created' ? 'created' : `f.${field}`;
}

/** The number lists of a record's kind are ordered by. */
export function placeOf(record: Doc | Row): number {
  if (record.kind !== 'journal') return record.created;
  const pos = record.body?.['pos'];
  assert(typeof pos === 'number', 'a journal entry has its place');
  return pos;
}

export interface MongoFilter {
  readonly [path: string]: unknown;
}

/** The filter of a list; null when nothing can match. Throws BrokenInvariant for a field that is no plain word. */
export function filterOf(query: ListQuery): MongoFilter | null {
  const { kind, scope, equals = {}, anyOf = {}, range = [], tags = [] } = query;
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
  return Object.values(anyOf).some((values) => values.length === 0) ? null : joined(parts);
}

/** From inclusive, to exclusive, among values of the same sort as its ends; null without ends. */
function between(from: number | string | undefined, to: number | string | undefined): MongoFilter | null {
  if (from === undefined && to === undefined) return null;
  assert(from === undefined || to === undefined || typeof from === typeof to, 'a range has ends of one sort');
  return {
    ...(from === undefined ? {} : { $gte: copyOf(from) }),
    ...(to === undefined ? {} : { $lt: copyOf(to) }),
  };
}

/** A path asked about twice keeps both conditions. */
function joined(parts: readonly (readonly [path: string, condition: unknown])[]): MongoFilter {
  const paths = new Set(parts.map(([path]) => path));
  if (paths.size === parts.length) return Object.fromEntries(parts);
  return { $and: parts.map(([path, condition]) => ({ [path]: condition })) };
}
