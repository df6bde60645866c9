/** What a node owns: asked before every delivery. Embedded it is everything; in a cluster, partitions
 *  (partitions.ts). */
import { slotCount } from '../../kernel/id.ts';
import { pause, seconds, type Cancel, type DurationMs, type Scheduler } from '../../kernel/time.ts';
import type { SlotRange, Store } from '../../store/store.ts';
import type { BrokenBuild } from '../model/broken-builds.ts';
import type { AskResult, Envelope } from '../model/envelope.ts';
import { alwaysValid, PartitionLease } from './partition-lease.ts';

/** How many slices the addresses of a cluster are cut into, unless a test says otherwise: a power of two. */
export const partitionsOfCluster = 256;

export interface Ownership {
  /** This process start, `n:` + text; a node that was deposed comes back with another. */
  readonly incarnation: string;
  /** Whose requests may still be under way. */
  readonly incarnationsAlive: readonly string[];
  /** The lease under which this node serves an actor; undefined when another does. */
  leaseOf(actorId: string): PartitionLease | undefined;
  partitionOf(actorId: string): number;
  /** Whether the owner of a partition may answer what is asked of him now. */
  maySpeak(partition: number): boolean;
  /** Calls `giveUp` once the owner cannot answer any more what was asked of him by now, or owns it no more. */
  whenUnresponsive(partition: number, giveUp: () => void): Cancel;
  /** Slots of what is being served; undefined = all there are. */
  readonly slots: readonly SlotRange[] | undefined;
  /** A newer epoch was met: this lease is another's, whatever this node believes. */
  lost(lease: PartitionLease): void;
  /** What lies there cannot be read here: somebody else must serve it. */
  refuse(lease: PartitionLease): void;
  /** The newest schema of a kind that every living node reads. */
  readByAll(kind: string): number;
  /** Begins to own; resolves when it owns what it can for now. */
  start(parts: OwnershipParts): Promise<void>;
  /** Gives away what others can take, waiting at most this long; what is asked here meanwhile and later reaches them.
   *  What nobody can take, or is still at work, stays. Before `stop`. */
  handOver(waitMs: DurationMs): Promise<void>;
  /** Gives everything away, waiting for what is under way at most this long. */
  stop(waitMs: DurationMs): Promise<void>;
  /** At once, as a killed process would. */
  kill(): void;
}

/** What the node does for the one who decides what it owns. */
export interface OwnershipParts {
  readonly store: Store;
  readonly scheduler: Scheduler;
  /** Brings what these leases have to go on with to mind: timers, unfinished sending. Rejects when the
   *  store is away. */
  readonly scan: (leases: readonly PartitionLease[]) => Promise<void>;
  /** Executes a command that came over the bus. */
  readonly answer: (lease: PartitionLease, envelope: Envelope) => Promise<AskResult>;
  /** Whether anything of it is still under way. */
  readonly underWay: (lease: PartitionLease) => boolean;
  /** Forgets everything of a lease that is over. */
  readonly drop: (lease: PartitionLease) => void;
  readonly faults: BrokenBuild;
}

/** Contiguous slots of sorted partitions. */
export function slotsOf(partitions: readonly number[], count: number): readonly SlotRange[] {
  const width = slotCount / count;
  const ranges: { from: number; to: number }[] = [];
  for (const p of partitions) {
    const last = ranges.at(-1);
    if (last?.to === p * width) last.to += width;
    else ranges.push({ from: p * width, to: (p + 1) * width });
  }
  return ranges;
}

/** One process that owns all there is, under epoch 1, for as long as it lives. */
export class OwnsEverything implements Ownership {
  readonly incarnation: string;
  readonly slots = undefined;
  private parts: OwnershipParts | null = null;
  private lease: PartitionLease | undefined;

  constructor(incarnation: string) {
    this.incarnation = incarnation;
  }

  get incarnationsAlive(): readonly string[] {
    return [this.incarnation];
  }

  partitionOf(): number {
    return 0;
  }

  leaseOf(): PartitionLease | undefined {
    return this.lease;
  }

  maySpeak(): boolean {
    return true;
  }

  whenUnresponsive(): Cancel {
    return () => undefined;
  }

  lost(): void {
    // nobody else could have it
  }

  refuse(): void {
    // nobody else could take it
  }

  readByAll(): number {
    return Infinity;
  }

  async start(parts: OwnershipParts): Promise<void> {
    const { store, scheduler, scan } = parts;
    this.parts = parts;
    this.lease = new PartitionLease({
      partition: null,
      slots: null,
      epoch: 1,
      standing: alwaysValid,
      scheduler,
      store,
    });
    this.lease.serve();
    await scan([this.lease]);
  }

  async handOver(): Promise<void> {
    // nobody else could take it
  }

  async stop(waitMs: DurationMs): Promise<void> {
    const { parts, lease } = this;
    if (parts === null || lease === undefined) return;
    const until = parts.scheduler.steady() + waitMs;
    while (parts.scheduler.steady() < until && parts.underWay(lease))
      await pause(parts.scheduler, stopPollMs);
    this.kill();
  }

  kill(): void {
    const { lease } = this;
    this.lease = undefined;
    lease?.end();
    if (lease !== undefined) this.parts?.drop(lease);
  }
}

const stopPollMs = 20;

/** How long giving a partition away waits for what is under way. */
export const handOffMsMax = seconds(12);
