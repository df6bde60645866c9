/** What was read a moment ago and is believed a moment longer.
 *  1. Nothing older than `rememberedMsMax` is answered: what changed is felt within 5 s on every node.
 *  2. One read per key at a time, whoever asks; reads under way and keys in memory are bounded. */
import { seconds, type DurationMs, type Instant } from '../../src/kernel/time.ts';
import { rememberedMsMax } from './access/auth.ts';
import { StoreSilent } from './route/reading.ts';

const renewAfterMs: DurationMs = seconds(2);
/** What is not there may be there soon. */
const absentMsMax: DurationMs = seconds(1);
export const keysMax = 10_000;
const readsMax = 1_000;

interface Entry<Found> {
  readonly found: Found | null;
  readonly at: Instant;
}

export class TtlCache<Found> {
  private readonly read: (key: string) => Promise<Found | null>;
  private readonly now: () => Instant;
  /** The longest known first. */
  private readonly entries = new Map<string, Entry<Found>>();
  private readonly reads = new Map<string, Promise<Found | null>>();
  private epoch = 0;

  /** `now` is real time. */
  constructor(read: (key: string) => Promise<Found | null>, now: () => Instant) {
    this.read = read;
    this.now = now;
  }

  /** Rejects when the store is silent, or with too many reads under way. */
  async get(key: string): Promise<Found | null> {
    const known = this.entries.get(key);
    const age = known === undefined ? Number.POSITIVE_INFINITY : this.now() - known.at;
    const ageMax = known?.found === null ? absentMsMax : rememberedMsMax;
    if (known === undefined || age < 0 || age > ageMax) return this.look(key);
    if (age > renewAfterMs) void this.look(key).catch(() => undefined);
    return known.found;
  }

  /** All of them unless told which. */
  forget(key?: string): void {
    this.epoch++;
    this.reads.clear();
    if (key === undefined) this.entries.clear();
    else this.entries.delete(key);
  }

  private look(key: string): Promise<Found | null> {
    const underWay = this.reads.get(key);
    if (underWay !== undefined) return underWay;
    if (this.reads.size >= readsMax) return Promise.reject(new StoreSilent('too many reads under way'));
    const { epoch } = this;
    const at = this.now();
    const reading = this.read(key)
      .then((found) => {
        // what was read before something was forgotten may be what was to be forgotten
        if (epoch === this.epoch) this.keep(key, { found, at });
        return found;
      })
      .finally(() => {
        if (this.reads.get(key) === reading) this.reads.delete(key);
      });
    this.reads.set(key, reading);
    return reading;
  }

  private keep(key: string, entry: Entry<Found>): void {
    this.entries.delete(key);
    this.entries.set(key, entry);
    if (this.entries.size <= keysMax) return;
    for (const oldest of this.entries.keys()) {
      this.entries.delete(oldest);
      return;
    }
  }
}
