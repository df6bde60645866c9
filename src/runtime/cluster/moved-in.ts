/** A node that is started while an embedded service is being moved into its database waits for the end of the move,
 *  with everything else ready: it serves a moment after the old service has stopped. */
import { hours, pause, type DurationMs, type Scheduler } from '../../kernel/time.ts';
import type { RuntimeLog } from '../model/runtime-log.ts';
import { CannotJoin } from './join-cluster.ts';

export const movedInMsMax: DurationMs = hours(24);
const lookEveryMs: DurationMs = 50;

export interface MovedInParts {
  /** null: nothing was ever moved into this database. */
  readonly mark: () => Promise<{ readonly state: 'copying' | 'moved'; readonly from: string } | null>;
  readonly scheduler: Pick<Scheduler, 'steady' | 'after'>;
  readonly log: Pick<RuntimeLog, 'warn'>;
}

/** Rejects with CannotJoin when the move has not ended within a day, or when the store does not answer. */
export async function untilMovedIn({ mark, scheduler, log }: MovedInParts): Promise<void> {
  const until = scheduler.steady() + movedInMsMax;
  for (let isFirst = true; ; isFirst = false) {
    const found = await mark();
    if (found === null || found.state === 'moved') return;
    const what = `${found.from} is being moved into this database`;
    if (isFirst) log.warn({ from: found.from }, `${what}: this node serves when \`galla move\` has ended`);
    if (scheduler.steady() > until)
      throw new CannotJoin(`${what}, and that has not ended: run the same \`galla move\` again`);
    await pause(scheduler, lookEveryMs);
  }
}
