/** How documents and rows are stored in MongoDB: the whole as one JSON text, and beside it the values the
 *  database queries.
 *  Boundary: pure; the only file that knows the stored shape.
 *  1. The text is the record, byte for byte. BSON could not preserve it: keys are chosen by merchants ($,
 *     dots, __proto__, NUL, empty), numbers would lose their type, half a surrogate would become another
 *     character.
 *  2. Everything beside the text is a copy made from it in the same write; a record is read from its text
 *     alone, except `busy`, which may be taken away without writing the text again (mongo-settle.ts).
 *  3. `shelf` (the scope), `ord`, `f` and `tags` exist only while lists may show the record.
 *  4. An absent field means no: no wake, no clock, not busy. So partial indexes stay as small as possible. */
import { BSON } from 'mongodb';
import { copiesOf, placeOf, type Copies } from './mongo-fields.ts';
import { DocumentUnreadable, type Doc, type Row } from './store.ts';

interface Listable {
  readonly shelf?: string;
  readonly ord?: number;
  readonly created?: number;
  readonly tags?: readonly string[];
  readonly f?: Copies;
}

export interface StoredDoc extends Listable {
  readonly _id: string;
  readonly v: number;
  readonly e: number;
  readonly tok: string;
  readonly sv: number;
  readonly slot: number;
  readonly clock?: string;
  readonly wake?: number;
  /** How many, for a test clock's count. */
  readonly timers?: number;
  readonly busy?: true;
  /** Of a tombstone: its scope and its last commit. */
  readonly goneIn?: string;
  readonly goneAt?: number;
  readonly json: string;
}

export interface StoredRow extends Listable {
  readonly _id: string;
  readonly v: number;
  readonly once?: true;
  readonly json: string;
}

/** MongoDB's limit for one document, less room for the envelope of a reply. */
const recordBytesMax = 16 * 1024 * 1024 - 64 * 1024;

/** Too large for the database, permanently. */
export class RecordTooLarge extends Error {
  override readonly name = 'RecordTooLarge';
  constructor(kind: string, bytes: number) {
    super(`a ${kind} of ${bytes} bytes cannot be stored (at most ${recordBytesMax})`);
  }
}

export interface Sized<Stored> {
  readonly stored: Stored;
  readonly bytes: number;
}

export function storedDoc(doc: Doc): Sized<StoredDoc> {
  return sized(doc.kind, {
    _id: doc.id,
    v: doc.v,
    e: doc.e,
    tok: doc.tok,
    sv: doc.sv,
    slot: doc.slot,
    ...(doc.clock === null ? {} : { clock: doc.clock }),
    ...(doc.wake === null ? {} : { wake: doc.wake }),
    ...(doc.timers.length === 0 ? {} : { timers: doc.timers.length }),
    ...(doc.busy ? { busy: true as const } : {}),
    ...(doc.gone ? { goneIn: doc.scope, goneAt: doc.at } : {}),
    ...listable(doc, doc.gone ? null : doc.body),
    json: JSON.stringify(doc),
  });
}

export function storedRow(row: Row): Sized<StoredRow> {
  return sized(row.kind, {
    _id: row.id,
    v: row.v,
    ...(row.once ? { once: true as const } : {}),
    ...listable(row, row.gone ? null : row.body),
    json: JSON.stringify(row),
  });
}

function listable(record: Doc | Row, shown: Doc['body']): Listable {
  if (shown === null) return {};
  return {
    shelf: record.scope,
    ord: placeOf(record),
    ...(record.kind === 'journal' ? { created: record.created } : {}),
    ...(record.tags.length === 0 ? {} : { tags: record.tags }),
    f: copiesOf(shown),
  };
}

function sized<Stored extends StoredDoc | StoredRow>(kind: string, stored: Stored): Sized<Stored> {
  const bytes = BSON.calculateObjectSize(stored);
  if (bytes > recordBytesMax) throw new RecordTooLarge(kind, bytes);
  return { stored, bytes };
}

/** The record in a stored document. Throws DocumentUnreadable when it holds none of this kind. */
export function recordIn<Item extends Doc | Row>(kind: string, stored: unknown): Item {
  const {
    _id: id,
    json,
    busy,
  } = Object(stored) as { readonly _id?: unknown; readonly json?: unknown; readonly busy?: unknown };
  const unreadable = (why: string): DocumentUnreadable =>
    new DocumentUnreadable(`${kind} ${String(id)} cannot be read: ${why}`);
  if (typeof json !== 'string') throw unreadable('it holds no text');
  let parsed: unknown;
  try {
    parsed = JSON.parse(json);
  } catch {
    throw unreadable('its text is not JSON');
  }
  if (!isRecord(kind, id, parsed)) throw unreadable(`its text is not of this ${kind}`);
  // The rest is trusted as its writer stored it.
  const item = parsed as Item;
  return busy === undefined && 'busy' in item && item.busy ? { ...item, busy: false } : item;
}

function isRecord(kind: string, id: unknown, parsed: unknown): boolean {
  if (typeof parsed !== 'object' || parsed === null) return false;
  const { kind: itsKind, id: itsId, v, body } = parsed as { readonly [name: string]: unknown };
  return itsKind === kind && itsId === id && typeof v === 'number' && typeof body === 'object';
}
