/** What was committed and may not be in the tables yet, as the event loop holds it: the texts that reads by id are
 *  answered with, and the kinds of which lists need the log to be applied first.
 *  1. A text is here from before its commit is acknowledged until the tables have it. */
import type { LogPosition } from './sqlite-writer.ts';
import type { Of } from './sqlite-schema.ts';

/** `json` null: only that it was written. Of an insert-only row the tables may hold an earlier copy, which counts. */
export interface Recent {
  readonly json: string | null;
}

interface Entry {
  readonly seq: number;
  readonly of: Of;
  readonly kind: string;
  readonly id: string;
  readonly json: string | null;
}

export class RecentWrites {
  readonly #kinds: Readonly<Record<Of, Map<string, Map<string, Entry>>>> = { doc: new Map(), row: new Map() };
  /** In order of their commits, from `#first` on; older ones of a record stay until their turn. */
  #entries: Entry[] = [];
  #first = 0;
  /** The number of the newest commit here, and up to which one the tables are up to date. */
  newest = 0;
  appliedUpTo = 0;

  add(of: Of, kind: string, id: string, json: string | null, { committed }: LogPosition): void {
    const entry = { seq: committed, of, kind, id, json };
    this.newest = committed;
    this.#entries.push(entry);
    const kinds = this.#kinds[of];
    const ofKind = kinds.get(kind);
    if (ofKind === undefined) kinds.set(kind, new Map([[id, entry]]));
    else ofKind.set(id, entry);
  }

  get(of: Of, kind: string, id: string): Recent | undefined {
    return this.#kinds[of].get(kind)?.get(id);
  }

  /** Whether a record of this kind, or of any, may not be in the tables yet. */
  has(of: Of, kind?: string): boolean {
    const kinds = this.#kinds[of];
    return kind === undefined ? kinds.size > 0 : kinds.has(kind);
  }

  /** Hears from an answer of the writer up to where the tables are up to date; returns that answer. */
  applied<Answer extends LogPosition>(answer: Answer): Answer {
    const { appliedUpTo } = answer;
    this.appliedUpTo = appliedUpTo;
    for (; this.#first < this.#entries.length; this.#first++) {
      const entry = this.#entries[this.#first];
      if (entry === undefined || entry.seq > appliedUpTo) break;
      const { of, kind, id } = entry;
      const ofKind = this.#kinds[of].get(kind);
      // a later commit may have written it again
      if (ofKind?.get(id) === entry) ofKind.delete(id);
      if (ofKind?.size === 0) this.#kinds[of].delete(kind);
    }
    if (this.#first * 2 >= this.#entries.length) {
      this.#entries = this.#entries.slice(this.#first);
      this.#first = 0;
    }
    return answer;
  }
}
