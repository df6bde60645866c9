/** A cache with a time to live (TTL).
 *  1. Nothing older than `rememberedMsMax` is returned: a change takes effect within 5 s on every node.
 *  2. One read per key at a time, for all callers; reads under way and keys in memory are bounded. Keys
 *     with no value have their own bound: however many are tried, they evict no other key. */
import { seconds, type DurationMs, type Instant } from '../../../src/kernel/time.ts';
import { StoreUnresponsive } from '../route/reading.ts';

/** Maximum age of an answer. */
export const rememberedMsMax: DurationMs = seconds(4);
/** From this age on it is refreshed in the background. */
const renewAfterMs: DurationMs = seconds(2);
/** Shorter, because a missing value may soon exist. */
const absentMsMax: DurationMs = seconds(1);
export const keysMax = 10_000;
export const absentKeysMax = 10_000;
const readsMax = 1_000;

/** The value at a key; null when there is none. `before`: the value found last, however old, if it is still
 *  in memory. Rejects when it cannot be read. */
export type ReadKey<Found> = (key: string, before: Found | null) => Promise<Found | null>;

/** Too many keys are being read at once. */
export class TooManyReads extends StoreUnresponsive {
  constructor() {
    super('too many reads under way');
  }
}

interface Entry<Found> {
  readonly found: Found;
  readonly at: Instant;
}

export class TtlCache<Found extends object | string | number> {
  private readonly read: ReadKey<Found>;
  private readonly now: () => Instant;
  /** Oldest entry first. */
  private readonly entries = new Map<string, Entry<Found>>();
  /** When the key was found to have no value; oldest entry first. */
  private readonly absent = new Map<string, Instant>();
  private readonly reads = new Map<string, Promise<Found | null>>();
  private readonly entriesMax: number;

  /** `now` is real time. `entriesMax`: fewer for large values. */
  constructor(read: ReadKey<Found>, now: () => Instant, entriesMax: number = keysMax) {
    this.read = read;
    this.now = now;
    this.entriesMax = entriesMax;
  }

  /** Rejects when the store does not answer, and with TooManyReads. */
  async get(key: string): Promise<Found | null> {
    const known = this.known(key);
    return known === undefined ? this.look(key) : known;
  }

  /** The result of `get` when no read has to be awaited: avoids a promise on the busiest path. Undefined
   *  when there is none. */
  known(key: string, now = this.now()): Found | null | undefined {
    const entry = this.entries.get(key);
    if (entry === undefined) return this.isAbsent(key, now) ? null : undefined;
    const age = now - entry.at;
    if (age < 0 || age > rememberedMsMax) return undefined;
    if (age > renewAfterMs) void this.look(key).catch(() => undefined);
    return entry.found;
  }

  /** All keys by default. */
  forget(key?: string): void {
    for (const kept of [this.reads, this.entries, this.absent])
      if (key === undefined) kept.clear();
      else kept.delete(key);
  }

  /** The keys whose values are concerned. What is being read now may be: it is not kept. */
  forgetWhere(concerned: (found: Found) => boolean): void {
    this.reads.clear();
    for (const [key, { found }] of this.entries) if (concerned(found)) this.entries.delete(key);
  }

  private isAbsent(key: string, now: Instant): boolean {
    const at = this.absent.get(key);
    return at !== undefined && now >= at && now - at <= absentMsMax;
  }

  private look(key: string): Promise<Found | null> {
    const underWay = this.reads.get(key);
    if (underWay !== undefined) return underWay;
    if (this.reads.size >= readsMax) return Promise.reject(new TooManyReads());
    const at = this.now();
    const reading: Promise<Found | null> = this.read(key, this.entries.get(key)?.found ?? null)
      .then((found) => {
        // a read that began before the invalidation may hold the old value
        if (this.reads.get(key) === reading) this.keep(key, found, at);
        return found;
      })
      .finally(() => {
        if (this.reads.get(key) === reading) this.reads.delete(key);
      });
    this.reads.set(key, reading);
    return reading;
  }

  private keep(key: string, found: Found | null, at: Instant): void {
    this.entries.delete(key);
    this.absent.delete(key);
    if (found === null) keepNewest(this.absent, key, at, absentKeysMax);
    else keepNewest(this.entries, key, { found, at }, this.entriesMax);
  }
}

function keepNewest<Value>(kept: Map<string, Value>, key: string, value: Value, max: number): void {
  kept.set(key, value);
  const [oldest] = kept.keys();
  if (kept.size > max && oldest !== undefined) kept.delete(oldest);
}
