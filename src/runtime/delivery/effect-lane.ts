/** The waiting and running jobs of one lane of effects: first in, first out per key; different keys run in
 *  parallel. Adding and taking cost the same however long the lane is.
 *  1. At most `waitingMax` jobs wait in memory: the earliest ones. The rows of all others wait in the
 *     store.
 *  2. No job overtakes a row that waits in the store: later jobs wait there too, until a refill has offered
 *     every stored row again. Until then the lane starts nothing. */
import type { EffectJob } from './effect-job.ts';

export class Lane {
  readonly name: string;
  /** In the queue of lanes of its kind. */
  inLine = false;
  /** Its last run was slow. */
  isSlow = false;
  private readonly atOnce: number;
  private readonly waitingMax: number;
  private running = 0;
  private waiting = 0;
  /** The jobs of each key, in order. For each key that is not running, its first job is in `heads`. */
  private readonly byKey = new Map<string, EffectJob[]>();
  private readonly heads = new Map<string, EffectJob>();
  private readonly runningKeys = new Set<string>();
  /** The earliest order among the rows that wait in the store. */
  private storedFrom = Infinity;
  private filling = false;

  constructor(name: string, atOnce: number, waitingMax: number) {
    this.name = name;
    this.atOnce = atOnce;
    this.waitingMax = waitingMax;
  }

  /** Whether a job could start now. A slow lane runs one at a time. */
  get ready(): boolean {
    return !this.filling && this.heads.size > 0 && this.running < (this.isSlow ? 1 : this.atOnce);
  }

  /** Jobs that wait in memory. */
  get size(): number {
    return this.waiting;
  }

  get empty(): boolean {
    return this.running === 0 && this.byKey.size === 0 && this.storedFrom === Infinity && !this.filling;
  }

  /** Rows wait in the store and there is room for them. */
  get hasRoom(): boolean {
    return !this.filling && this.storedFrom < Infinity && this.waiting <= this.waitingMax / 2;
  }

  /** Accepts a job. Returns the job that no longer fits: this one, a later one, or none. */
  add(job: EffectJob): EffectJob | null {
    const order = orderOf(job);
    if (order >= this.storedFrom) return job;
    if (this.waiting < this.waitingMax) {
      this.insert(job);
      return null;
    }
    const last = this.last();
    if (last === undefined || orderOf(last) <= order) {
      this.storedFrom = order;
      return job;
    }
    this.remove(last);
    this.storedFrom = orderOf(last);
    this.insert(job);
    return last;
  }

  /** From now on every row that waits in the store is offered again; no job starts before all have been
   *  offered. */
  beginFilling(): void {
    this.filling = true;
    this.storedFrom = Infinity;
  }

  endFilling(): void {
    this.filling = false;
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

  ended(job: EffectJob, tookLong: boolean): void {
    const key = keyOf(job);
    this.running--;
    this.isSlow = tookLong;
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
    if (first !== undefined && !this.runningKeys.has(key)) this.heads.set(key, first);
  }
}

/** Each effect without a key has a key of its own. */
const keyOf = ({ row, context }: EffectJob): string => row.key ?? `\0${context.key}`;

/** A row without an explicit order is ordered by the time of its commit. */
const orderOf = (job: EffectJob | undefined): number =>
  job === undefined ? -Infinity : (job.row.order ?? job.row.at);
