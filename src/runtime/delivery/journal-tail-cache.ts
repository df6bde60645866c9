/** The newest entries of one journal, as its log has committed them here: whoever follows the journal closely need not
 *  read them back.
 *  1. Holds every entry after one place, or says that it does not: never a part of them.
 *  2. What is held has been acknowledged as a row, and came without the mark of what is told again. Even so it may be
 *     the second of two, a first copy that was long on its way; the store keeps the other one. Both say the same under
 *     one key: a delivery's id comes from it, and EVENTS knows it again.
 *  3. Bounded, each log and all of a node together: whoever follows from further back reads the store. */
import type { Row } from '../../store/store.ts';

export const tailRowsMax = 512;
export const tailCharsMax = 4 * 1024 * 1024;
export const tailBudgetCharsMax = 32 * 1024 * 1024;

/** What the logs of one node may keep together. */
export class JournalTailBudget {
  private readonly charsMax: number;
  private chars = 0;

  constructor(charsMax: number = tailBudgetCharsMax) {
    this.charsMax = charsMax;
  }

  /** Whether there was room for so much more. */
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
  /** Everything after this place is here. */
  private from: number;
  /** Everything up to here was added. */
  private to: number;
  private rows: readonly Row[] = [];
  private chars = 0;

  private readonly room: JournalTailBudget;

  /** `pos`: the last place of the journal now. */
  constructor(pos: number, room: JournalTailBudget) {
    this.from = pos;
    this.to = pos;
    this.room = room;
  }

  /** Takes what a commit has added to the journal, whose last place is `pos` by now. */
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

  /** At most `limit` entries after a place; null when it takes the store to tell. */
  after(pos: number, limit: number): readonly Row[] | null {
    if (pos < this.from) return null;
    const first = this.rows.findIndex((row) => posOf(row) > pos);
    return first < 0 ? [] : this.rows.slice(first, first + limit);
  }

  /** Nobody asks for what lies up to this place again. */
  forget(pos: number): void {
    if (pos <= this.from) return;
    this.from = pos;
    this.rows = this.rows.filter((row) => posOf(row) > pos);
    const chars = charsIn(this.rows);
    this.room.gives(this.chars - chars);
    this.chars = chars;
  }

  /** Nobody asks for anything here again. */
  drop(): void {
    this.forget(Number.POSITIVE_INFINITY);
  }
}

const posOf = (row: Row): number => Number(row.body['pos']);
const charsOf = ({ body: { envelope } }: Row): number => (typeof envelope === 'string' ? envelope.length : 0);
const charsIn = (rows: readonly Row[]): number => rows.reduce((sum, row) => sum + charsOf(row), 0);
