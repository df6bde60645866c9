/** How the writer makes records of its tables from documents and rows: the values of their columns.
 *  Boundary: no database here.
 *  1. The text is the record; every other value of a record is a copy for database queries. */
import type { Bindable } from './sqlite-bind.ts';
import { noIndexes, placeOf, type Slot, type Slots } from './sqlite-schema.ts';
import type { Doc, Row } from './store.ts';

/** A field as lists filter by it; undefined stands for an object or a list, which equal nothing. */
export type Field = string | number | boolean | null | undefined;

/** The head is common to documents and rows: kind, id, scope, ord, gone, tags as JSON (null = none), what the slots
 *  hold (null = in no list), the whole as JSON, v. */
export type Head = readonly [
  kind: string,
  id: string,
  scope: string,
  ord: number,
  gone: boolean,
  tags: string | null,
  fields: readonly Bindable[] | null,
  json: string,
  v: number,
];
export type DocRecord = readonly [
  head: Head,
  e: number,
  clock: string | null,
  wake: number | null,
  timers: number,
  busy: boolean,
];
export type RowRecord = readonly [head: Head, once: boolean];

/** The record of a document, which is stored as `json`. */
export function docRecord(doc: Doc, json: string, slots: Slots): DocRecord {
  const shown = doc.gone ? null : doc.body;
  const ord = doc.gone ? doc.at : doc.created;
  return [headOf(doc, json, ord, shown, slots), doc.e, doc.clock, doc.wake, doc.timers.length, doc.busy];
}

/** The record of a row, which is stored as `json`. */
export function rowRecord(row: Row, json: string, slots: Slots): RowRecord {
  return [headOf(row, json, placeOf(row), row.gone ? null : row.body, slots), row.once];
}

function headOf(record: Doc | Row, json: string, ord: number, body: Doc['body'], slots: Slots): Head {
  // an older build may have left a text of a kind that this one does not have
  const { slots: indexed } = slots.get(record.kind) ?? noIndexes;
  return [
    record.kind,
    record.id,
    record.scope,
    ord,
    body === null,
    body === null || record.tags.length === 0 ? null : JSON.stringify(record.tags),
    body === null ? null : indexed.map((slot) => slotOf(record.created, body, slot)),
    json,
    record.v,
  ];
}

/** NULL: the record is not looked for by this field. */
function slotOf(created: number, body: NonNullable<Doc['body']>, { field, only }: Slot): Bindable {
  if (only !== null) {
    const value = fieldOf(body, only.field);
    if (typeof value !== 'string' || !only.values.includes(value)) return null;
  }
  return field === 'created' ? created : cellOf(fieldOf(body, field));
}

function fieldOf(body: NonNullable<Doc['body']>, name: string): Field {
  // A body is input: only own properties are read, never inherited ones.
  const value = Object.hasOwn(body, name) ? body[name] : null;
  return typeof value === 'object' && value !== null ? undefined : value;
}

const nothing = Buffer.from([]);
const no = Buffer.from([0]);
const yes = Buffer.from([1]);
const nested = Buffer.from([2]);

/** The value a slot holds for a field. Null and booleans are bytes: they equal no text and no number. */
export function cellOf(field: Field): Bindable {
  switch (field) {
    case null:
      return nothing;
    case true:
      return yes;
    case false:
      return no;
    case undefined:
      return nested;
    default:
      return typeof field === 'number' && !Number.isFinite(field) ? nothing : field;
  }
}
