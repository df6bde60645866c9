/** A cache for totals and sums over many records, whose computation would cost the database more than
 *  anything else in a list.
 *  Boundary: caches values and decides when to compute one again; the caller supplies the computation.
 *  1. A total over `largeMin` records or fewer is computed each time: it is exact.
 *  2. A larger one is kept for `keptPerMade` times as long as its computation took, at least `keptMsMin` and
 *     at most `keptMsMax`, so that totals stay a small part of the database's work however many records there
 *     are. While it is kept, it is never computed twice at once.
 *  3. While a total that took longer than `slowMs` is computed again, callers get the previous value, unless
 *     that is more than twice as old as it may be kept. */
import type { DurationMs } from '../kernel/time.ts';
import type { Sum } from './store.ts';

export const largeMin = 10_000;
const keptMsMin: DurationMs = 2000;
/** An expensive total is at most twice as old as this: it may be shown for the same time again while it is
 *  recomputed. */
const keptMsMax: DurationMs = 30_000;
const keptPerMade = 20;
/** A computation no longer than this is waited for. */
const slowMs: DurationMs = 100;
export const totalsMax = 1000;

interface Kept {
  readonly sum: Sum;
  /** When its computation started, and how long it took. */
  readonly at: DurationMs;
  readonly tookMs: DurationMs;
  making: Promise<Sum> | null;
}

export class LargeTotals {
  private readonly monotonicMs: () => DurationMs;
  private readonly kept = new Map<string, Kept>();
  /** The number of records is not known yet: callers wait for the first computation. */
  private readonly first = new Map<string, Promise<Sum>>();
  /** Few records at the last computation: computing costs less than waiting for another caller's. */
  private readonly small = new Set<string>();

  constructor(monotonicMs: () => DurationMs) {
    this.monotonicMs = monotonicMs;
  }

  /** The sum for `key`; `make` computes it. Rejects when it must be computed and the computation fails. */
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
    if (kept.tookMs > slowMs && ageMs <= 2 * keptMs) {
      // the next caller that waits for it gets the error
      kept.making.catch(() => undefined);
      return kept.sum;
    }
    const sum = await kept.making;
    // a small total in progress may have started before a write that its reader has already seen
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

/** Evicts the values that were computed longest ago. */
function makeRoom(of: Map<string, unknown> | Set<string>): void {
  const oldest = of.size < totalsMax ? undefined : of.keys().next().value;
  if (oldest !== undefined) of.delete(oldest);
}
