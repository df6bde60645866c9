/** The progress of a run of many seeds: how far it is, what it found. It can be saved in a file and continued.
 *  Boundary: receives verdicts in the order of the seeds; runs nothing. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { hours, seconds, type DurationMs } from '../../src/kernel/time.ts';
import type { Break } from './breaks.ts';
import type { Run } from './simulation.ts';

const progressEveryMs = seconds(10);

export interface Range {
  readonly first: number;
  readonly count: number;
  readonly broken: Break | null;
  /** After so many it is enough; a broken build need be caught but once. */
  readonly failuresMax: number;
}

/** What is kept between two parts of one run. */
interface Kept {
  readonly first: number;
  readonly count: number;
  readonly broken: Break | null;
  ran: number;
  events: number;
  boots: number;
  lastedMs: DurationMs;
  tookMs: DurationMs;
  failures: Pick<Run, 'seed' | 'wrong'>[];
}

/** What one more verdict gives to say. */
export interface Told {
  readonly progress: string | null;
  readonly failure: string | null;
}

export class Tale {
  readonly #range: Range;
  readonly #file: string | null;
  readonly #kept: Kept;
  readonly #began = performance.now();
  /** Of earlier parts. */
  readonly #ranBefore: number;
  readonly #tookBeforeMs: DurationMs;
  #saidAt = this.#began;

  private constructor(range: Range, file: string | null, kept: Kept) {
    this.#range = range;
    this.#file = file;
    this.#kept = kept;
    [this.#ranBefore, this.#tookBeforeMs] = [kept.ran, kept.tookMs];
  }

  /** Starts, or continues with the file's contents. Throws when these are of another range or build. */
  static begin(range: Range, file: string | null): Tale {
    const { first, count, broken } = range;
    const fresh: Kept = {
      first,
      count,
      broken,
      ran: 0,
      events: 0,
      boots: 0,
      lastedMs: 0,
      tookMs: 0,
      failures: [],
    };
    if (file === null || !existsSync(file)) return new Tale(range, file, fresh);
    const kept = JSON.parse(readFileSync(file, 'utf8')) as Kept;
    if (kept.first === first && kept.count === count && kept.broken === broken)
      return new Tale(range, file, kept);
    throw new Error(
      `${file} is of ${kept.count} seeds from ${kept.first} on, build ${kept.broken ?? 'good'}: ` +
        'ask for the same or name another file',
    );
  }

  get failures(): Kept['failures'] {
    return this.#kept.failures;
  }

  /** The seeds without a result. */
  get rest(): Pick<Range, 'first' | 'count'> {
    const { first, count, ran } = this.#kept;
    return this.over ? { first, count: 0 } : { first: first + ran, count: count - ran };
  }

  get over(): boolean {
    const { broken, failuresMax } = this.#range;
    const enough = broken === null ? failuresMax : 1;
    return this.#kept.ran === this.#kept.count || this.failures.length >= enough;
  }

  hear({ seed, wrong, events, boots, lastedMs }: Run): Told {
    const kept = this.#kept;
    kept.ran += 1;
    kept.events += events;
    kept.boots += boots;
    kept.lastedMs += lastedMs;
    if (wrong !== null) this.failures.push({ seed, wrong });
    const now = performance.now();
    const due = now >= this.#saidAt + progressEveryMs;
    if (due) {
      this.#saidAt = now;
      this.save();
    }
    return {
      progress: due ? this.#progress() : null,
      failure: wrong === null ? null : this.#failure(seed, wrong),
    };
  }

  /** Keeps how far it has come, where a file was named. */
  save(): void {
    const kept = this.#kept;
    kept.tookMs = Math.round(this.#tookBeforeMs + performance.now() - this.#began);
    if (this.#file === null) return;
    // whole or not at all
    writeFileSync(`${this.#file}.new`, JSON.stringify(kept));
    renameSync(`${this.#file}.new`, this.#file);
  }

  summary(): string {
    const { ran, events, boots, lastedMs, broken, tookMs } = this.#kept;
    const took = tookMs / 1000;
    const found = this.failures.length === 0 ? 'clean' : `${this.failures.length} failed`;
    return (
      `${ran} seeds in ${took.toFixed(1)} s (${rateOf(ran / took)} seeds/s, ${Math.round(events / took)} events/s, ` +
      `${boots} process starts, ${Math.round(lastedMs / hours(1))} h of their time), build ${broken ?? 'good'}: ${found}`
    );
  }

  #failure(seed: number, { rule, what }: NonNullable<Run['wrong']>): string {
    const { broken } = this.#range;
    const build = broken === null ? '' : ` --break ${broken}`;
    const again = `npm run simulate -- --seed ${seed} --seeds 1${build} --trace`;
    return `seed ${seed}: ${rule}\n  ${what}\n  again, with all that happened: ${again}`;
  }

  #progress(): string {
    const { first, ran, count } = this.#kept;
    const rate = (1000 * (ran - this.#ranBefore)) / (performance.now() - this.#began);
    const left = Math.ceil((count - ran) / rate / 60);
    return (
      `${ran} of ${count} seeds, up to ${first + ran - 1}: ${this.failures.length} failed, ` +
      `${rateOf(rate)} seeds/s, about ${left} min left`
    );
  }
}

const rateOf = (rate: number): string => rate.toFixed(rate < 20 ? 1 : 0);
