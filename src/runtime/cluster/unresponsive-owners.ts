/** Owners of partitions that cannot answer: callers that wait for one are notified, and new callers wait
 *  for the next owner.
 *  Boundary: decides by what reads of the directory showed; it cannot know whether a command was executed.
 *  1. This covers a node without a heartbeat for `unresponsiveAfterMs`, a node that lost its bus, and a
 *     dead node. Earlier asks to it are given up. Its session may last a little longer; the decision is not
 *     reversed.
 *  2. Asks are also given up when another node owns the partition by now, or the same node under another
 *     epoch: the earlier owner will not answer.
 *  3. A node that cannot read the directory decides about no other node. */
import { seconds, type Cancel, type DurationMs, type Scheduler } from '../../kernel/time.ts';
import type { NodeRow, PartitionRow } from '../../store/directory.ts';
import { sessionLifeMs } from './membership.ts';

/** Shorter than the time until a node is declared dead, so that no caller waits for it that long. */
export const unresponsiveAfterMs: DurationMs = sessionLifeMs - seconds(1.5);

type Owned = Pick<PartitionRow, 'owner' | 'epoch'>;

interface Waiting {
  readonly partition: number;
  /** The owner according to the last read before the ask; undefined: unknown. */
  readonly asked: Owned | undefined;
  readonly since: DurationMs;
  readonly giveUp: () => void;
}

export interface UnresponsiveOwnersParts {
  readonly scheduler: Pick<Scheduler, 'steady'>;
  /** For how long a node has shown no heartbeat; 0 when that is unknown. */
  readonly unseenMs: (incarnation: string) => DurationMs;
}

export class UnresponsiveOwners {
  private readonly parts: UnresponsiveOwnersParts;
  private owners: ReadonlyMap<number, Owned> = new Map();
  private unresponsive: ReadonlySet<string> = new Set();
  private offBus: ReadonlySet<string> = new Set();
  private readonly waiting = new Set<Waiting>();

  constructor(parts: UnresponsiveOwnersParts) {
    this.parts = parts;
  }

  /** Whether an ask sent now may be answered. */
  maySend(partition: number): boolean {
    const owner = this.owners.get(partition)?.owner ?? null;
    return owner === null || !this.unresponsive.has(owner);
  }

  /** Calls `giveUp` once the asks sent so far cannot be answered any more. */
  whenUnresponsive(partition: number, giveUp: () => void): Cancel {
    const asked = this.owners.get(partition);
    const waiting: Waiting = { partition, asked, since: this.parts.scheduler.steady(), giveUp };
    this.waiting.add(waiting);
    return () => void this.waiting.delete(waiting);
  }

  /** Called with each read; `askedAt`: when it was requested, in steady time. */
  observe(read: {
    readonly nodes: readonly NodeRow[];
    readonly partitions: readonly PartitionRow[];
    readonly askedAt: DurationMs;
  }): void {
    const dead = ({ inc, state }: NodeRow): boolean =>
      state === 'dead' || this.parts.unseenMs(inc) >= unresponsiveAfterMs;
    const lostBus = read.nodes.filter(({ inc, info }) => !info.bus && !this.offBus.has(inc));
    this.owners = new Map(read.partitions.map((row) => [row.p, row]));
    this.unresponsive = new Set(read.nodes.filter(dead).map(({ inc }) => inc));
    this.offBus = new Set(read.nodes.filter(({ info }) => !info.bus).map(({ inc }) => inc));
    this.giveUp(new Set([...this.unresponsive, ...lostBus.map(({ inc }) => inc)]), read.askedAt);
  }

  /** Asks sent after the read may have reached the next owner. */
  private giveUp(unseen: ReadonlySet<string>, askedAt: DurationMs): void {
    for (const one of this.waiting) {
      if (one.since >= askedAt) continue;
      const now = this.owners.get(one.partition);
      const isUnresponsive = typeof now?.owner === 'string' && unseen.has(now.owner);
      if (!isUnresponsive && !isOver(one.asked, now)) continue;
      this.waiting.delete(one);
      one.giveUp();
    }
  }
}

/** Whether the ownership of the node that was asked has ended. */
const isOver = (asked: Owned | undefined, now: Owned | undefined): boolean =>
  asked !== undefined && (now?.owner !== asked.owner || now.epoch !== asked.epoch);
