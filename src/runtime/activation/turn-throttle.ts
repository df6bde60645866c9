/** The minimum interval between two turns of an actor that no caller waits for, while several callers write at the
 *  same time: commands that arrive meanwhile share the next turn. After a pause, the first command runs without delay.
 *  1. A turn that is one commit (the store takes rows in it) is repeated sooner than one of several commands to a
 *     database: docs/decisions/0016-commands-cost-more-than-documents.md.
 *  2. Where writes come one after the other no turn is delayed: commands of several callers would share it, and there
 *     is one. */
import { pause, type DurationMs, type Scheduler } from '../../kernel/time.ts';
import type { Store } from '../../store/store.ts';
import { turnCommandsMax } from '../turn/turn.ts';

export const turnEveryMs = { oneCommit: 2, severalCommands: 20 } as const satisfies {
  [how: string]: DurationMs;
};

export class TurnThrottle {
  private readonly scheduler: Scheduler;
  private readonly everyMs: DurationMs;
  private readonly hasCompany: () => boolean;
  private begunAt: DurationMs = -Infinity;

  /** `hasCompany`: whether several callers write at the same time. */
  constructor(
    scheduler: Scheduler,
    { rowsInCommit }: Pick<Store, 'rowsInCommit'>,
    hasCompany: () => boolean,
  ) {
    this.scheduler = scheduler;
    this.hasCompany = hasCompany;
    this.everyMs = rowsInCommit ? turnEveryMs.oneCommit : turnEveryMs.severalCommands;
  }

  /** Resolves when a turn may start, and counts it as started; resolves at once when the waiting commands
   *  fill a turn. */
  async turn(waiting: number): Promise<void> {
    const waitMs = this.begunAt + this.everyMs - this.scheduler.steady();
    if (waitMs > 0 && waiting < turnCommandsMax && this.hasCompany()) await pause(this.scheduler, waitMs);
    this.begunAt = this.scheduler.steady();
  }
}
