/** The minimum interval between two turns of an actor that no caller waits for: commands that arrive
 *  meanwhile share the next turn. After a pause, the first command runs without delay. */
import { pause, type DurationMs, type Scheduler } from '../../kernel/time.ts';
import { turnCommandsMax } from '../turn/turn.ts';

export const deferrableEveryMs: DurationMs = 20;

export class TurnThrottle {
  private readonly scheduler: Scheduler;
  private begunAt: DurationMs = -Infinity;

  constructor(scheduler: Scheduler) {
    this.scheduler = scheduler;
  }

  /** Resolves when a turn may start, and counts it as started; resolves at once when the waiting commands
   *  fill a turn. */
  async turn(waiting: number): Promise<void> {
    const waitMs = this.begunAt + deferrableEveryMs - this.scheduler.steady();
    if (waitMs > 0 && waiting < turnCommandsMax) await pause(this.scheduler, waitMs);
    this.begunAt = this.scheduler.steady();
  }
}
