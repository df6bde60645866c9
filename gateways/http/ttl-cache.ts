/** What was read a moment ago and is believed a moment longer.
 *  1. Nothing older than `rememberedMsMax` is answered: what changed is felt within 5 s on every node.
 *  2. One read per key at a time, whoever asks; reads under way and keys in memory are bounded. Keys that lead to
 *     nothing have a bound of their own: however many are tried, none of the others is forgotten for them. */
import { seconds, type DurationMs, type Instant } from '../../src/kernel/time.ts';
import { StoreSilent } from './route/reading.ts';

/** How old an answer may be. */
export const rememberedMsMax: DurationMs = seconds(4);
/** From this age on it is renewed beside the request that uses it. */
const renewAfterMs: DurationMs = seconds(2);
/** What is not there may be there soon. */
const absentMsMax: DurationMs = seconds(1);
export const keysMax = 10_000;
export const absentKeysMax = 10_000;
const readsMax = 1_000;

/** What is there at a key; null when nothing is. `before`: what was found there last, however old, if it is still in
 *  memory. Rejects when it cannot be read. */
export type ReadKey<Found> = (key: string, before: Found | null) => Promise<Found | null>;

/** The store is asked for too many keys at once. */
export class TooManyReads extends StoreSilent {
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
  /** The longest known first. */
  private readonly entries = new Map<string, Entry<Found>>();
  /** When nothing was found there; the longest known first. */
  private readonly absent = new Map<string, Instant>();
  private readonly reads = new Map<string, Promise<Found | null>>();
  private epoch = 0;

  /** `now` is real time. */
  constructor(read: ReadKey<Found>, now: () => Instant) {
    this.read = read;
    this.now = now;
  }

  /** Rejects when the store is silent, and with TooManyReads. */
  async get(key: string): Promise<Found | null> {
    const known = this.known(key);
    return known === undefined ? this.look(key) : known;
  }

  /** What `get` would give without a read that it waits for: no promise is made where requests are most. Undefined when
   *  there is none. */
  known(key: string, now = this.now()): Found | null | undefined {
    const entry = this.entries.get(key);
    if (entry === undefined) return this.isAbsent(key, now) ? null : undefined;
    const age = now - entry.at;
    if (age < 0 || age > rememberedMsMax) return undefined;
    if (age > renewAfterMs) void this.look(key).catch(() => undefined);
    return entry.found;
  }

  /** All of them unless told which. */
  forget(key?: string): void {
    this.epoch++;
    this.reads.clear();
    for (const kept of [this.entries, this.absent])
      if (key === undefined) kept.clear();
      else kept.delete(key);
  }

  private isAbsent(key: string, now: Instant): boolean {
    const at = this.absent.get(key);
    return at !== undefined && now >= at && now - at <= absentMsMax;
  }

  private look(key: string): Promise<Found | null> {
    const underWay = this.reads.get(key);
    if (underWay !== undefined) return underWay;
    if (this.reads.size >= readsMax) return Promise.reject(new TooManyReads());
    const { epoch } = this;
    const at = this.now();
    const reading = this.read(key, this.entries.get(key)?.found ?? null)
      .then((found) => {
        // what was read before something was forgotten may be what was to be forgotten
        if (epoch === this.epoch) this.keep(key, found, at);
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
    else keepNewest(this.entries, key, { found, at }, keysMax);
  }
}

function keepNewest<Value>(kept: Map<string, Value>, key: string, value: Value, max: number): void {
  kept.set(key, value);
  const [oldest] = kept.keys();
  if (kept.size > max && oldest !== undefined) kept.delete(oldest);
}
