/** How far this machine's clock is from the database's. Deadlines of commands are instants of the asker's clock and are
 *  judged by the target's: beyond a few seconds they mean nothing. */
import { seconds, type DurationMs, type Scheduler } from '../../kernel/time.ts';
import type { Directory } from '../../store/directory.ts';

/** A node further away takes no part. */
export const clockSkewMsMax = seconds(5);

/** At least how far the two are apart; the time the question took is given to the machine. Rejects without
 *  an answer. */
export async function clockSkewMs(
  directory: Pick<Directory, 'time'>,
  scheduler: Scheduler,
): Promise<DurationMs> {
  const before = scheduler.now();
  const there = await directory.time();
  const after = scheduler.now();
  return there < before ? before - there : Math.max(0, there - after);
}
