/** A node that leaves: the others are told, and what it owns goes to its heirs.
 *  1. Nothing is given to who leaves as well, or was not heard of lately. */
import { pause, seconds, type DurationMs, type Scheduler } from '../../kernel/time.ts';
import type { Bus } from '../../bus/bus.ts';
import { partitionsMoved, settlePollMs } from './hand-off.ts';
import type { Membership } from './membership.ts';

/** After this long everybody's look shows who was told to leave at the same time. */
const heirsShownMs = 300;
/** Nothing is given to who was not heard of for this long: he beats once a second, and we look twice. */
const heirSilentMsMax = seconds(2.5);

export interface LeavingHost {
  readonly membership: Pick<Membership, 'incarnation' | 'silentMs' | 'look' | 'tell' | 'leave'>;
  readonly bus: Pick<Bus, 'broadcast'>;
  readonly scheduler: Scheduler;
  /** Partitions held here now. */
  readonly held: () => readonly number[];
  /** Who should own a partition, as the rows are; null: nobody can. */
  readonly wantedOwner: (p: number) => string | null;
  /** Sets off giving as many of those held as may be under way. */
  readonly giveAll: (until: DurationMs) => void;
}

export class Leaving {
  private readonly host: LeavingHost;
  private isTold = false;
  private isLast = false;

  constructor(host: LeavingHost) {
    this.host = host;
  }

  /** From then on nothing more is taken. */
  get begun(): boolean {
    return this.isTold;
  }

  /** From then on everything is given away, whoever takes it. */
  get stopping(): boolean {
    return this.isLast;
  }

  /** Whether somebody else should have it, and was heard of lately. */
  hasHeir(p: number): boolean {
    const { membership, wantedOwner } = this.host;
    const heir = wantedOwner(p);
    return heir !== null && heir !== membership.incarnation && membership.silentMs(heir) < heirSilentMsMax;
  }

  /** Waits until the heirs have what is theirs, while everything is served on. */
  async handOver(waitMs: DurationMs): Promise<void> {
    const { membership, scheduler, held } = this.host;
    const until = scheduler.steady() + waitMs;
    await this.tell(waitMs);
    // those who are told to leave together see each other, and nobody gives to who goes as well
    await pause(scheduler, heirsShownMs);
    await Promise.race([membership.look(), pause(scheduler, waitMs)]);
    const owed = (): boolean => held().some((p) => this.hasHeir(p));
    while (owed() && scheduler.steady() < until) await pause(scheduler, settlePollMs);
  }

  /** Gives away what is left, and leaves the directory. */
  async stop(waitMs: DurationMs): Promise<void> {
    const { membership, bus, scheduler, held, giveAll } = this.host;
    this.isLast = true;
    const until = scheduler.steady() + waitMs;
    await this.tell(waitMs);
    while (held().length > 0 && scheduler.steady() < until) {
      giveAll(until);
      await pause(scheduler, settlePollMs);
    }
    await membership.leave();
    bus.broadcast(partitionsMoved, '');
  }

  private async tell(waitMs: DurationMs): Promise<void> {
    const { membership, bus, scheduler } = this.host;
    this.isTold = true;
    await Promise.race([membership.tell(), pause(scheduler, Math.max(0, waitMs))]);
    bus.broadcast(partitionsMoved, '');
  }
}
