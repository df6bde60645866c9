/** How soon after one turn the next of an actor that nobody waits for may begin: what comes meanwhile shares it, and
 *  whoever comes after a rest is not kept waiting. */
import { pause, type DurationMs, type Scheduler } from '../../kernel/time.ts';
import { turnCommandsMax } from '../turn/turn.ts';

export const deferrableEveryMs: DurationMs = 20;

export class TurnThrottle {
  private readonly scheduler: Scheduler;
  private begunAt: DurationMs = -Infinity;

  constructor(scheduler: Scheduler) {
    this.scheduler = scheduler;
  }

  /** Resolves when a turn may begin, and counts it as begun; at once when those that wait fill one. */
  async turn(waiting: number): Promise<void> {
    const waitMs = this.begunAt + deferrableEveryMs - this.scheduler.steady();
    if (waitMs > 0 && waiting < turnCommandsMax) await pause(this.scheduler, waitMs);
    this.begunAt = this.scheduler.steady();
  }
}
