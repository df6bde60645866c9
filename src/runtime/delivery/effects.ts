/** Runs effects outside turns, after their commit.
 *  1. At most `atOnce` effects of a lane run together, first in, first out per key.
 *  2. The lanes of one kind take turns. Lanes with slow runs share half of the places, so that one slow
 *     target does not delay the others.
 *  3. A runner that keeps throwing ends as `unknown`; it never blocks its lane permanently.
 *  4. An `atMostOnce` effect is claimed by a commit of its actor before it is called; an effect that was claimed
 *     but not finished is never run again.
 *  5. Effects that do not fit into a lane wait in the stored `out` only, and are offered again when there
 *     is room. */
import { assert } from '../../kernel/assert.ts';
import { Backoff } from '../../kernel/backoff.ts';
import { pause, seconds, type Scheduler } from '../../kernel/time.ts';
import type { EffectContext, EffectJob } from './effect-job.ts';
import { Lane } from './effect-lane.ts';
import type { EffectsOfKind } from '../model/meters.ts';

/** Runs the effect and returns the data of its result command. Responsible for its own time limits; may
 *  throw. */
export interface EffectRunner {
  run(data: never, context: EffectContext): Promise<object>;
  /** How many effects of one lane run at once; all effects of a kind without lanes form one lane. */
  readonly atOnce: number;
  /** How many effects of one lane wait in memory; default `waitingPerLaneMax`. */
  readonly waitingMax?: number;
}

export type EffectRunners = { readonly [kind: string]: EffectRunner };

/** The runners of all features. Each effect of an actor has one runner, registered by the feature that owns
 *  the effect. The start fails if a runner is missing or registered twice. */
export function runnersOf(
  actors: readonly { readonly effects: object }[],
  features: readonly EffectRunners[],
): EffectRunners {
  const all = new Map<string, EffectRunner>();
  for (const [kind, runner] of features.flatMap((each) => Object.entries(each))) {
    assert(!all.has(kind), `two features register the effect ${kind}`);
    all.set(kind, runner);
  }
  for (const kind of actors.flatMap(({ effects }) => Object.keys(effects)))
    assert(all.has(kind), `no feature registers the effect ${kind}`);
  return Object.fromEntries(all);
}

/** Of one kind, over all lanes. */
export const runningPerKindMax = 500;
/** Jobs of one lane in memory beside the running ones, each with its actor. */
export const waitingPerLaneMax = 1000;
/** A run this long marks its lane as slow, until a shorter run. */
export const slowRunMs = seconds(5);
/** After this time a run is given up; its later result is ignored. */
export const runMsMax = seconds(60);
export const runTriesMax = 5;
const retryDelayMs = seconds(1);
const fillDelayMsMin = 100;
const fillDelayMsMax = seconds(5);

/** The lanes of one kind. Lanes that can start a job are queued (round robin): the first lane starts one
 *  job and moves to the end. */
class Kind {
  readonly lanes = new Map<string, Lane>();
  readonly fast: Lane[] = [];
  readonly slow: Lane[] = [];
  running = 0;
  runningSlow = 0;

  /** The lane whose turn it is. */
  next(): Lane | undefined {
    if (this.running >= runningPerKindMax) return undefined;
    return this.fast.shift() ?? (this.runningSlow < runningPerKindMax / 2 ? this.slow.shift() : undefined);
  }

  standInLine(lane: Lane): void {
    if (lane.inLine || !lane.ready) return;
    lane.inLine = true;
    (lane.isSlow ? this.slow : this.fast).push(lane);
  }
}

export class Effects {
  private readonly runners: EffectRunners;
  private readonly scheduler: Scheduler;
  private readonly onThrow: (kind: string, thrown: unknown) => void;
  private readonly offerAll: () => Promise<void>;
  private readonly kinds = new Map<string, Kind>();
  /** Lanes with room for rows that wait in the store, and their kinds. */
  private readonly roomy = new Map<Lane, string>();
  private filling = false;
  private open = false;

  /** `offerAll` offers every stored effect that is not running. It resolves when all were offered, and
   *  rejects when it cannot know that. */
  constructor(
    runners: EffectRunners,
    scheduler: Scheduler,
    onThrow: (kind: string, thrown: unknown) => void,
    offerAll: () => Promise<void> = () => Promise.resolve(),
  ) {
    this.runners = runners;
    this.scheduler = scheduler;
    this.onThrow = onThrow;
    this.offerAll = offerAll;
  }

  /** How many of each kind run and wait here. */
  get load(): readonly EffectsOfKind[] {
    return [...this.kinds].map(([kind, { running, lanes }]) => {
      let waiting = 0;
      for (const lane of lanes.values()) waiting += lane.size;
      return { kind, running, waiting };
    });
  }

  /** Nothing runs before this call: effects may call our own gateways, which must be listening first. */
  begin(): void {
    this.open = true;
    for (const [name, kind] of this.kinds) this.advance(name, kind);
  }

  /** No new run starts after this call. */
  stop(): void {
    this.open = false;
  }

  start(job: EffectJob): void {
    const { kind: name, lane: laneName = '' } = job.row;
    const kind = this.kinds.get(name) ?? new Kind();
    this.kinds.set(name, kind);
    const { atOnce = 1, waitingMax = waitingPerLaneMax } = this.runners[name] ?? {};
    const lane = kind.lanes.get(laneName) ?? new Lane(laneName, atOnce, waitingMax);
    kind.lanes.set(laneName, lane);
    lane.add(job)?.park();
    kind.standInLine(lane);
    this.advance(name, kind);
  }

  private advance(name: string, kind: Kind): void {
    for (let lane = this.open ? kind.next() : undefined; lane !== undefined; lane = kind.next()) {
      lane.inLine = false;
      const job = lane.take();
      if (job !== undefined) void this.run(name, kind, lane, job);
      kind.standInLine(lane);
      if (lane.hasRoom) this.fillSoon(name, lane);
    }
  }

  private fillSoon(name: string, lane: Lane): void {
    this.roomy.set(lane, name);
    if (this.filling) return;
    this.filling = true;
    void this.fill();
  }

  /** Offers every stored row to the lanes that have room; one walk over the store serves all of them. */
  private async fill(): Promise<void> {
    while (this.roomy.size > 0) {
      const lanes = [...this.roomy];
      this.roomy.clear();
      for (const [lane] of lanes) lane.beginFilling();
      const backoff = new Backoff(this.scheduler, fillDelayMsMin, fillDelayMsMax);
      // an incomplete walk proves nothing about the order of the rows it did not reach
      while (!(await this.offered())) await backoff.wait();
      for (const [lane, name] of lanes) this.filled(name, lane);
    }
    this.filling = false;
  }

  private offered(): Promise<boolean> {
    return this.offerAll().then(
      () => true,
      () => false,
    );
  }

  private filled(name: string, lane: Lane): void {
    lane.endFilling();
    const kind = this.kinds.get(name);
    if (kind === undefined) return;
    if (lane.empty) kind.lanes.delete(lane.name);
    kind.standInLine(lane);
    this.advance(name, kind);
  }

  private async run(name: string, kind: Kind, lane: Lane, job: EffectJob): Promise<void> {
    const begun = this.scheduler.now();
    const slow = lane.isSlow;
    kind.running++;
    if (slow) kind.runningSlow++;
    // the next job of this key starts from the state this one has committed
    if (await job.ready()) await job.finish(await this.result(job));
    kind.running--;
    if (slow) kind.runningSlow--;
    lane.ended(job, this.scheduler.now() - begun >= slowRunMs);
    if (lane.hasRoom) this.fillSoon(name, lane);
    if (lane.empty) kind.lanes.delete(lane.name);
    kind.standInLine(lane);
    this.advance(name, kind);
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
      if (tries < triesMax) await pause(this.scheduler, retryDelayMs * tries);
    }
    return 'unknown';
  }

  private limited(run: Promise<object>): Promise<object> {
    return new Promise((resolve, reject) => {
      const cancel = this.scheduler.after(runMsMax, () =>
        reject(new Error(`no result within ${runMsMax} ms`)),
      );
      run.then(resolve, reject).finally(cancel);
    });
  }
}
