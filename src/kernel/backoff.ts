/** Exponential backoff between tries: the delay doubles each time, up to a bound. */
import { pause, type DurationMs, type Scheduler } from './time.ts';

export class Backoff {
  private readonly scheduler: Pick<Scheduler, 'after'>;
  private readonly msMin: DurationMs;
  private readonly msMax: DurationMs;
  private next: DurationMs;

  /** The first delay is `msMin`, and none is longer than `msMax`. */
  constructor(scheduler: Pick<Scheduler, 'after'>, msMin: DurationMs, msMax: DurationMs) {
    this.scheduler = scheduler;
    this.msMin = msMin;
    this.msMax = msMax;
    this.next = msMin;
  }

  /** At least one delay has passed since the last success. */
  get waited(): boolean {
    return this.next > this.msMin;
  }

  /** Resolves when it is time for the next try. */
  wait(): Promise<void> {
    const delay = this.next;
    this.next = Math.min(delay * 2, this.msMax);
    return pause(this.scheduler, delay);
  }

  /** A try succeeded: the next delay is the shortest again. */
  reset(): void {
    this.next = this.msMin;
  }
}
