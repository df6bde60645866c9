/** The minimum interval between two turns of an actor that no caller waits for: commands that arrive
 *  meanwhile share the next turn. After a pause, the first command runs without delay.
 *  1. A turn that is one commit (the store takes rows in it) is repeated sooner than one of several commands to a
 *     database: docs/decisions/0016-commands-cost-more-than-documents.md. */
import { pause, type DurationMs, type Scheduler } from '../../kernel/time.ts';
import type { Store } from '../../store/store.ts';
import { turnCommandsMax } from '../turn/turn.ts';

export const turnEveryMs = { oneCommit: 5, severalCommands: 20 } as const satisfies {
  [how: string]: DurationMs;
};

export class TurnThrottle {
  private readonly scheduler: Scheduler;
  private readonly everyMs: DurationMs;
  private begunAt: DurationMs = -Infinity;

  constructor(scheduler: Scheduler, { rowsInCommit }: Pick<Store, 'rowsInCommit'>) {
    this.scheduler = scheduler;
    this.everyMs = rowsInCommit ? turnEveryMs.oneCommit : turnEveryMs.severalCommands;
  }

  /** Resolves when a turn may start, and counts it as started; resolves at once when the waiting commands
   *  fill a turn. */
  async turn(waiting: number): Promise<void> {
    const waitMs = this.begunAt + this.everyMs - this.scheduler.steady();
    if (waitMs > 0 && waiting < turnCommandsMax) await pause(this.scheduler, waitMs);
    this.begunAt = this.scheduler.steady();
  }
}
