/** Admission control of a node, in addition to the bound of each mailbox: commands waiting per partition,
 *  event-loop delay, and no admission while the store does not answer.
 *  1. Only gateway commands are rejected, before any part of them is executed. Results, timers and messages
 *     between actors are admitted, because they complete work that has already started; messages between
 *     actors have only the bound of their mailbox (mailbox.ts). */
import type { DurationMs, Scheduler } from '../../kernel/time.ts';
import { slotOfActor } from '../model/address.ts';
import { LoopDelay } from './loop-delay.ts';
import type { StoreBreaker } from './store-breaker.ts';

/** Gateway commands waiting in the mailboxes of one partition. Commands from actors do not count: a backlog
 *  of events for one busy project's log must not cause rejections for other projects. */
export const mailboxOfPartitionMax = 4096;
export const loopBehindMsMax: DurationMs = 500;
/** The retry delay sent with a rejection. */
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

  /** Whether a gateway command for this partition would have to wait too long. */
  overloaded(partition: number): boolean {
    return (
      this.breaker.open ||
      (this.waiting.get(partition) ?? 0) >= mailboxOfPartitionMax ||
      this.loop.behindMs > loopBehindMsMax
    );
  }

  /** Adjusts the number of gateway commands waiting in this partition. */
  count(partition: number, change: number): void {
    const waiting = (this.waiting.get(partition) ?? 0) + change;
    if (waiting > 0) this.waiting.set(partition, waiting);
    else this.waiting.delete(partition);
  }
}
