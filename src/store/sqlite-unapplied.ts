/** What was committed and is not in the tables yet, as the writer's thread holds it: the newest text of each record.
 *  1. Everything here is in the log, so it is on disk.
 *  2. It is applied in portions: what is committed while one is being applied belongs to the next one. Of an
 *     insert-only row the first text counts, of everything else the newest. */
import type { Of } from './sqlite-schema.ts';

/** One record to apply. */
export interface Unapplied {
  readonly of: Of;
  readonly kind: string;
  readonly id: string;
  readonly v: number;
  /** Epoch of a document; 0 for a row. */
  readonly e: number;
  readonly once: boolean;
  readonly json: string;
}

/** The texts of commits up to one number, in the order in which their records were first written. */
export interface Portion {
  readonly upTo: number;
  readonly records: readonly Unapplied[];
}

const nameOf = (of: Of, kind: string, id: string): string => `${of} ${kind} ${id}`;

/** Records by name, in order of their first write. */
export class Records {
  readonly #named = new Map<string, Unapplied>();
  chars = 0;

  get(of: Of, kind: string, id: string): Unapplied | undefined {
    return this.#named.get(nameOf(of, kind, id));
  }

  put(record: Unapplied): void {
    const name = nameOf(record.of, record.kind, record.id);
    this.chars += record.json.length - (this.#named.get(name)?.json.length ?? 0);
    this.#named.set(name, record);
  }

  get size(): number {
    return this.#named.size;
  }

  values(): IterableIterator<Unapplied> {
    return this.#named.values();
  }
}

export class UnappliedRecords {
  #young = new Records();
  /** The portion that is being applied, and the same by name. */
  #portion: Portion | null = null;
  #old = new Records();
  /** When the oldest commit of the younger records was made. */
  #youngSince: number | null = null;
  #upTo = 0;

  get(of: Of, kind: string, id: string): Unapplied | undefined {
    return this.#young.get(of, kind, id) ?? this.#old.get(of, kind, id);
  }

  /** Adds what the commit of this number has written; `now` in milliseconds of a monotonic clock. */
  add(records: Records, upTo: number, now: number): void {
    this.#youngSince ??= now;
    this.#upTo = upTo;
    for (const record of records.values()) this.#young.put(record);
  }

  get isEmpty(): boolean {
    return this.#portion === null && this.#young.size === 0;
  }

  get chars(): number {
    return this.#young.chars + this.#old.chars;
  }

  /** Whether a portion has been begun. */
  get inPortion(): boolean {
    return this.#portion !== null;
  }

  /** For how long its oldest record may have waited that no portion has taken yet. */
  waitedMs(now: number): number {
    return this.#youngSince === null ? 0 : now - this.#youngSince;
  }

  /** The portion to be applied next; null when there is none. */
  portion(): Portion | null {
    if (this.#portion !== null || this.#young.size === 0) return this.#portion;
    this.#old = this.#young;
    this.#young = new Records();
    this.#youngSince = null;
    this.#portion = { upTo: this.#upTo, records: [...this.#old.values()] };
    return this.#portion;
  }

  /** What the tables get for a record of the portion: a later commit may hold a newer text of it. */
  newestOf(record: Unapplied): Unapplied {
    const { of, kind, id, once } = record;
    return once ? record : (this.#young.get(of, kind, id) ?? record);
  }

  /** The portion is in the tables. */
  applied(): void {
    this.#portion = null;
    this.#old = new Records();
  }
}
