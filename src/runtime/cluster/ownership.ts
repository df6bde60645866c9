/** What a node owns; checked before every delivery. An embedded node owns everything; in a cluster a node
 *  owns partitions (partitions.ts). */
import { slotCount } from '../../kernel/id.ts';
import { pause, seconds, type Cancel, type DurationMs, type Scheduler } from '../../kernel/time.ts';
import type { SlotRange, Store } from '../../store/store.ts';
import type { BrokenBuild } from '../model/broken-builds.ts';
import type { AskResult, Envelope } from '../model/envelope.ts';
import { alwaysValid, PartitionLease } from './partition-lease.ts';

/** The number of partitions of a cluster, unless a test sets another: a power of two. */
export const partitionsOfCluster = 256;

export interface Ownership {
  /** This process start, `n:` + text; a node that was declared dead returns with another. */
  readonly incarnation: string;
  /** The incarnations whose requests may still be in progress. */
  readonly incarnationsAlive: readonly string[];
  /** The lease under which this node serves an actor; undefined when another node does. */
  leaseOf(actorId: string): PartitionLease | undefined;
  partitionOf(actorId: string): number;
  /** Whether the owner of a partition can answer now. */
  maySend(partition: number): boolean;
  /** Calls `giveUp` once the owner can no longer answer what it has been asked so far, or no longer owns
   *  the partition. */
  whenUnresponsive(partition: number, giveUp: () => void): Cancel;
  /** The slots served now; undefined = all. */
  readonly slots: readonly SlotRange[] | undefined;
  /** A newer epoch was found: this lease belongs to another node now, whatever this node believes. */
  lost(lease: PartitionLease): void;
  /** The documents there cannot be read here: another node must serve the partition. */
  refuse(lease: PartitionLease): void;
  /** The newest schema of a kind that every living node can read. */
  readByAll(kind: string): number;
  /** Starts to take ownership; resolves when this node owns what it can for now. */
  start(parts: OwnershipParts): Promise<void>;
  /** Gives away what other nodes can take, waiting at most this long; asks that arrive meanwhile and later
   *  are forwarded to them. Partitions that no node can take, or that are still busy, stay. Call before
   *  `stop`. */
  handOver(waitMs: DurationMs): Promise<void>;
  /** Gives everything away; waits at most this long for work in progress, and `onceCallMsMax` longer for a call that
   *  is never made again. */
  stop(waitMs: DurationMs): Promise<void>;
  /** Whether such a call (a refund) is out. */
  readonly callsOnce: boolean;
  /** Stops at once, like a killed process. */
  kill(): void;
}

/** What the node does for its ownership. */
export interface OwnershipParts {
  readonly store: Store;
  readonly scheduler: Scheduler;
  /** Loads the pending work of these leases: timers, unfinished sending. Rejects when the store does not
   *  answer. */
  readonly scan: (leases: readonly PartitionLease[]) => Promise<void>;
  /** Executes a command that arrived over the bus. */
  readonly answer: (lease: PartitionLease, envelope: Envelope) => Promise<AskResult>;
  /** Whether any of its work is still in progress. */
  readonly underWay: (lease: PartitionLease) => boolean;
  /** Drops everything of a lease that has ended. */
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

/** One process that owns everything under epoch 1 for its whole life. */
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

  maySend(): boolean {
    return true;
  }

  whenUnresponsive(): Cancel {
    return () => undefined;
  }

  lost(): void {
    // no other node can own it
  }

  refuse(): void {
    // no other node can take it
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
      session: alwaysValid,
      scheduler,
      store,
    });
    this.lease.serve();
    await scan([this.lease]);
  }

  async handOver(): Promise<void> {
    // no other node can take it
  }

  get callsOnce(): boolean {
    return this.lease?.callsOnce === true;
  }

  async stop(waitMs: DurationMs): Promise<void> {
    const { parts, lease } = this;
    if (parts === null || lease === undefined) return;
    const until = parts.scheduler.steady() + waitMs;
    while (parts.scheduler.steady() < longerBy(until, lease) && (lease.callsOnce || parts.underWay(lease)))
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

/** How much longer a node that stops waits for the answer to a call that is never made again: without it only look-ups
 *  tell, much later, what the call did. */
export const onceCallMsMax = seconds(5);

/** `until`, or later while such a call is out. */
export const longerBy = (until: DurationMs, { callsOnce }: { readonly callsOnce: boolean }): DurationMs =>
  callsOnce ? until + onceCallMsMax : until;

/** How long a hand-off waits for work in progress. */
export const handOffMsMax = seconds(12);
