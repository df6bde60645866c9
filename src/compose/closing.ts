/** Closes what was opened, in reverse order, within a time that a supervisor waits for.
 *  1. Each part has a limit of its own, and all together have one. A part that exceeds it is left behind; the next ones
 *     are closed all the same. */
import { realScheduler, seconds, type DurationMs, type Scheduler } from '../kernel/time.ts';

type Close = () => Promise<unknown>;

/** All parts together, unless one has more time. A supervisor gives 10 s; the rest is for a busy machine. */
export const closeMsMax: DurationMs = seconds(9.5);
/** One part, where nothing else is said. */
export const partMsMax: DurationMs = seconds(1);

export interface CloseLimit {
  /** For people. */
  readonly what?: string;
  readonly msMax?: DurationMs;
  /** How much longer it, and all parts with it, may take; asked once its limit is over. */
  readonly moreMs?: () => DurationMs;
}

interface Step extends CloseLimit {
  readonly close: Close;
}

export class Closing {
  /** Called with each part that was left behind. */
  onLate: (what: string, msMax: DurationMs) => void = () => undefined;
  private readonly steps: Step[] = [];
  private readonly scheduler: Pick<Scheduler, 'steady' | 'after'>;

  constructor(scheduler: Pick<Scheduler, 'steady' | 'after'> = realScheduler) {
    this.scheduler = scheduler;
  }

  later(close: Close, limit: CloseLimit = {}): void {
    this.steps.push({ close, ...limit });
  }

  /** One failed close does not prevent the others. */
  async all(): Promise<void> {
    let until = this.scheduler.steady() + closeMsMax;
    for (const { close, what = 'a part', msMax = partMsMax, moreMs } of this.steps.splice(0).reverse()) {
      const left = Math.max(0, Math.min(msMax, until - this.scheduler.steady()));
      const closing = close();
      if (await this.ended(closing, left)) continue;
      const more = moreMs?.() ?? 0;
      until += more;
      if (more === 0 || !(await this.ended(closing, more))) this.onLate(what, left + more);
    }
  }

  /** Whether it has ended within this time, however it ended. */
  private ended(closing: Promise<unknown>, msMax: DurationMs): Promise<boolean> {
    return new Promise((resolve) => {
      const cancel = this.scheduler.after(msMax, () => resolve(false));
      const end = (): void => {
        cancel();
        resolve(true);
      };
      closing.then(end, end);
    });
  }
}
