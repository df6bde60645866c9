/** The period in which one node owns one partition, under one epoch. Actors in memory belong to a lease;
 *  their timers and store calls end with it, so they send nothing afterwards.
 *  1. In the whole cluster a partition has at most one lease that may send. The next lease starts only
 *     after this one was given away, or after its node can no longer consider itself the owner.
 *  2. Embedded there is one lease for everything, and it ends with the process. */
import type { Scheduler } from '../../kernel/time.ts';
import type { SlotRange, Store } from '../../store/store.ts';
import { guardedScheduler, guardedStore } from './lifetime-guard.ts';

/** `opening`: taken, not yet scanned; commands wait. `draining`: still the only owner, but accepts nothing
 *  new. */
export type LeasePhase = 'opening' | 'serving' | 'draining' | 'over';

/** Whether a node may act as owner at this moment. */
export interface SessionValidity {
  readonly valid: boolean;
  /** Resolves when it may (again); never once the node has been removed. */
  whenValid(): Promise<void>;
}

export const alwaysValid: SessionValidity = { valid: true, whenValid: () => Promise.resolve() };

/** An actor in memory cannot answer: its lease has ended, and the store may hold newer state. */
export class LeaseOver extends Error {
  override readonly name = 'LeaseOver';
}

export interface PartitionLeaseOptions {
  /** null: all of them (embedded). */
  readonly partition: number | null;
  /** What it owns; null: everything. */
  readonly slots: SlotRange | null;
  readonly epoch: number;
  readonly session: SessionValidity;
  readonly scheduler: Scheduler;
  readonly store: Store;
  /** Set by the deliberately broken build: it sends even when it may not. */
  readonly sendsAnyway?: boolean;
}

export class PartitionLease {
  readonly partition: number | null;
  readonly slots: SlotRange | null;
  readonly epoch: number;
  readonly scheduler: Scheduler;
  readonly store: Store;
  private readonly session: SessionValidity;
  private readonly sendsAnyway: boolean;
  private readonly opened: Promise<void>;
  private current: LeasePhase = 'opening';
  private readonly atEnd = new Set<() => void>();
  private readonly waitingToAct: (() => void)[] = [];
  private resting = false;
  private acting = 0;
  private callingOnce = 0;
  private sayOpened: () => void = () => undefined;

  constructor({
    partition,
    slots,
    epoch,
    session,
    scheduler,
    store,
    sendsAnyway = false,
  }: PartitionLeaseOptions) {
    this.partition = partition;
    this.slots = slots;
    this.epoch = epoch;
    this.session = session;
    this.sendsAnyway = sendsAnyway;
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

  /** Whether its node is the only owner right now. */
  get stands(): boolean {
    return !this.over && (this.session.valid || this.sendsAnyway);
  }

  /** Whether an actor may act and send right now. */
  get maySend(): boolean {
    return this.stands && this.current !== 'opening';
  }

  /** Resolves when it may send; never once the lease has ended. */
  async untilMaySend(): Promise<void> {
    await this.opened;
    while (!this.maySend) {
      await this.session.whenValid();
      if (this.over) await new Promise<never>(() => undefined);
    }
  }

  /** Whether an external action may start for its actors: true once it may, false when the lease has ended.
   *  A caller that got true calls `acted` at the end. */
  async toAct(): Promise<boolean> {
    while (this.resting && !this.over)
      await this.whileMine(new Promise<void>((resolve) => this.waitingToAct.push(resolve)));
    const may = this.maySend || (await this.whileMine(this.untilMaySend().then(() => true))) === true;
    if (may) this.acting++;
    return may;
  }

  /** `wasOnce`: it was a call that `callsOnce` counted. */
  acted(wasOnce = false): void {
    this.acting--;
    if (wasOnce) this.callingOnce--;
  }

  /** An external action that has begun is a call that is never made again. */
  callOnce(): void {
    this.callingOnce++;
  }

  /** Whether such a call is out: only its answer tells what it did. */
  get callsOnce(): boolean {
    return this.callingOnce > 0;
  }

  /** No new external action starts from now on; called before a hand-off. */
  rest(): void {
    this.resting = true;
  }

  /** Whether an external action is running right now. */
  get acts(): boolean {
    return this.acting > 0;
  }

  /** The result of `work`, or null when the lease ends first. Keeps no reference once `work` has ended,
   *  because a lease may last for months. */
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

  /** Accepts commands again: the hand-off is postponed. */
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
