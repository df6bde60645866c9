/** The newest entries of one journal, as its log has committed them here: whoever follows the journal closely need not
 *  read them back.
 *  1. Holds every entry after one place, or says that it does not: never a part of them.
 *  2. What is held has been acknowledged as a row, and was told for the first time: of two the store keeps the first
 *     alone, so what may be the second comes from there.
 *  3. Bounded: whoever follows from further back reads the store. */
import type { Row } from '../store/store.ts';

export const freshRowsMax = 512;
export const freshCharsMax = 4 * 1024 * 1024;

export class FreshEntries {
  /** Everything after this place is here. */
  private from: number;
  /** Everything up to here was added. */
  private to: number;
  private rows: readonly Row[] = [];
  private chars = 0;

  /** `pos`: the last place of the journal now. */
  constructor(pos: number) {
    this.from = pos;
    this.to = pos;
  }

  /** Takes what a commit has added to the journal, whose last place is `pos` by now. */
  add(rows: readonly Row[], pos: number): void {
    const added = rows.filter((row) => posOf(row) > this.to && posOf(row) <= pos);
    const isWhole =
      added.length === pos - this.to && added.every((row, at) => posOf(row) === this.to + 1 + at);
    this.chars += added.reduce((sum, row) => sum + charsOf(row), 0);
    this.to = pos;
    if (isWhole && this.rows.length + added.length <= freshRowsMax && this.chars <= freshCharsMax)
      this.rows = [...this.rows, ...added];
    else this.forget(pos);
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
    this.chars = this.rows.reduce((sum, row) => sum + charsOf(row), 0);
  }
}

const posOf = (row: Row): number => Number(row.body['pos']);
const charsOf = ({ body: { envelope } }: Row): number => (typeof envelope === 'string' ? envelope.length : 0);
