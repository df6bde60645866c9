/** Owners of partitions that cannot answer: who waits for one of them is told, who would ask one waits for the next.
 *  Boundary: judges by what looks at the directory showed; whether anything was executed it cannot know.
 *  1. A node nobody saw beat for `unresponsiveAfterMs`, one that lost its bus, one that is dead: what was asked of it
 *     before is given up. Its session may live a little longer: given up is not undone.
 *  2. So is what was asked while another owned the partition, or the same one under another epoch: that one has nothing
 *     more to say.
 *  3. Whoever cannot look judges nobody. */
import { seconds, type Cancel, type DurationMs, type Scheduler } from '../../kernel/time.ts';
import type { NodeRow, PartitionRow } from '../../store/directory.ts';
import { sessionLifeMs } from './membership.ts';

/** Sooner than a node is buried, so that nobody waits for it when it is. */
export const unresponsiveAfterMs: DurationMs = sessionLifeMs - seconds(1.5);

type Owned = Pick<PartitionRow, 'owner' | 'epoch'>;

interface Waiting {
  readonly partition: number;
  /** As the last look before it showed; undefined: none did. */
  readonly asked: Owned | undefined;
  readonly since: DurationMs;
  readonly giveUp: () => void;
}

export interface UnresponsiveOwnersParts {
  readonly scheduler: Pick<Scheduler, 'steady'>;
  /** How long a node has been seen to be silent; 0 when nobody knows. */
  readonly silentMs: (incarnation: string) => DurationMs;
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

  /** Whether what is asked now may be answered. */
  maySpeak(partition: number): boolean {
    const owner = this.owners.get(partition)?.owner ?? null;
    return owner === null || !this.unresponsive.has(owner);
  }

  /** Calls `giveUp` once what was asked by now cannot be answered any more. */
  whenUnresponsive(partition: number, giveUp: () => void): Cancel {
    const asked = this.owners.get(partition);
    const waiting: Waiting = { partition, asked, since: this.parts.scheduler.steady(), giveUp };
    this.waiting.add(waiting);
    return () => void this.waiting.delete(waiting);
  }

  /** Called with each look; `askedAt`: when it was asked for, on the steady clock. */
  observe(look: {
    readonly nodes: readonly NodeRow[];
    readonly partitions: readonly PartitionRow[];
    readonly askedAt: DurationMs;
  }): void {
    const dead = ({ inc, state }: NodeRow): boolean =>
      state === 'dead' || this.parts.silentMs(inc) >= unresponsiveAfterMs;
    const lostBus = look.nodes.filter(({ inc, info }) => !info.bus && !this.offBus.has(inc));
    this.owners = new Map(look.partitions.map((row) => [row.p, row]));
    this.unresponsive = new Set(look.nodes.filter(dead).map(({ inc }) => inc));
    this.offBus = new Set(look.nodes.filter(({ info }) => !info.bus).map(({ inc }) => inc));
    this.giveUp(new Set([...this.unresponsive, ...lostBus.map(({ inc }) => inc)]), look.askedAt);
  }

  /** What was asked after the look may have found the next owner. */
  private giveUp(silent: ReadonlySet<string>, askedAt: DurationMs): void {
    for (const one of this.waiting) {
      if (one.since >= askedAt) continue;
      const now = this.owners.get(one.partition);
      const isUnresponsive = typeof now?.owner === 'string' && silent.has(now.owner);
      if (!isUnresponsive && !isOver(one.asked, now)) continue;
      this.waiting.delete(one);
      one.giveUp();
    }
  }
}

/** Whether the time of the owner that was asked has ended. */
const isOver = (asked: Owned | undefined, now: Owned | undefined): boolean =>
  asked !== undefined && (now?.owner !== asked.owner || now.epoch !== asked.epoch);
