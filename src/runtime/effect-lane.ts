/** What waits and runs in one lane of effects: first in first out per key, different keys beside each other.
 *  Adding and taking cost the same however long the lane is. */
import type { EffectJob } from './effects.ts';

export class Lane {
  readonly name: string;
  /** Stands in the line of its kind. */
  inLine = false;
  /** Its last run took long. */
  isSlow = false;
  private readonly atOnce: number;
  private running = 0;
  /** Jobs of each key in their order; the first of a key that does not run stands in `heads`. */
  private readonly byKey = new Map<string, EffectJob[]>();
  private readonly heads = new Map<string, EffectJob>();
  private readonly runningKeys = new Set<string>();

  constructor(name: string, atOnce: number) {
    this.name = name;
    this.atOnce = atOnce;
  }

  /** Whether a job could start now. A slow lane runs one at a time. */
  get ready(): boolean {
    return this.heads.size > 0 && this.running < (this.isSlow ? 1 : this.atOnce);
  }

  get empty(): boolean {
    return this.running === 0 && this.byKey.size === 0;
  }

  add(job: EffectJob): void {
    const key = keyOf(job);
    const jobs = this.byKey.get(key) ?? [];
    this.byKey.set(key, jobs);
    let at = jobs.length;
    while (at > 0 && orderOf(jobs[at - 1]) > orderOf(job)) at--;
    jobs.splice(at, 0, job);
    this.lift(key);
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

  private lift(key: string): void {
    const first = this.byKey.get(key)?.[0];
    if (first !== undefined && !this.runningKeys.has(key)) this.heads.set(key, first);
  }
}

/** Effects without a key are each a key of their own. */
const keyOf = ({ row, context }: EffectJob): string => row.key ?? `\0${context.key}`;

const orderOf = (job: EffectJob | undefined): number => job?.row.order ?? 0;
