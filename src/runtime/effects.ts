/** Runs effects outside turns, after their commit (engine 7).
 *  1. At most `atOnce` of a lane run together, first in first out per key.
 *  2. A runner that keeps throwing becomes `unknown`; it never blocks its lane for good.
 *  3. A `once` effect is begun by a commit of its actor before it is called; begun and unfinished is never run again. */
import { seconds, type Instant, type Scheduler } from '../kernel/time.ts';
import type { OutRow } from '../store/store.ts';
import type { Scope } from './address.ts';

/** What a runner is told beside the effect's data. */
export interface EffectContext {
  readonly scope: Scope;
  readonly actorId: string;
  /** `<actor>:<q>`: the same for every run of this effect. */
  readonly key: string;
  /** Now on the actor's clock. */
  now(): Instant;
}

/** Does the effect and returns the data of its result command. Owns its time limits; may throw. */
export interface EffectRunner {
  run(data: never, context: EffectContext): Promise<object>;
  /** How many of one lane run at once; without lane the bound is per kind. */
  readonly atOnce: number;
}

export type EffectRunners = { readonly [kind: string]: EffectRunner };

/** Of one kind, over all lanes: webhooks nobody answers never hold up a call to a provider. */
export const runningPerKindMax = 500;
/** After this long a run is given up; what it brings later is ignored. */
export const runMsMax = seconds(60);
export const runTriesMax = 5;
const retryDelayMs = seconds(1);

export type EffectOutRow = Extract<OutRow, { type: 'effect' }>;

/** One effect to run and what to do with what comes of it. */
export interface EffectJob {
  readonly row: EffectOutRow;
  readonly context: EffectContext;
  readonly begin: (() => Promise<boolean>) | null;
  /** Resolves when the result is committed. */
  readonly finish: (result: object | 'unknown') => Promise<void>;
}

interface Lane {
  running: number;
  readonly keysRunning: Set<string>;
  waiting: EffectJob[];
}

export class Effects {
  private readonly runners: EffectRunners;
  private readonly scheduler: Scheduler;
  private readonly onThrow: (kind: string, thrown: unknown) => void;
  private readonly lanes = new Map<string, Lane>();
  private readonly running = new Map<string, number>();

  constructor(runners: EffectRunners, scheduler: Scheduler, onThrow: (kind: string, thrown: unknown) => void) {
    this.runners = runners;
    this.scheduler = scheduler;
    this.onThrow = onThrow;
  }

  start(job: EffectJob): void {
    const name = laneOf(job.row);
    const lane = this.lanes.get(name) ?? { running: 0, keysRunning: new Set(), waiting: [] };
    this.lanes.set(name, lane);
    const order = job.row.order ?? 0;
    const later = lane.waiting.findIndex(({ row }) => row.key === job.row.key && (row.order ?? 0) > order);
    lane.waiting.splice(later < 0 ? lane.waiting.length : later, 0, job);
    this.advance(name, lane);
  }

  private advance(name: string, lane: Lane): void {
    for (let at = 0; at < lane.waiting.length; ) {
      const job = lane.waiting[at];
      if (job === undefined || this.runningOf(job.row.kind) >= runningPerKindMax) break;
      if (lane.running >= (this.runners[job.row.kind]?.atOnce ?? 1)) break;
      const { key } = job.row;
      if (key !== undefined && lane.keysRunning.has(key)) {
        at++;
        continue;
      }
      lane.waiting.splice(at, 1);
      void this.run(name, lane, job);
    }
    if (lane.running === 0 && lane.waiting.length === 0) this.lanes.delete(name);
  }

  private async run(name: string, lane: Lane, job: EffectJob): Promise<void> {
    const { key } = job.row;
    const { kind } = job.row;
    lane.running++;
    this.running.set(kind, this.runningOf(kind) + 1);
    if (key !== undefined) lane.keysRunning.add(key);
    // the next of this key starts from what this one has committed
    await job.finish(await this.result(job));
    const wasFull = this.runningOf(kind) === runningPerKindMax;
    lane.running--;
    this.running.set(kind, this.runningOf(kind) - 1);
    if (key !== undefined) lane.keysRunning.delete(key);
    this.advance(name, lane);
    if (wasFull) for (const [other, waiting] of this.lanes) this.advance(other, waiting);
  }

  private runningOf(kind: string): number {
    return this.running.get(kind) ?? 0;
  }

  private async result(job: EffectJob): Promise<object | 'unknown'> {
    const runner = this.runners[job.row.kind];
    if (runner === undefined) return 'unknown';
    if (job.begin !== null && !(await job.begin())) return 'unknown';
    const triesMax = job.begin === null ? runTriesMax : 1;
    for (let tries = 1; tries <= triesMax; tries++) {
      try {
        return await this.limited(runner.run(job.row.data as never, job.context));
      } catch (thrown) {
        this.onThrow(job.row.kind, thrown);
      }
      if (tries < triesMax) await new Promise<void>((resolve) => void this.scheduler.after(retryDelayMs * tries, resolve));
    }
    return 'unknown';
  }

  private limited(run: Promise<object>): Promise<object> {
    return new Promise((resolve, reject) => {
      const cancel = this.scheduler.after(runMsMax, () => reject(new Error(`no result within ${runMsMax} ms`)));
      run.then(resolve, reject).finally(cancel);
    });
  }
}

const laneOf = ({ kind, lane }: EffectOutRow): string => `${kind}:${lane ?? ''}`;
