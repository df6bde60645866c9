/** Owners of partitions that cannot answer: who waits for one of them is told, who would ask one waits for the next.
 *  Boundary: judges by what looks at the directory showed; whether anything was executed it cannot know.
 *  1. A node nobody saw beat for `muteAfterMs`, one that lost its bus, one that is dead: what was asked of it before is
 *     given up. Its session may live a little longer: given up is not undone.
 *  2. Only while it owns the partition: of one that was given away or taken, another may be about to answer.
 *  3. Whoever cannot look judges nobody. */
import { seconds, type Cancel, type DurationMs, type Scheduler } from '../kernel/time.ts';
import type { NodeRow, PartitionRow } from '../store/directory.ts';
import { sessionLifeMs } from './membership.ts';

/** Sooner than a node is buried, so that nobody waits for it when it is. */
export const muteAfterMs: DurationMs = sessionLifeMs - seconds(1.5);

interface Waiting {
  readonly partition: number;
  readonly since: DurationMs;
  readonly giveUp: () => void;
}

export interface MuteOwnersParts {
  readonly scheduler: Pick<Scheduler, 'steady'>;
  /** How long a node has been seen to be silent; 0 when nobody knows. */
  readonly silentMs: (incarnation: string) => DurationMs;
}

export class MuteOwners {
  private readonly parts: MuteOwnersParts;
  private owners = new Map<number, string | null>();
  private mute: ReadonlySet<string> = new Set();
  private offBus: ReadonlySet<string> = new Set();
  private readonly waiting = new Set<Waiting>();

  constructor(parts: MuteOwnersParts) {
    this.parts = parts;
  }

  /** Whether what is asked now may be answered. */
  maySpeak(partition: number): boolean {
    const owner = this.owners.get(partition) ?? null;
    return owner === null || !this.mute.has(owner);
  }

  /** Calls `giveUp` once what was asked by now cannot be answered any more. */
  whenMute(partition: number, giveUp: () => void): Cancel {
    const waiting: Waiting = { partition, since: this.parts.scheduler.steady(), giveUp };
    this.waiting.add(waiting);
    return () => void this.waiting.delete(waiting);
  }

  /** Called with each look; `askedAt`: when it was asked for, on the steady clock. */
  heed(look: {
    readonly nodes: readonly NodeRow[];
    readonly partitions: readonly PartitionRow[];
    readonly askedAt: DurationMs;
  }): void {
    const dead = ({ inc, state }: NodeRow): boolean =>
      state === 'dead' || this.parts.silentMs(inc) >= muteAfterMs;
    const lostBus = look.nodes.filter(({ inc, info }) => !info.bus && !this.offBus.has(inc));
    this.owners = new Map(look.partitions.map(({ p, owner }) => [p, owner]));
    this.mute = new Set(look.nodes.filter(dead).map(({ inc }) => inc));
    this.offBus = new Set(look.nodes.filter(({ info }) => !info.bus).map(({ inc }) => inc));
    this.giveUp(new Set([...this.mute, ...lostBus.map(({ inc }) => inc)]), look.askedAt);
  }

  /** What was asked after the look may have found the next owner. */
  private giveUp(silent: ReadonlySet<string>, askedAt: DurationMs): void {
    if (silent.size === 0) return;
    for (const one of this.waiting) {
      const owner = this.owners.get(one.partition) ?? null;
      if (owner === null || !silent.has(owner) || one.since >= askedAt) continue;
      this.waiting.delete(one);
      one.giveUp();
    }
  }
}
