/** How many effects of one lane may run at once, from how its runs have ended. It is kept in memory only:
 *  after a restart a lane begins anew.
 *  1. An adaptive lane begins with `atOnce`. Each success in time allows one more, up to its maximum; each
 *     failure or slow run halves it, down to one.
 *  2. A target that asks to be spared gets one run at a time for a minute; then the lane goes on with what
 *     it had.
 *  3. An adaptive lane that has failed many times in a row rests after each run, so that a target known to fail
 *     takes a bounded part of this process.
 *  4. A lane that does not adapt runs `atOnce`, and one at a time while its runs are slow. */
import { seconds, type DurationMs, type Instant } from '../../kernel/time.ts';

/** What the result of a run means for its lane. */
export type Feedback = 'faster' | 'slower' | 'same' | 'spare';

/** A run this long was slow. */
export const slowRunMs: DurationMs = seconds(5);
/** How long a target that asks to be spared gets one run at a time. */
export const sparedMs: DurationMs = seconds(60);

/** So many failures in a row make a failing lane. */
export const failuresToRest = 100;
/** A failing lane rests this many times as long as its run took, up to a maximum. */
const restTimes = 2;
export const restMsMax: DurationMs = 50;

export class LaneConcurrency {
  /** Its last run was slow. */
  isSlow = false;
  /** A run has ended with an answer or an error of the target, and the last run was not slow. */
  isProven = false;
  /** Nothing starts now. */
  isResting = false;
  /** How many at once it begins with. */
  readonly begins: number;
  /** null: it does not adapt. */
  private readonly max: number | null;
  private readonly now: () => Instant;
  private allowed: number;
  private sparedUntil: Instant = -Infinity;
  private failures = 0;

  constructor(atOnce: number, max: number | null, now: () => Instant) {
    this.begins = atOnce;
    this.max = max;
    this.now = now;
    this.allowed = atOnce;
  }

  /** How many may run at once now. */
  get atOnce(): number {
    if (this.max === null) return this.isSlow ? 1 : this.begins;
    return this.now() < this.sparedUntil ? 1 : this.allowed;
  }

  /** It differs from that of a new lane. */
  get isLearned(): boolean {
    return this.isProven || this.isSlow;
  }

  ended(feedback: Feedback, tookMs: DurationMs): void {
    this.isSlow = tookMs >= slowRunMs;
    this.isProven = !this.isSlow && (this.isProven || feedback !== 'same');
    if (this.max === null) return;
    if (feedback === 'faster') this.failures = 0;
    else if (feedback !== 'same') this.failures++;
    if (feedback === 'spare') this.sparedUntil = this.now() + sparedMs;
    if (this.isSlow || feedback === 'slower' || feedback === 'spare')
      this.allowed = Math.max(1, Math.floor(this.allowed / 2));
    // one at a time says nothing about how many it can take
    else if (feedback === 'faster' && this.now() >= this.sparedUntil)
      this.allowed = Math.min(this.max, this.allowed + 1);
  }

  /** How long nothing starts after a run that took so long, its commit included. */
  restAfter(tookMs: DurationMs): DurationMs {
    return this.failures >= failuresToRest ? Math.min(restMsMax, tookMs * restTimes) : 0;
  }
}
