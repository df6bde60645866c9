/** How far the event loop is behind: how much later than asked for a timer runs.
 *  1. Measured only while somebody asks, so that an idle node has no timer for it.
 *  2. One long stop (a collection of garbage, a machine that slept) proves nothing: two samples in a row do. */
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

  /** By how many ms timers are late now; asking keeps the measuring going. */
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
