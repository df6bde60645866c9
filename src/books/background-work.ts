/** Keeps long work in the background: it rests for a multiple of the time that it has worked, so that most of
 *  every second is left to the requests of merchants and buyers.
 *  1. The time is measured, waiting included: where others are busy the work takes longer, and so do its rests.
 *  2. The event loop is free at each call. */
import { setImmediate } from 'node:timers/promises';
import { pause, type DurationMs, type Scheduler } from '../kernel/time.ts';

/** Rest for each millisecond of work: it works a fifth of the time. */
export const restFactor = 4;
/** Work of this length is followed by a rest: about what a request may wait for it. */
const workMs: DurationMs = 2;
/** The longest rest, however long the work before it took: rests within one step stay far below the time that a
 *  step may take. */
const restMsMax: DurationMs = 20;

export class BackgroundWork {
  private readonly scheduler: Pick<Scheduler, 'after' | 'steady'>;
  private since: number;

  constructor(scheduler: Pick<Scheduler, 'after' | 'steady'>) {
    this.scheduler = scheduler;
    this.since = scheduler.steady();
  }

  /** Called between two small pieces of work. */
  async next(): Promise<void> {
    const worked = this.scheduler.steady() - this.since;
    if (worked < workMs) return setImmediate();
    await this.rested(Math.min(restMsMax, restFactor * worked));
  }

  /** Called after the last piece: `workedMsMax` bounds what is rested for. */
  async end(workedMsMax: DurationMs): Promise<void> {
    await this.rested(restFactor * Math.min(workedMsMax, this.scheduler.steady() - this.since));
  }

  private async rested(ms: DurationMs): Promise<void> {
    await pause(this.scheduler, ms);
    this.since = this.scheduler.steady();
  }
}
