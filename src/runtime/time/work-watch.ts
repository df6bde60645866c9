/** Which actors in memory have work while the walk of a test clock waits for them, and when some of it ends.
 *  1. Nothing is noted while no clock walks. */
import type { Cancel, DurationMs, Scheduler } from '../../kernel/time.ts';

/** An actor in memory, as far as this matters. */
export interface Worker {
  readonly clock: string | null;
  /** Whether it still has something to do or to send. */
  readonly hasWork: boolean;
}

export class WorkWatch {
  private readonly scheduler: Scheduler;
  /** Those that have begun to work since a walk began; null while no clock walks here. */
  private begun: Set<Worker> | null = null;
  private readonly waiting = new Map<string, () => void>();

  constructor(scheduler: Scheduler) {
    this.scheduler = scheduler;
  }

  watch(): void {
    this.begun ??= new Set();
  }

  unwatch(): void {
    this.begun = null;
  }

  begins(worker: Worker): void {
    this.begun?.add(worker);
  }

  /** Whether an actor on this clock that has begun since `watch` still has work. */
  left(clock: string): boolean {
    for (const one of this.begun ?? []) {
      if (!one.hasWork) this.begun?.delete(one);
      else if (one.clock === clock) return true;
    }
    return false;
  }

  /** Called when some work of an actor on this clock has ended. */
  ended(clock: string | null): void {
    if (clock !== null) this.waiting.get(clock)?.();
  }

  /** Resolves when some work on this clock ends, or after `ms`. One caller per clock. */
  untilEnded(clock: string, ms: DurationMs): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        cancel();
        this.waiting.delete(clock);
        resolve();
      };
      const cancel: Cancel = this.scheduler.after(ms, end);
      this.waiting.set(clock, end);
    });
  }
}
