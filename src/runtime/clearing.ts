/** When the settled rows of one actor's `out` are cleared by a commit of their own; an earlier turn takes them along
 *  instead. */
import { seconds, type Cancel, type DurationMs, type Instant, type Scheduler } from '../kernel/time.ts';
import type { Doc } from '../store/store.ts';

/** Whoever was told waits to hear that nothing more will come again; a log does not. */
const tellsDelayMs = seconds(1);
const eventsDelayMs = seconds(5);

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

  /** When the rows of this document whose work is done may wait no longer; at once while a clock is `walked`. */
  soon({ out }: Doc, settled: ReadonlySet<number>, walked: boolean): void {
    if (settled.size === 0) return;
    const eventsAlone = out.every((row) => row.type === 'event' || !settled.has(row.q));
    const delay = eventsAlone ? eventsDelayMs : tellsDelayMs;
    this.within(walked ? 0 : delay);
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
