/** One partition on its way to another owner: given away only after nothing of it is under way and no copy can arrive
 *  any more. */
import { pause, type DurationMs, type Scheduler } from '../../kernel/time.ts';
import type { Bus } from '../../bus/bus.ts';
import type { Directory, PartitionRow } from '../../store/directory.ts';
import { handOffMsMax } from './ownership.ts';
import type { PartitionLease } from './partition-lease.ts';

/** Of the time for a hand-off, what running effects leave. */
const commitsMsMin = 500;
export const settlePollMs = 5;
/** Said to the others when rows have changed. */
export const partitionsMoved = 'partitions';

export interface HandOffParts {
  readonly directory: Pick<Directory, 'give'>;
  readonly bus: Pick<Bus, 'broadcast' | 'connected'>;
  readonly scheduler: Scheduler;
  /** Whether anything of it runs or waits. */
  readonly underWay: (lease: PartitionLease) => boolean;
  /** Ends the lease, and holds nothing of it any more. */
  readonly end: (lease: PartitionLease) => void;
}

export interface Giving {
  readonly lease: PartitionLease;
  /** Under which name it is held. */
  readonly incarnation: string;
  /** Ends the subscription to what is asked of it. */
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
    const settledBy = Math.min(until, scheduler.steady() + handOffMsMax);
    lease.rest();
    // what is done outside may come home; the rest of the time is for commits
    while (!lease.over && lease.acts && scheduler.steady() < settledBy - commitsMsMin)
      await pause(scheduler, settlePollMs);
    lease.drain();
    while (!lease.over && underWay(lease) && scheduler.steady() < settledBy)
      await pause(scheduler, settlePollMs);
    // a commit in doubt may land later: the next owner must not come by our word then, only by our silence
    if (lease.over || underWay(lease)) return lease.resume();
    await this.whileOnBus(stop.then((unsubscribe) => unsubscribe()));
    if (lease.over) return;
    end(lease);
    await directory.give(p, lease.epoch, incarnation);
    bus.broadcast(partitionsMoved, '');
  }

  /** The directory still shows as ours what we gave away, or took without hearing of it. */
  async giveBack({ p, epoch }: PartitionRow, incarnation: string): Promise<void> {
    await this.parts.directory.give(p, epoch, incarnation);
    this.parts.bus.broadcast(partitionsMoved, '');
  }

  /** Without a wire nobody can be reached, so nobody needs to be waited for. */
  async whileOnBus(work: Promise<unknown>): Promise<void> {
    const { bus, scheduler } = this.parts;
    let over = false;
    const end = (): void => {
      over = true;
    };
    void work.then(end, end);
    await Promise.race([work.catch(() => undefined), pause(scheduler, settlePollMs)]);
    while (!over && bus.connected) await pause(scheduler, settlePollMs);
  }
}
