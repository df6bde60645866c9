/** The hand-off of one partition to another owner: it is given away only after no work on it is in progress
 *  and no copy can arrive any more. */
import { pause, type DurationMs, type Scheduler } from '../../kernel/time.ts';
import type { Bus } from '../../bus/bus.ts';
import type { Directory, PartitionRow } from '../../store/directory.ts';
import { handOffMsMax, longerBy } from './ownership.ts';
import type { PartitionLease } from './partition-lease.ts';

/** The part of the hand-off time that remains after running effects. */
const commitsMsMin = 500;
export const settlePollMs = 5;
/** How long the bus may take to confirm that a subscription has begun or ended. Without it copies of a moment get no
 *  answer, and are repeated. */
export const confirmMsMax: DurationMs = 1000;
/** Sent to the other nodes when rows have changed. */
export const partitionsMoved = 'partitions';

export interface HandOffParts {
  readonly directory: Pick<Directory, 'give'>;
  readonly bus: Pick<Bus, 'broadcast' | 'connected'>;
  readonly scheduler: Scheduler;
  /** Whether anything of it runs or waits. */
  readonly underWay: (lease: PartitionLease) => boolean;
  /** Ends the lease and drops everything held under it. */
  readonly end: (lease: PartitionLease) => void;
}

export interface Giving {
  readonly lease: PartitionLease;
  /** The name (incarnation) under which it is held. */
  readonly incarnation: string;
  /** Ends the subscription to its asks. */
  readonly stop: Promise<() => Promise<void>>;
  readonly until: DurationMs;
}

export class HandOff {
  private readonly parts: HandOffParts;

  constructor(parts: HandOffParts) {
    this.parts = parts;
  }

  async give(p: number, { lease, incarnation, stop, until }: Giving): Promise<void> {
    const { directory, bus, scheduler, underWay, end } = this.parts;
    const latest = scheduler.steady() + handOffMsMax;
    const settledBy = (): DurationMs => Math.min(longerBy(until, lease), latest);
    lease.rest();
    // running effects may still return; the rest of the time is for commits
    while (!lease.over && lease.acts && scheduler.steady() < settledBy() - commitsMsMin)
      await pause(scheduler, settlePollMs);
    lease.drain();
    while (!lease.over && underWay(lease) && scheduler.steady() < settledBy())
      await pause(scheduler, settlePollMs);
    // A commit in doubt may still be applied later. The next owner must not take over on our explicit
    // release then, but only after our session has expired.
    if (lease.over || underWay(lease)) return lease.resume();
    await this.whileOnBus(stop.then((unsubscribe) => unsubscribe()));
    if (lease.over) return;
    end(lease);
    await directory.give(p, lease.epoch, incarnation);
    bus.broadcast(partitionsMoved, '');
  }

  /** Directory rows that still show us as owner of a partition we gave away, or took without receiving the
   *  answer. */
  async returnPartition({ p, epoch }: PartitionRow, incarnation: string): Promise<void> {
    await this.parts.directory.give(p, epoch, incarnation);
    this.parts.bus.broadcast(partitionsMoved, '');
  }

  /** Without a bus connection no node can be reached, so no wait is needed. */
  async whileOnBus(work: Promise<unknown>): Promise<void> {
    const { bus, scheduler } = this.parts;
    let over = false;
    const end = (): void => {
      over = true;
    };
    const until = scheduler.steady() + confirmMsMax;
    void work.then(end, end);
    await Promise.race([work.catch(() => undefined), pause(scheduler, settlePollMs)]);
    while (!over && bus.connected && scheduler.steady() < until) await pause(scheduler, settlePollMs);
  }
}
