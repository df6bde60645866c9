/** Delivery of the runtime's own commands - timers, results of effects, refused tells - which no other
 *  component repeats. */
import { pause, type DurationMs, type Scheduler } from '../../kernel/time.ts';
import type { AskResult } from '../model/envelope.ts';
import type { PartitionLease } from '../cluster/partition-lease.ts';
import { throwsMax } from '../turn/turn.ts';

const againMsMin: DurationMs = 10;
const againMsMax: DurationMs = 1000;

/** Repeats until it was executed, was parked because it keeps throwing, or the lease has ended. */
export async function deliverSurely(
  deliver: () => Promise<AskResult>,
  lease: Pick<PartitionLease, 'over'>,
  scheduler: Pick<Scheduler, 'after'>,
): Promise<void> {
  for (let throwsLeft = throwsMax, delay = againMsMin; throwsLeft > 0 && !lease.over;) {
    const { is } = await deliver();
    if (is === 'ok' || is === 'refused') return;
    if (is === 'internal') throwsLeft--;
    if (throwsLeft > 0) await pause(scheduler, delay);
    delay = Math.min(delay * 2, againMsMax);
  }
}
