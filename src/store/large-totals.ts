/** Totals and sums over so many records that making them costs the database more than anything else in a list.
 *  Boundary: remembers and decides when to make one anew; how, is told.
 *  1. One over `largeMin` records or fewer is made each time: it is exact.
 *  2. A larger one is kept for `keptMsMin`, or for `keptPerMade` times as long as it took: making it stays a small
 *     part of the database's work however many records there are. It is never made twice at once.
 *  3. While a dear one is made anew, whoever asks has the one before: no list waits for it twice. */
import type { DurationMs } from '../kernel/time.ts';
import type { Sum } from './store.ts';

export const largeMin = 10_000;
const keptMsMin: DurationMs = 2000;
/** What is dear is at most twice as old: as long again it may be shown while, or until, it is made anew. */
const keptMsMax: DurationMs = 30_000;
const keptPerMade = 20;
/** What takes no longer is waited for. */
const dearMs: DurationMs = 100;
export const totalsMax = 1000;

interface Kept {
  readonly sum: Sum;
  /** When making it began, and how long that took. */
  readonly at: DurationMs;
  readonly tookMs: DurationMs;
  making: Promise<Sum> | null;
}

export class LargeTotals {
  private readonly monotonicMs: () => DurationMs;
  private readonly kept = new Map<string, Kept>();
  /** Nobody knows yet how many they are: whoever asks meanwhile waits for the first who did. */
  private readonly first = new Map<string, Promise<Sum>>();
  /** Were few at last: making one costs less than waiting for another's. */
  private readonly small = new Set<string>();

  constructor(monotonicMs: () => DurationMs) {
    this.monotonicMs = monotonicMs;
  }

  /** The sum `key` stands for; `make` makes it. Rejects when it has to be made and cannot. */
  async of(key: string, make: () => Promise<Sum>): Promise<Sum> {
    const kept = this.kept.get(key);
    if (kept === undefined) return this.small.has(key) ? this.made(key, make) : this.firstOf(key, make);
    const ageMs = this.monotonicMs() - kept.at;
    const keptMs = Math.min(keptMsMax, Math.max(keptMsMin, keptPerMade * kept.tookMs));
    if (ageMs <= keptMs) return kept.sum;
    const isMine = kept.making === null;
    kept.making ??= this.made(key, make).finally(() => {
      kept.making = null;
    });
    if (kept.tookMs > dearMs && ageMs <= 2 * keptMs) {
      // whoever waits for it next hears why
      kept.making.catch(() => undefined);
      return kept.sum;
    }
    const sum = await kept.making;
    // one that is small by now may have been begun before the write its reader has seen
    return isMine || sum.count > largeMin ? sum : this.made(key, make);
  }

  private async firstOf(key: string, make: () => Promise<Sum>): Promise<Sum> {
    const others = this.first.get(key);
    if (others !== undefined) {
      const sum = await others;
      return sum.count > largeMin ? sum : this.made(key, make);
    }
    const making = this.made(key, make).finally(() => this.first.delete(key));
    this.first.set(key, making);
    return making;
  }

  private async made(key: string, make: () => Promise<Sum>): Promise<Sum> {
    const at = this.monotonicMs();
    const sum = await make();
    if (sum.count <= largeMin) {
      this.kept.delete(key);
      this.small.delete(key);
      makeRoom(this.small);
      this.small.add(key);
    } else {
      this.small.delete(key);
      this.kept.delete(key);
      makeRoom(this.kept);
      this.kept.set(key, { sum, at, tookMs: this.monotonicMs() - at, making: null });
    }
    return sum;
  }
}

/** Gives up what was made longest ago. */
function makeRoom(of: Map<string, unknown> | Set<string>): void {
  const oldest = of.size < totalsMax ? undefined : of.keys().next().value;
  if (oldest !== undefined) of.delete(oldest);
}
