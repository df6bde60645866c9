/** The rows a turn writes beside its document: view rows, timeline rows, journal rows and dead letters.
 *  1. A newer row of one id replaces the older one, but an insert-only row stays. */
import type { Instant } from '../../kernel/time.ts';
import type { Doc, Row } from '../../store/store.ts';
import type { AnyActor, ViewMeta } from '../model/actor.ts';
import { bodyOf, byRow, type StoredNote } from '../model/notes.ts';
import type { Draft } from './draft.ts';

/** The assumed size of any row except an event's, whose text can be long. */
const rowBytesUsual = 512;

/** What a view receives beside the state. */
export const metaOf = (doc: Pick<Doc, 'id' | 'scope' | 'created'>): ViewMeta => ({
  id: doc.id,
  scope: doc.scope,
  createdAt: doc.created,
});

/** A row is one of its kind and id. */
export const nameOf = ({ kind, id }: { readonly kind: string; readonly id: string }): string =>
  `${kind}/${id}`;

/** What the runtime adds by itself: scope and version. */
type RowOfTurn = Omit<Row, 'owner' | 'scope' | 'v'>;

/** A body and the view built from it; null: none yet, or none any more. */
interface Became {
  readonly before: Doc['body'];
  readonly after: Doc['body'];
  readonly now: Instant;
}

export class TurnRows {
  private readonly base: Doc;
  private rows: readonly Row[] = [];
  private added = 0;

  constructor(base: Doc) {
    this.base = base;
  }

  /** Fields are replaced, never changed in place, so a copy is cheap. */
  copy(): TurnRows {
    const copy = new TurnRows(this.base);
    copy.rows = this.rows;
    copy.added = this.added;
    return copy;
  }

  get all(): readonly Row[] {
    return this.rows;
  }

  /** An estimate. */
  get bytes(): number {
    return this.added;
  }

  add(row: RowOfTurn): void {
    const { kind, id, scope } = this.base;
    // fields are listed one by one: a spread that gets more fields costs several times as much
    const whole: Row = {
      kind: row.kind,
      id: row.id,
      once: row.once,
      gone: row.gone,
      created: row.created,
      tags: row.tags,
      body: row.body,
      owner: { kind, id },
      scope,
      v: this.base.v + 1,
    };
    // an insert-only row replaces nothing: of two copies, the store keeps the first
    const others = row.once
      ? this.rows
      : this.rows.filter((other) => other.kind !== row.kind || other.id !== row.id);
    this.rows = [...others, whole];
    const { envelope } = row.body;
    this.added += typeof envelope === 'string' ? Buffer.byteLength(envelope) : rowBytesUsual;
  }

  /** Rows of the things inside: those whose sequence changed, and those that no longer exist unless they are
   *  lasting. */
  addViews({ rows: rowsOf }: AnyActor, { before, after, now }: Became): void {
    if (rowsOf === undefined) return;
    const meta = metaOf(this.base);
    const old = new Map(
      (before === null ? [] : rowsOf(before as never, meta)).map((row) => [nameOf(row), row]),
    );
    for (const row of after === null ? [] : rowsOf(after as never, meta)) {
      const known = old.get(nameOf(row));
      old.delete(nameOf(row));
      if (known?.sequence === row.sequence) continue;
      this.add({
        kind: row.kind,
        id: row.id,
        once: false,
        gone: false,
        created: row.createdAt,
        tags: row.tags,
        body: row.body as unknown as Row['body'],
      });
    }
    for (const { kind, id, lasting } of old.values()) {
      if (lasting === true) continue;
      this.add({ kind, id, once: false, gone: true, created: now, tags: [], body: {} });
    }
  }

  /** The lines of the timeline of one transition. `together`: every node reads rows with several. */
  addNotes(notes: readonly StoredNote[], now: Instant, together: boolean): void {
    const rows = together ? byRow(notes, this.base.id) : notes.map((note) => [note]);
    for (const row of rows)
      this.add({
        kind: 'timeline',
        id: `${nameOf(this.base)}:${row[0]?.eseq ?? 0}`,
        once: true,
        gone: false,
        created: now,
        tags: [],
        body: bodyOf(row),
      });
  }

  addJournal({ key, eventId, pos, event, objectId, envelope, at }: Draft['journals'][number]): void {
    this.add({
      kind: 'journal',
      id: key,
      once: true,
      gone: false,
      created: at,
      tags: [],
      body: { pos, eventId, event, objectId, envelope, at },
    });
  }
}
