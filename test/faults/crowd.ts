/** The clients' way to a cluster: it is never unavailable for all of them, so each retries by itself.
 *  Measures the effect of a fault on them: the longest wait, and when the last one ended. */
import { Line, pause } from './line.ts';

/** Nobody waits that long on a good day, even on a busy machine. */
const slowMs = 3000;
const calmMs = 1500;
const calmAnswersMin = 5;
const calmMsMax = 90_000;

interface Wait {
  readonly from: number;
  readonly until: number;
  readonly disturbed: boolean;
}

export interface Felt {
  /** Waits that needed a second try or were slow. */
  readonly disturbed: number;
  readonly longestMs: number;
  /** From the given instant to the end of the last disturbed wait; 0 when none ended after it. */
  readonly overMs: number;
}

export class Crowd extends Line {
  protected override readonly againMs = 150;
  /** Only MongoDB is paused, for 60 s. */
  protected override readonly patienceMs = 150_000;
  private readonly waits: Wait[] = [];

  constructor() {
    super();
    this.opened();
  }

  /** A node or two may be gone; the others are there. */
  override lost(): void {}

  override async surely<Value>(what: string, work: () => Promise<Value | null>): Promise<Value> {
    const from = Date.now();
    let tries = 0;
    const value = await super.surely(what, () => {
      tries++;
      return work();
    });
    const until = Date.now();
    this.waits.push({ from, until, disturbed: tries > 1 || until - from > slowMs });
    return value;
  }

  /** What clients observed since `from`; the end is relative to `healed`. */
  felt(from: number, healed: number): Felt {
    const disturbed = this.waits.filter((one) => one.disturbed && one.until >= from);
    return {
      disturbed: disturbed.length,
      longestMs: Math.max(0, ...disturbed.map((one) => one.until - one.from)),
      overMs: Math.max(0, ...disturbed.map(({ until }) => until - healed)),
    };
  }

  /** Resolves when a while has passed in which everybody was served at once; false: that never came. */
  async calm(): Promise<boolean> {
    const begun = Date.now();
    for (;;) {
      const since = Date.now() - calmMs;
      const late = this.waits.filter(({ until }) => until >= since);
      if (since >= begun && late.length >= calmAnswersMin && !late.some(({ disturbed }) => disturbed))
        return true;
      if (Date.now() - begun > calmMsMax) return false;
      await pause(100);
    }
  }
}
