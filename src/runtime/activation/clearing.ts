/** When the settled rows of one actor's `out` are cleared by a commit of their own; an earlier turn takes them along
 *  instead. */
import { seconds, type Cancel, type DurationMs, type Instant, type Scheduler } from '../../kernel/time.ts';
import type { Doc } from '../../store/store.ts';
import type { Settled } from '../turn/working-doc.ts';

/** Whoever was told waits to hear that nothing more will come again; a log does not. */
const tellsDelayMs = seconds(1);
const eventsDelayMs = seconds(5);
/** Commits that may as well go a little later go with those of others: one command and one sync for all of them. */
export const togetherMs: DurationMs = 100;

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
  soon({ out }: Doc, settled: Settled, walked: boolean): void {
    if (settled.size === 0) return;
    const eventsAlone = out.every((row) => row.type === 'event' || !settled.has(row.q));
    this.within(walked ? 0 : this.together(eventsAlone ? eventsDelayMs : tellsDelayMs));
  }

  /** The wait until the instant that whoever clears about then has chosen, too. */
  private together(delay: DurationMs): DurationMs {
    const at = this.scheduler.steady() + delay;
    return delay + ((togetherMs - (at % togetherMs)) % togetherMs);
  }

  /** At the latest `delay` ms from now. */
  within(delay: DurationMs): void {
    const at = this.scheduler.now() + delay;
    if (this.armed !== null && this.armed.at <= at) {
      // the time came while there was nothing to clear, and is still owed
      if (this.due) this.stir();
      return;
    }
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
