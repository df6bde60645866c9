/** What crosses from the event loop to the writer: each document and row as one JSON text behind a short head; and
 *  how the writer makes records of their tables from these texts.
 *  Boundary: no database here.
 *  1. The text is the record; every other value of a record is a copy for database queries.
 *  2. A text that leaves the event loop can be stored: what a table would refuse is refused there, because the
 *     tables are written after the acknowledgement. */
import { assert, BrokenInvariant } from '../kernel/assert.ts';
import type { Bindable } from './sqlite-bind.ts';
import { noIndexes, type Of, type Slot, type Slots } from './sqlite-schema.ts';
import type { Doc, Row, Write } from './store.ts';

/** What the writer must know of a text before its tables are written. `expect` and `e` of a document, `once` of a
 *  row; `rows`: how many of the texts that follow belong to the same write. */
export type LineHead =
  | readonly [of: 'doc', kind: string, id: string, v: number, expect: number, e: number, rows: number]
  | readonly [of: 'row', kind: string, id: string, v: number, once: 0 | 1];

/** Heads and texts in turn. A JSON text has no line break, so many of them make one text, line by line. */
export type Lines = readonly string[];

/** The lines of one write: its document, then its rows. Throws for what cannot be stored. */
export function writeLines({ expect, doc, rows }: Write, slots: Readonly<Record<Of, Slots>>): Lines {
  known(slots.doc, doc.kind);
  const numbers = [doc.v, doc.e, doc.at, doc.created, doc.wake ?? 0];
  if (!numbers.every(Number.isSafeInteger))
    throw new BrokenInvariant(`${doc.kind}/${doc.id}: versions and instants are whole numbers`);
  const head: LineHead = ['doc', doc.kind, doc.id, doc.v, expect, doc.e, rows.length];
  return [JSON.stringify(head), JSON.stringify(doc), ...rows.flatMap((row) => rowLines(row, slots))];
}

/** The two lines of a row. Throws for what cannot be stored. */
export function rowLines(row: Row, slots: Readonly<Record<Of, Slots>>): Lines {
  known(slots.row, row.kind);
  if (!row.once && slots.row.get(row.kind)?.isListed === false)
    throw new BrokenInvariant(`${row.kind}/${row.id}: what is not found by its id is written once`);
  if (![row.v, placeOf(row)].every(Number.isSafeInteger))
    throw new BrokenInvariant(`${row.kind}/${row.id}: versions, instants and places are whole numbers`);
  const head: LineHead = ['row', row.kind, row.id, row.v, row.once ? 1 : 0];
  return [JSON.stringify(head), JSON.stringify(row)];
}

function known(slots: Slots, kind: string): void {
  if (!slots.has(kind)) throw new BrokenInvariant(`the store has a collection ${kind}`);
}

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

function placeOf(row: Row): number {
  if (row.kind !== 'journal') return row.created;
  const pos = row.body['pos'];
  assert(typeof pos === 'number', 'a journal entry has its place');
  return pos;
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
