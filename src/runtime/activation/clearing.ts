/** Decides when the settled rows of one actor's `out` are cleared by a separate commit; an earlier turn
 *  clears them with its own commit. */
import { seconds, type Cancel, type DurationMs, type Instant, type Scheduler } from '../../kernel/time.ts';
import type { Doc } from '../../store/store.ts';
import type { Settled } from '../turn/working-doc.ts';

/** The target of a tell waits for the confirmation that no more copies will come; a log does not. */
const tellsDelayMs = seconds(1);
const eventsDelayMs = seconds(5);
/** Commits that can be deferred are sent together with others: one command and one sync for all of them. */
export const togetherMs: DurationMs = 100;

export class Clearing {
  private readonly scheduler: Scheduler;
  private readonly scheduleRun: () => void;
  private armed: { readonly cancel: Cancel; readonly at: Instant } | null = null;

  /** `scheduleRun` is called when clearing is due. */
  constructor(scheduler: Scheduler, scheduleRun: () => void) {
    this.scheduler = scheduler;
    this.scheduleRun = scheduleRun;
  }

  get due(): boolean {
    return this.armed !== null && this.armed.at <= this.scheduler.now();
  }

  /** Schedules the clearing of this document's settled rows. */
  soon({ out }: Doc, settled: Settled, atOnce: boolean): void {
    if (settled.size === 0) return;
    const eventsAlone = out.every((row) => row.type === 'event' || !settled.has(row.q));
    this.within(atOnce ? 0 : this.together(eventsAlone ? eventsDelayMs : tellsDelayMs));
  }

  /** The delay, rounded so that clearings due at about the same time happen together. */
  private together(delay: DurationMs): DurationMs {
    const at = this.scheduler.steady() + delay;
    return delay + ((togetherMs - (at % togetherMs)) % togetherMs);
  }

  /** At most `delay` ms from now. */
  within(delay: DurationMs): void {
    const at = this.scheduler.now() + delay;
    if (this.armed !== null && this.armed.at <= at) {
      // the timer fired when there was nothing to clear, so the clearing is still due
      if (this.due) this.scheduleRun();
      return;
    }
    this.drop();
    const cancel = this.scheduler.after(delay, () => {
      // the wait has ended, whatever the wall clock shows by now
      this.armed = { at: -Infinity, cancel: () => undefined };
      this.scheduleRun();
    });
    this.armed = { at, cancel };
  }

  /** Clears at once. */
  now(): void {
    this.drop();
    this.armed = { at: -Infinity, cancel: () => undefined };
    this.scheduleRun();
  }

  /** Cancels the clearing. */
  drop(): void {
    this.armed?.cancel();
    this.armed = null;
  }
}
