/** Runs effects outside turns, after their commit; a read may begin before it (open-turn.ts).
 *  1. At most `atOnce` effects of a lane run together, first in, first out per key. A runner may let this
 *     number follow the results of its lane (lane-concurrency.ts).
 *  2. The lanes of one kind take turns. Lanes with slow runs share half of the places, and with them lanes of which
 *     nothing is known yet three quarters: targets that never answer do not delay those that do. A lane that runs more
 *     than it began with takes none of the last half: targets that answered and then hang do not either.
 *  3. A runner that keeps throwing ends as `unknown`; it never blocks its lane permanently.
 *  4. An `atMostOnce` effect is claimed by a commit of its actor before it is called; an effect that was claimed
 *     but not finished is never run again.
 *  5. Effects that do not fit into a lane wait in the stored `out` only, and are offered again when there
 *     is room.
 *  6. A lane whose first effect is old begins with a refill: a node that continues the work of another one finds
 *     effects in the order of their actors' ids, and runs those of a lane in their own order. */
import { assert } from '../../kernel/assert.ts';
import { Backoff } from '../../kernel/backoff.ts';
import { minutes, pause, seconds, type DurationMs, type Instant, type Scheduler } from '../../kernel/time.ts';
import type { EffectContext, EffectJob } from './effect-job.ts';
import { Lane } from './effect-lane.ts';
import { LaneConcurrency, type Feedback } from './lane-concurrency.ts';
import type { EffectsOfKind } from '../model/meters.ts';

/** Runs the effect and returns the data of its result command. Responsible for its own time limits; may
 *  throw. */
export interface EffectRunner {
  run(data: never, context: EffectContext): Promise<object>;
  /** How many effects of one lane run at once; all effects of a kind without lanes form one lane. */
  readonly atOnce: number;
  /** How many effects of the kind run at once on this node, over all lanes; default `runningPerKindMax`. */
  readonly inAllMax?: number;
  /** `atOnce` is only the beginning: it follows the results, from 1 to `atOnceMax`. */
  readonly adaptive?: { readonly atOnceMax: number; feedback(result: never): Feedback };
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
/** Of these, in lanes that are not proven, and in slow ones. */
export const unprovenPerKindMax = (runningPerKindMax * 3) / 4;
const slowPerKindMax = runningPerKindMax / 2;
/** Above this, a lane starts nothing while it runs as many as it began with. */
export const widePerKindMax = runningPerKindMax / 2;
/** Lanes of one kind whose concurrency is remembered while they have nothing to run; above this the oldest are
 *  forgotten. */
const lanesKeptMax = 10_000;
/** Lanes that are refilled at the same time. */
const refillsAtOnce = 4;
/** After this time a run is given up; its later result is ignored. */
export const runMsMax = seconds(60);
const runTriesMax = 5;
const retryDelayMs = seconds(1);
/** An effect that was committed longer ago than this was probably left by another node. */
const oldMs: DurationMs = seconds(1);
/** Longer than the interval of the scan that offers everything again. */
const refilledAgainMs: DurationMs = minutes(2);
const fillDelayMsMin = 100;
const fillDelayMsMax = seconds(5);

/** The lanes of one kind. Lanes that can start a job are queued (round robin): the first lane starts one
 *  job and moves to the end. */
class Kind {
  readonly lanes = new Map<string, Lane>();
  /** Of lanes that have nothing to run. */
  private readonly learned = new Map<string, LaneConcurrency>();
  private readonly proven: Lane[] = [];
  /** Proven ones that run as many as they began with. */
  private readonly wide: Lane[] = [];
  private readonly fresh: Lane[] = [];
  private readonly slow: Lane[] = [];
  running = 0;
  /** In lanes that were fresh or slow when they began. */
  runningUnproven = 0;
  private readonly runningMax: number;

  constructor(runningMax: number) {
    this.runningMax = runningMax;
  }

  /** The lane whose turn it is. */
  next(): Lane | undefined {
    if (this.running >= this.runningMax) return undefined;
    const { runningUnproven: unproven } = this;
    return (
      this.firstOf(this.proven) ??
      (this.running < widePerKindMax ? this.firstOf(this.wide) : undefined) ??
      (unproven < unprovenPerKindMax ? this.firstOf(this.fresh) : undefined) ??
      (unproven < slowPerKindMax ? this.firstOf(this.slow) : undefined)
    );
  }

  /** A lane that has changed to another queue is passed over. */
  private firstOf(queue: Lane[]): Lane | undefined {
    for (let lane = queue.shift(); lane !== undefined; lane = queue.shift())
      if (lane.queue === queue) return lane;
    return undefined;
  }

  /** What its last run has shown decides the queue, also while it waits for its turn. */
  standInLine(lane: Lane): void {
    if (!lane.ready) return;
    const { isProven, isSlow } = lane.concurrency;
    const proven = lane.isWide ? this.wide : this.proven;
    // of a kind with few places all lanes take turns: otherwise two that are proven would keep them
    const ofMany = isProven ? proven : isSlow ? this.slow : this.fresh;
    const queue = this.runningMax < runningPerKindMax ? this.proven : ofMany;
    if (lane.queue === queue) return;
    lane.queue = queue;
    queue.push(lane);
  }

  /** The lane with this name; a new one has the concurrency it had before. */
  lane(name: string, made: (concurrency: LaneConcurrency | undefined) => Lane): Lane {
    const known = this.lanes.get(name);
    if (known !== undefined) return known;
    const lane = made(this.learned.get(name));
    this.learned.delete(name);
    this.lanes.set(name, lane);
    return lane;
  }

  forgetIfEmpty({ name, empty, concurrency }: Lane): void {
    if (!empty) return;
    this.lanes.delete(name);
    if (concurrency.isLearned) this.learned.set(name, concurrency);
    const oldest = this.learned.keys().next();
    if (this.learned.size > lanesKeptMax && oldest.done !== true) this.learned.delete(oldest.value);
  }
}

/** Where the effects are that wait in the store only. Both resolve when what was asked for was offered, and
 *  reject when that cannot be known. */
export interface StoredEffects {
  /** Offers those of one lane that are not running, the oldest first, until the lane is full. */
  ofLane(kind: string, lane: Lane): Promise<void>;
  /** Offers every one that is not running: for effects without lanes. */
  all(): Promise<void>;
}

export class Effects {
  private readonly runners: EffectRunners;
  private readonly scheduler: Scheduler;
  private readonly onThrow: (kind: string, thrown: unknown) => void;
  private readonly stored: StoredEffects;
  private readonly kinds = new Map<string, Kind>();
  /** Lanes with room for rows that wait in the store, and their kinds. */
  private readonly roomy = new Map<Lane, string>();
  private refills = 0;
  private readonly since: Instant;
  /** When lanes last began with a refill. */
  private readonly refilledAt = new Map<string, Instant>();
  private open = false;

  constructor(
    runners: EffectRunners,
    scheduler: Scheduler,
    onThrow: (kind: string, thrown: unknown) => void,
    stored: StoredEffects,
  ) {
    this.runners = runners;
    this.scheduler = scheduler;
    this.onThrow = onThrow;
    this.stored = stored;
    this.since = scheduler.now();
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
    const kind = this.kinds.get(name) ?? new Kind(this.runners[name]?.inAllMax ?? runningPerKindMax);
    this.kinds.set(name, kind);
    const isNew = !kind.lanes.has(laneName);
    const lane = kind.lane(laneName, (known) => this.newLane(job, known));
    // lanes without a name are refilled by the very scan that offers this one
    if (isNew && laneName !== '' && this.isOld(job) && this.beginsAnew(`${name} ${laneName}`)) {
      lane.leave();
      job.park();
      this.fillSoon(name, lane);
      return;
    }
    lane.add(job)?.park();
    kind.standInLine(lane);
    this.advance(name, kind);
  }

  private isOld({ row: { at } }: EffectJob): boolean {
    return at < this.since || this.scheduler.now() - at > oldMs;
  }

  /** Whether no refill began this lane a while ago: one that has found nothing would find nothing again, as where an
   *  older build has written the documents. */
  private beginsAnew(name: string): boolean {
    const now = this.scheduler.now();
    const before = this.refilledAt.get(name) ?? -Infinity;
    if (now - before < refilledAgainMs) return false;
    if (this.refilledAt.size >= lanesKeptMax) this.refilledAt.clear();
    this.refilledAt.set(name, now);
    return true;
  }

  private newLane(
    { row: { kind, lane = '' }, context: { scope } }: EffectJob,
    known?: LaneConcurrency,
  ): Lane {
    const { atOnce = 1, adaptive, waitingMax } = this.runners[kind] ?? {};
    const fresh = (): LaneConcurrency =>
      new LaneConcurrency(atOnce, adaptive?.atOnceMax ?? null, () => this.scheduler.steady());
    return new Lane(lane, scope, known ?? fresh(), waitingMax);
  }

  private advance(name: string, kind: Kind): void {
    for (let lane = this.open ? kind.next() : undefined; lane !== undefined; lane = kind.next()) {
      lane.queue = null;
      const job = lane.take();
      if (job !== undefined) void this.run(name, kind, lane, job);
      kind.standInLine(lane);
      if (lane.hasRoom) this.fillSoon(name, lane);
    }
  }

  private fillSoon(name: string, lane: Lane): void {
    this.roomy.set(lane, name);
    if (this.refills < refillsAtOnce) void this.fill();
  }

  private async fill(): Promise<void> {
    this.refills++;
    for (let [next] = this.roomy; next !== undefined; [next] = this.roomy) {
      const [lane, name] = next;
      this.roomy.delete(lane);
      if (!lane.hasRoom) continue;
      lane.beginFilling(this.scheduler.now());
      const backoff = new Backoff(this.scheduler, fillDelayMsMin, fillDelayMsMax);
      // an incomplete search proves nothing about the order of the rows it did not reach
      while (!(await this.offered(name, lane))) await backoff.wait();
      this.filled(name, lane);
    }
    this.refills--;
  }

  private offered(name: string, lane: Lane): Promise<boolean> {
    const offering = lane.name === '' ? this.stored.all() : this.stored.ofLane(name, lane);
    return offering.then(
      () => true,
      () => false,
    );
  }

  private filled(name: string, lane: Lane): void {
    lane.endFilling();
    const kind = this.kinds.get(name);
    if (kind === undefined) return;
    kind.forgetIfEmpty(lane);
    kind.standInLine(lane);
    this.advance(name, kind);
    if (lane.hasRoom) this.fillSoon(name, lane);
  }

  private async run(name: string, kind: Kind, lane: Lane, job: EffectJob): Promise<void> {
    const begun = this.scheduler.steady();
    const unproven = !lane.concurrency.isProven;
    kind.running++;
    if (unproven) kind.runningUnproven++;
    // the next job of this key starts from the state this one has committed
    if (await job.ready()) {
      const result = await this.result(job);
      const adaptive = this.runners[name]?.adaptive;
      const feedback = result === 'unknown' ? 'same' : (adaptive?.feedback(result as never) ?? 'same');
      lane.concurrency.ended(feedback, this.scheduler.steady() - begun);
      await job.finish(result);
    }
    kind.running--;
    if (unproven) kind.runningUnproven--;
    lane.ended(job);
    this.restAfter(this.scheduler.steady() - begun, name, kind, lane);
    if (lane.hasRoom) this.fillSoon(name, lane);
    kind.forgetIfEmpty(lane);
    kind.standInLine(lane);
    this.advance(name, kind);
  }

  private restAfter(
    tookMs: DurationMs,
    name: string,
    kind: Kind,
    { concurrency, name: laneName }: Lane,
  ): void {
    const restMs = concurrency.restAfter(tookMs);
    if (restMs === 0 || concurrency.isResting) return;
    concurrency.isResting = true;
    this.scheduler.after(restMs, () => {
      concurrency.isResting = false;
      const lane = kind.lanes.get(laneName);
      if (lane !== undefined) kind.standInLine(lane);
      this.advance(name, kind);
    });
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
