/** Event-loop delay: how much later than scheduled a timer runs.
 *  1. Measured only while it is being queried, so an idle node has no timer for it.
 *  2. One long pause (garbage collection, a suspended machine) proves nothing; two consecutive samples do. */
import type { DurationMs, Scheduler } from '../../kernel/time.ts';

export const sampleEveryMs = 100;

export class LoopDelay {
  private readonly scheduler: Scheduler;
  private latest: DurationMs = 0;
  private before: DurationMs = 0;
  private sampling = false;
  private asked = false;

  constructor(scheduler: Scheduler) {
    this.scheduler = scheduler;
  }

  /** By how many ms timers are late now; each call keeps the measurement running. */
  get behindMs(): DurationMs {
    this.asked = true;
    if (!this.sampling) this.sample();
    return Math.min(this.latest, this.before);
  }

  private sample(): void {
    this.sampling = true;
    this.asked = false;
    const due = this.scheduler.steady() + sampleEveryMs;
    this.scheduler.after(sampleEveryMs, () => {
      this.before = this.latest;
      this.latest = Math.max(0, this.scheduler.steady() - due);
      if (this.asked) this.sample();
      else [this.sampling, this.latest, this.before] = [false, 0, 0];
    });
  }
}
