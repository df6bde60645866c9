/** What crosses between the event loop and the store's workers: records as flat lists of plain values.
 *  Boundary: the event loop builds them (JSON included), the writer binds them; no database here.
 *  1. The text is the record; every other value of a record is a copy for database queries. */
import { assert, BrokenInvariant } from '../kernel/assert.ts';
import type { Bindable } from './sqlite-bind.ts';
import type { Slots } from './sqlite-schema.ts';
import type { Doc, Row, Write } from './store.ts';

/** A field as lists filter by it; undefined stands for an object or a list, which equal nothing. */
export type Field = string | number | boolean | null | undefined;

/** The head is common to documents and rows: kind, id, scope, ord, gone, tags as JSON (null = none),
 *  indexed fields (null = in no list), the whole as JSON, v. */
export type Head = readonly [
  kind: string,
  id: string,
  scope: string,
  ord: number,
  gone: boolean,
  tags: string | null,
  fields: readonly Field[] | null,
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
export type WriteRecord = readonly [expect: number, doc: DocRecord, rows: readonly RowRecord[]];

export function writeRecord(write: Write, docSlots: Slots, rowSlots: Slots): WriteRecord {
  return [write.expect, docRecord(write.doc, docSlots), write.rows.map((row) => rowRecord(row, rowSlots))];
}

function docRecord(doc: Doc, slots: Slots): DocRecord {
  const shown = doc.gone ? null : doc.body;
  const ord = doc.gone ? doc.at : doc.created;
  return [headOf(doc, ord, shown, slots), doc.e, doc.clock, doc.wake, doc.timers.length, doc.busy];
}

export function rowRecord(row: Row, slots: Slots): RowRecord {
  return [headOf(row, placeOf(row), row.gone ? null : row.body, slots), row.once];
}

function headOf(record: Doc | Row, ord: number, body: Doc['body'], slots: Slots): Head {
  const names = slots.get(record.kind);
  if (names === undefined) throw new BrokenInvariant(`the store has a collection ${record.kind}`);
  return [
    record.kind,
    record.id,
    record.scope,
    ord,
    body === null,
    body === null || record.tags.length === 0 ? null : JSON.stringify(record.tags),
    body === null ? null : names.map((name) => (name === 'created' ? record.created : fieldOf(body, name))),
    JSON.stringify(record),
    record.v,
  ];
}

function placeOf(row: Row): number {
  if (row.kind !== 'journal') return row.created;
  const pos = row.body['pos'];
  assert(typeof pos === 'number', 'a journal entry has its place');
  return pos;
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
