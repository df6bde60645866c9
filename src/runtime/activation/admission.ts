/** What a node lets in, beside the bound of each mailbox: commands that wait per partition, how far the
 *  event loop may be behind, and nothing while the store is silent.
 *  1. Only commands of doors are turned away, before anything of them is executed: results, timers and what actors say
 *     to one another bring the work that is already here to its end. */
import type { DurationMs, Scheduler } from '../../kernel/time.ts';
import { slotOfActor } from '../model/address.ts';
import { LoopDelay } from './loop-delay.ts';
import type { StoreBreaker } from './store-breaker.ts';

/** Commands of doors that wait in the mailboxes of one partition. Those of actors do not count: the events that wait
 *  for a busy project's log would turn away who has nothing to do with it. */
export const mailboxOfPartitionMax = 4096;
export const loopBehindMsMax: DurationMs = 500;
/** What a door that was turned away is told to wait. */
export const overloadedRetryMs: DurationMs = 1000;
const slotsPerPartitionBits = 2;

export class Admission {
  private readonly loop: LoopDelay;
  private readonly breaker: Pick<StoreBreaker, 'open'>;
  private readonly waiting = new Map<number, number>();

  constructor(scheduler: Scheduler, breaker: Pick<StoreBreaker, 'open'>) {
    this.loop = new LoopDelay(scheduler);
    this.breaker = breaker;
  }

  partitionOf(actorId: string): number {
    return slotOfActor(actorId) >> slotsPerPartitionBits;
  }

  /** Whether a door's command for this partition would have to wait too long. */
  overloaded(partition: number): boolean {
    return (
      this.breaker.open ||
      (this.waiting.get(partition) ?? 0) >= mailboxOfPartitionMax ||
      this.loop.behindMs > loopBehindMsMax
    );
  }

  /** So many commands of doors more (or fewer) wait in this partition. */
  count(partition: number, change: number): void {
    const waiting = (this.waiting.get(partition) ?? 0) + change;
    if (waiting > 0) this.waiting.set(partition, waiting);
    else this.waiting.delete(partition);
  }
}
