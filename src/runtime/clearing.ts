/** When the settled rows of one actor's `out` are cleared by a commit of their own; an earlier turn takes them along
 *  instead. */
import type { Cancel, DurationMs, Instant, Scheduler } from '../kernel/time.ts';

export class Clearing {
  private readonly scheduler: Scheduler;
  private readonly stir: () => void;
  private armed: { readonly cancel: Cancel; readonly at: Instant } | null = null;

  /** `stir` is called when the time has come. */
  constructor(scheduler: Scheduler, stir: () => void) {
    this.scheduler = scheduler;
    this.stir = stir;
  }

  get due(): boolean {
    return this.armed !== null && this.armed.at <= this.scheduler.now();
  }

  /** At the latest `delay` ms from now. */
  within(delay: DurationMs): void {
    const at = this.scheduler.now() + delay;
    if (this.armed !== null && this.armed.at <= at) return;
    this.drop();
    const cancel = this.scheduler.after(delay, () => {
      // the wait is over whatever the wall clock says by now
      this.armed = { at: -Infinity, cancel: () => undefined };
      this.stir();
    });
    this.armed = { at, cancel };
  }

  /** At once. */
  now(): void {
    this.drop();
    this.armed = { at: -Infinity, cancel: () => undefined };
    this.stir();
  }

  /** Not any more. */
  drop(): void {
    this.armed?.cancel();
    this.armed = null;
  }
}
