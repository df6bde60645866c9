/** The difference between this machine's clock and the database's. Command deadlines are instants of the
 *  sender's clock and are checked against the target's clock, so a difference of more than a few seconds
 *  makes them meaningless. */
import { seconds, type DurationMs, type Scheduler } from '../../kernel/time.ts';
import type { Directory } from '../../store/directory.ts';

/** A node with a larger difference does not join. */
export const clockSkewMsMax = seconds(5);

/** A lower bound of the difference: the round-trip time of the query is counted in the machine's favour.
 *  Rejects without an answer. */
export async function clockSkewMs(
  directory: Pick<Directory, 'time'>,
  scheduler: Scheduler,
): Promise<DurationMs> {
  const before = scheduler.now();
  const there = await directory.time();
  const after = scheduler.now();
  return there < before ? before - there : Math.max(0, there - after);
}
