/** The waiting and running jobs of one lane of effects: first in, first out per key; different keys run in
 *  parallel. Adding and taking cost the same however long the lane is.
 *  1. At most `waitingMax` jobs wait in memory: the earliest ones. The rows of all others wait in the
 *     store.
 *  2. No job overtakes a row that waits in the store: later jobs wait there too, until a refill has offered
 *     the stored rows again. During a refill only jobs that are earlier than every stored row start.
 *  3. After a refill the earliest starts first, in whatever order they were offered. */
import type { Instant } from '../../kernel/time.ts';
import type { Scope } from '../model/address.ts';
import type { EffectJob } from './effect-job.ts';
import type { LaneConcurrency } from './lane-concurrency.ts';

/** Jobs of one lane in memory beside the running ones, each with its actor; fewer while it runs few at
 *  once. */
export const waitingPerLaneMax = 1000;
const waitingPerLaneMin = 50;
const waitingPerRun = 10;

export class Lane {
  readonly name: string;
  /** The scope of its jobs. */
  readonly scope: Scope;
  readonly concurrency: LaneConcurrency;
  /** The queue of its kind in which it waits for its turn. */
  queue: readonly Lane[] | null = null;
  private readonly most: number;
  private running = 0;
  private waiting = 0;
  /** The jobs of each key, in order. For each key that is not running, its first job is in `heads`. */
  private readonly byKey = new Map<string, EffectJob[]>();
  private readonly heads = new Map<string, EffectJob>();
  private readonly runningKeys = new Set<string>();
  /** The earliest order among the rows that wait in the store. */
  private storedFrom = Infinity;
  /** The refill in progress: when it began, and `storedFrom` at that moment. */
  private filling: { readonly since: Instant; readonly from: number } | null = null;
  /** The actors whose rows the refill is offering. */
  private offered: ReadonlySet<string> = new Set();
  /** The refill need not go on: what it has not offered yet is later than everything here. */
  private full = false;
  /** Keys whose first job has to wait for the end of the refill. */
  private readonly heldKeys = new Set<string>();

  constructor(name: string, scope: Scope, concurrency: LaneConcurrency, waitingMax = waitingPerLaneMax) {
    this.name = name;
    this.scope = scope;
    this.concurrency = concurrency;
    this.most = waitingMax;
  }

  /** Whether a job could start now. */
  get ready(): boolean {
    return this.heads.size > 0 && this.running < this.concurrency.atOnce && !this.concurrency.isResting;
  }

  /** It runs as many as it began with, or more. */
  get isWide(): boolean {
    return this.running >= this.concurrency.begins;
  }

  private get waitingMax(): number {
    return Math.min(this.most, Math.max(waitingPerLaneMin, waitingPerRun * this.concurrency.atOnce));
  }

  /** How many more may wait in memory. */
  get room(): number {
    return this.waitingMax - this.waiting;
  }

  /** Jobs that wait in memory. */
  get size(): number {
    return this.waiting;
  }

  get empty(): boolean {
    return (
      this.running === 0 && this.byKey.size === 0 && this.storedFrom === Infinity && this.filling === null
    );
  }

  /** Rows wait in the store and there is room for them. */
  get hasRoom(): boolean {
    return this.filling === null && this.storedFrom < Infinity && this.waiting <= this.waitingMax / 2;
  }

  /** Accepts a job. Returns the job that no longer fits: this one, a later one, or none. */
  add(job: EffectJob): EffectJob | null {
    const order = orderOf(job);
    if (order >= this.storedFrom) return this.refused(job);
    if (this.waiting < this.waitingMax) {
      this.insert(job);
      return null;
    }
    const last = this.last();
    if (last === undefined || orderOf(last) <= order) return this.refused(job);
    this.remove(last);
    this.storedFrom = Math.min(this.storedFrom, orderOf(last));
    this.insert(job);
    return last;
  }

  /** This job waits in the store, and all others too until a refill has offered them. */
  leave(): void {
    this.storedFrom = -Infinity;
  }

  /** From now on the rows that wait in the store are offered again, the earliest first. */
  beginFilling(now: Instant): void {
    this.filling = { since: now, from: this.storedFrom };
    this.storedFrom = Infinity;
    this.full = false;
  }

  /** The refill offers the rows of these actors next. */
  offering(actorIds: readonly string[]): void {
    this.offered = new Set(actorIds);
  }

  get isFull(): boolean {
    return this.full;
  }

  endFilling(): void {
    this.filling = null;
    this.offered = new Set();
    const firstOf = (key: string): number => orderOf(this.byKey.get(key)?.[0]);
    for (const key of [...this.heldKeys].sort((a, b) => firstOf(a) - firstOf(b))) this.lift(key);
    this.heldKeys.clear();
  }

  /** A row that the refill does not offer proves nothing about those it has still to offer: one that was committed
   *  since it began, or one that a scan of all actors came upon. */
  private refused(job: EffectJob): EffectJob {
    this.storedFrom = Math.min(this.storedFrom, orderOf(job));
    const isOffered = this.offered.has(job.context.actorId);
    if (this.filling !== null && isOffered && job.row.at < this.filling.since) this.full = true;
    return job;
  }

  /** The next job, now running. */
  take(): EffectJob | undefined {
    if (!this.ready) return undefined;
    const [first] = this.heads;
    if (first === undefined) return undefined;
    const [key, job] = first;
    this.heads.delete(key);
    this.byKey.get(key)?.shift();
    this.runningKeys.add(key);
    this.running++;
    this.waiting--;
    return job;
  }

  ended(job: EffectJob): void {
    const key = keyOf(job);
    this.running--;
    this.runningKeys.delete(key);
    if (this.byKey.get(key)?.length === 0) this.byKey.delete(key);
    else this.lift(key);
  }

  private insert(job: EffectJob): void {
    const key = keyOf(job);
    const jobs = this.byKey.get(key) ?? [];
    this.byKey.set(key, jobs);
    let at = jobs.length;
    while (at > 0 && orderOf(jobs[at - 1]) > orderOf(job)) at--;
    jobs.splice(at, 0, job);
    this.waiting++;
    this.lift(key);
  }

  /** Removes the last job of its key. */
  private remove(job: EffectJob): void {
    const key = keyOf(job);
    const jobs = this.byKey.get(key);
    jobs?.pop();
    this.waiting--;
    if (jobs?.length !== 0) return;
    this.heads.delete(key);
    if (!this.runningKeys.has(key)) this.byKey.delete(key);
  }

  /** The latest waiting job. Only a full lane searches for it. */
  private last(): EffectJob | undefined {
    let last: EffectJob | undefined;
    for (const jobs of this.byKey.values()) {
      const job = jobs.at(-1);
      if (job !== undefined && orderOf(job) >= orderOf(last)) last = job;
    }
    return last;
  }

  private lift(key: string): void {
    const first = this.byKey.get(key)?.[0];
    if (first === undefined || this.runningKeys.has(key)) return;
    if (this.filling === null || orderOf(first) < this.filling.from) this.heads.set(key, first);
    else {
      this.heads.delete(key);
      this.heldKeys.add(key);
    }
  }
}

/** Each effect without a key has a key of its own. */
const keyOf = ({ row, context }: EffectJob): string => row.key ?? `\0${context.key}`;

/** A row without an explicit order is ordered by the time of its commit. */
const orderOf = (job: EffectJob | undefined): number =>
  job === undefined ? -Infinity : (job.row.order ?? job.row.at);
