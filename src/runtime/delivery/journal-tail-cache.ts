/** A cache of the newest entries of one journal, as its log has committed them here: a reader that is close
 *  to the end need not read them from the store.
 *  1. Holds every entry after one position, or reports a miss: never a part of them.
 *  2. A cached entry has been acknowledged as a row, and its command did not carry the mark of a repeated
 *     copy. It may still be the second of two copies if the first was delayed for long; the store keeps the
 *     other one then. Both have the same meaning and the same key: a delivery's id is derived from the key,
 *     and EVENTS deduplicates by it.
 *  3. Bounded per log and for all logs of a node; a reader further behind reads the store. */
import type { Row } from '../../store/store.ts';

export const tailRowsMax = 512;
export const tailCharsMax = 4 * 1024 * 1024;
export const tailBudgetCharsMax = 32 * 1024 * 1024;

/** The bound for all logs of one node together. */
export class JournalTailBudget {
  private readonly charsMax: number;
  private chars = 0;

  constructor(charsMax: number = tailBudgetCharsMax) {
    this.charsMax = charsMax;
  }

  /** Takes room for this many more characters, if there is so much. */
  takes(chars: number): boolean {
    const fits = this.chars + chars <= this.charsMax;
    if (fits) this.chars += chars;
    return fits;
  }

  gives(chars: number): void {
    this.chars -= chars;
  }
}

export class JournalTailCache {
  /** Every entry after this position is here. */
  private from: number;
  /** Every entry up to here was added. */
  private to: number;
  private rows: readonly Row[] = [];
  private chars = 0;

  private readonly room: JournalTailBudget;

  /** `pos`: the last position of the journal now. */
  constructor(pos: number, room: JournalTailBudget) {
    this.from = pos;
    this.to = pos;
    this.room = room;
  }

  /** Adds the entries of one commit; `pos` is the last position of the journal after it. */
  add(rows: readonly Row[], pos: number): void {
    const added = rows.filter((row) => posOf(row) > this.to && posOf(row) <= pos);
    const isWhole =
      added.length === pos - this.to && added.every((row, at) => posOf(row) === this.to + 1 + at);
    const chars = charsIn(added);
    const fits = this.rows.length + added.length <= tailRowsMax && this.chars + chars <= tailCharsMax;
    this.to = pos;
    if (!isWhole || !fits || !this.room.takes(chars)) return this.forget(pos);
    this.rows = [...this.rows, ...added];
    this.chars += chars;
  }

  /** At most `limit` entries after a position; null when the store must be read. */
  after(pos: number, limit: number): readonly Row[] | null {
    if (pos < this.from) return null;
    const first = this.rows.findIndex((row) => posOf(row) > pos);
    return first < 0 ? [] : this.rows.slice(first, first + limit);
  }

  /** No reader needs the entries up to this position any more. */
  forget(pos: number): void {
    if (pos <= this.from) return;
    this.from = pos;
    this.rows = this.rows.filter((row) => posOf(row) > pos);
    const chars = charsIn(this.rows);
    this.room.gives(this.chars - chars);
    this.chars = chars;
  }

  /** No reader needs anything here any more. */
  drop(): void {
    this.forget(Number.POSITIVE_INFINITY);
  }
}

const posOf = (row: Row): number => Number(row.body['pos']);
const charsOf = ({ body: { envelope } }: Row): number => (typeof envelope === 'string' ? envelope.length : 0);
const charsIn = (rows: readonly Row[]): number => rows.reduce((sum, row) => sum + charsOf(row), 0);
