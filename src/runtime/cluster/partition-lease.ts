/** The time one node owns one partition, under one epoch. Actors in memory belong to a lease; what they see
 *  of time and store ends with it, so nothing of theirs leaves afterwards.
 *  1. A partition has at most one lease that may speak, in the whole cluster: the next one begins only after this one
 *     was given away, or after its node can no longer believe in it.
 *  2. Embedded there is one lease for everything, and it ends with the process. */
import type { Scheduler } from '../../kernel/time.ts';
import type { SlotRange, Store } from '../../store/store.ts';
import { guardedScheduler, guardedStore } from './lifetime-guard.ts';

/** `opening`: taken, not yet scanned; commands wait. `draining`: still the only owner, but takes nothing new. */
export type LeasePhase = 'opening' | 'serving' | 'draining' | 'over';

/** Whether a node may speak for what it owns, as of this moment. */
export interface Standing {
  readonly valid: boolean;
  /** Resolves when it may (again); never, once the node is out. */
  whenValid(): Promise<void>;
}

export const alwaysValid: Standing = { valid: true, whenValid: () => Promise.resolve() };

/** What was asked of an actor in memory cannot be told: its lease is over, and the store knows more. */
export class LeaseOver extends Error {
  override readonly name = 'LeaseOver';
}

export interface PartitionLeaseOptions {
  /** null: all of them (embedded). */
  readonly partition: number | null;
  /** What it owns; null: everything. */
  readonly slots: SlotRange | null;
  readonly epoch: number;
  readonly standing: Standing;
  readonly scheduler: Scheduler;
  readonly store: Store;
  /** The broken build: it speaks whatever its standing. */
  readonly speaksAnyway?: boolean;
}

export class PartitionLease {
  readonly partition: number | null;
  readonly slots: SlotRange | null;
  readonly epoch: number;
  readonly scheduler: Scheduler;
  readonly store: Store;
  private readonly standing: Standing;
  private readonly speaksAnyway: boolean;
  private readonly opened: Promise<void>;
  private current: LeasePhase = 'opening';
  private readonly atEnd = new Set<() => void>();
  private readonly waitingToAct: (() => void)[] = [];
  private resting = false;
  private acting = 0;
  private sayOpened: () => void = () => undefined;

  constructor({
    partition,
    slots,
    epoch,
    standing,
    scheduler,
    store,
    speaksAnyway = false,
  }: PartitionLeaseOptions) {
    this.partition = partition;
    this.slots = slots;
    this.epoch = epoch;
    this.standing = standing;
    this.speaksAnyway = speaksAnyway;
    this.scheduler = guardedScheduler(scheduler, () => this.over);
    this.store = guardedStore(store, () => this.over);
    this.opened = new Promise((resolve) => {
      this.sayOpened = resolve;
    });
  }

  get phase(): LeasePhase {
    return this.current;
  }

  get over(): boolean {
    return this.current === 'over';
  }

  /** Whether its node may be believed right now: it is the only owner. */
  get stands(): boolean {
    return !this.over && (this.standing.valid || this.speaksAnyway);
  }

  /** Whether an actor may do something, and a word of it leave, right now. */
  get maySpeak(): boolean {
    return this.stands && this.current !== 'opening';
  }

  /** Resolves when a word may leave; never once it is over. */
  async toSpeak(): Promise<void> {
    await this.opened;
    while (!this.maySpeak) {
      await this.standing.whenValid();
      if (this.over) await new Promise<never>(() => undefined);
    }
  }

  /** Whether something may be done outside for its actors: true once it may, false when it is over. Who was told true
   *  says `acted` at the end. */
  async toAct(): Promise<boolean> {
    while (this.resting && !this.over)
      await this.whileMine(new Promise<void>((resolve) => this.waitingToAct.push(resolve)));
    const may = this.maySpeak || (await this.whileMine(this.toSpeak().then(() => true))) === true;
    if (may) this.acting++;
    return may;
  }

  acted(): void {
    this.acting--;
  }

  /** Nothing new is done outside from now on, before a hand-off. */
  rest(): void {
    this.resting = true;
  }

  /** Whether something is being done outside right now. */
  get acts(): boolean {
    return this.acting > 0;
  }

  /** What comes of `work`, or null when the lease ends first. Leaves nothing behind once `work` has ended: a lease
   *  may last for months. */
  whileMine<T>(work: Promise<T>): Promise<T | null> {
    if (this.over) return Promise.resolve(null);
    return new Promise((resolve, reject) => {
      const over = (): void => resolve(null);
      this.atEnd.add(over);
      work.then(resolve, reject).finally(() => this.atEnd.delete(over));
    });
  }

  serve(): void {
    if (this.current === 'opening') this.current = 'serving';
    this.sayOpened();
  }

  /** Takes commands again: the hand-off is put off. */
  resume(): void {
    if (this.current === 'draining') this.current = 'serving';
    this.resting = false;
    for (const go of this.waitingToAct.splice(0)) go();
  }

  drain(): void {
    if (!this.over) this.current = 'draining';
    this.sayOpened();
  }

  end(): void {
    this.current = 'over';
    for (const work of this.atEnd) work();
    this.atEnd.clear();
  }
}
