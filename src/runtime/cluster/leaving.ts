/** A node that leaves: it announces this to the others and hands its partitions to their next owners.
 *  1. `handOver` gives no partition to a node that is also leaving, or that has not been seen recently. `stop`
 *     gives away what is left, whichever node takes it. */
import { pause, seconds, type DurationMs, type Scheduler } from '../../kernel/time.ts';
import type { Bus } from '../../bus/bus.ts';
import { partitionsMoved, settlePollMs } from './hand-off.ts';
import type { Membership } from './membership.ts';
import { longerBy } from './ownership.ts';

/** After this time, every node's read of the directory shows which nodes are leaving at the same time. */
export const nextOwnersShownMs = 300;
/** No partition is given to a node not seen for this long: nodes send a heartbeat each second, and we allow
 *  for two reads of the directory. */
const nextOwnerUnseenMsMax = seconds(2.5);

/** How long a node that has given everything away waits for its removal from the directory. Without it the others find
 *  out as they find a dead node. */
export const leaveDirectoryMsMax: DurationMs = 500;

export interface LeavingHost {
  readonly membership: Pick<Membership, 'incarnation' | 'unseenMs' | 'read' | 'announce' | 'leave'>;
  readonly bus: Pick<Bus, 'broadcast'>;
  readonly scheduler: Scheduler;
  /** Partitions held here now. */
  readonly held: () => readonly number[];
  /** Who should own a partition according to the rows; null: no node can. */
  readonly wantedOwner: (p: number) => string | null;
  /** Starts as many hand-offs of held partitions as may run at once. */
  readonly giveAll: (until: DurationMs) => void;
  /** Whether a call that is never made again is out. */
  readonly callsOnce: () => boolean;
}

export class Leaving {
  private readonly host: LeavingHost;
  private isAnnounced = false;
  private isLast = false;

  constructor(host: LeavingHost) {
    this.host = host;
  }

  /** After this call no partition is taken. */
  get begun(): boolean {
    return this.isAnnounced;
  }

  /** After this call every partition is given away, whichever node takes it. */
  get stopping(): boolean {
    return this.isLast;
  }

  /** Whether another node should own it and has been seen recently. */
  hasNextOwner(p: number): boolean {
    const { membership, wantedOwner } = this.host;
    const nextOwner = wantedOwner(p);
    return (
      nextOwner !== null &&
      nextOwner !== membership.incarnation &&
      membership.unseenMs(nextOwner) < nextOwnerUnseenMsMax
    );
  }

  /** Waits until the next owners have their partitions, while everything is still served. */
  async handOver(waitMs: DurationMs): Promise<void> {
    const { membership, scheduler, held } = this.host;
    const until = scheduler.steady() + waitMs;
    await this.announce(until);
    // nodes that leave together must see each other, so that none hands a partition to another leaving node
    await pause(scheduler, nextOwnersShownMs);
    await this.until(until, membership.read());
    const owed = (): boolean => held().some((p) => this.hasNextOwner(p));
    while (owed() && scheduler.steady() < until) await pause(scheduler, settlePollMs);
  }

  /** Gives away what is left, and leaves the directory. */
  async stop(waitMs: DurationMs): Promise<void> {
    const { membership, bus, scheduler, held, giveAll, callsOnce } = this.host;
    this.isLast = true;
    const until = scheduler.steady() + waitMs;
    await this.announce(until);
    while (held().length > 0 && scheduler.steady() < longerBy(until, { callsOnce: callsOnce() })) {
      if (scheduler.steady() < until) giveAll(until);
      await pause(scheduler, settlePollMs);
    }
    await this.until(scheduler.steady() + leaveDirectoryMsMax, membership.leave());
    bus.broadcast(partitionsMoved, '');
  }

  private async announce(until: DurationMs): Promise<void> {
    const { membership, bus } = this.host;
    this.isAnnounced = true;
    await this.until(until, membership.announce());
    bus.broadcast(partitionsMoved, '');
  }

  /** Waits for `work` until this moment, in steady time. */
  private async until(until: DurationMs, work: Promise<unknown>): Promise<void> {
    const { scheduler } = this.host;
    await Promise.race([work, pause(scheduler, Math.max(0, until - scheduler.steady()))]);
  }
}
