/** This node among the others: its heartbeat, and its eye on theirs.
 *  1. A session is worth nothing longer than `sessionLifeMs` after the *sending* of its last acknowledged
 *     heartbeat, less
 *     a margin; others bury a node only after they have watched it silent for all of that. So no two ever believe.
 *  2. Whoever is told that he is dead drops everything and comes back as somebody new.
 *  3. A clock that jumped ends the session at once; further than `clockSkewMsMax` from the database's the
 *     node stays out
 *     of everything until it is set right.
 *  4. A silent store deposes nobody: the session lapses and resumes, and a watcher who could not look starts anew. */
import { hours, pause, seconds, type Cancel, type DurationMs, type Scheduler } from '../../kernel/time.ts';
import type { Directory, NodeInfo, NodeRow, PartitionRow } from '../../store/directory.ts';
import { clockSkewMs, clockSkewMsMax } from './clock-check.ts';
import type { RuntimeLog } from '../model/runtime-log.ts';
import type { Standing } from './partition-lease.ts';

export const heartbeatEveryMs = seconds(1);
/** Twice a heartbeat: what a takeover takes is the silence itself, hardly more. */
export const lookEveryMs: DurationMs = 500;
export const sessionLifeMs = seconds(6);
const sessionMarginMs = 500;
/** How far the wall clock may run away from the steady one before the session is in doubt. */
const clocksApartMsMax = seconds(1);
/** A gap between two looks that says nothing about those looked at. */
const lookGapMsMax = seconds(2);
const beatsInFlightMax = 6;
const deadKeptMs = hours(24);
const sweepEveryLooks = 600;
const registerAgainMs = 500;

/** What one look at the directory showed. */
export interface Look {
  readonly nodes: readonly NodeRow[];
  readonly partitions: readonly PartitionRow[];
  /** When it was asked for, on the steady clock: what happened later may be missing. */
  readonly askedAt: DurationMs;
}

export interface MembershipOptions {
  readonly directory: Directory;
  readonly scheduler: Scheduler;
  /** A new incarnation: `n:` + random text. */
  readonly mint: () => string;
  /** What this node says of itself, asked at each heartbeat. */
  readonly info: () => NodeInfo;
  readonly log: RuntimeLog;
  readonly onLook: (look: Look) => void;
  /** The others think this node dead: whatever it owned is another's by now. */
  readonly onDeposed: () => void;
}

interface Watched {
  readonly hb: number;
  readonly since: DurationMs;
}

export class Membership implements Standing {
  private readonly options: MembershipOptions;
  private inc: string;
  private registered = false;
  private stopped = false;
  /** Steady time of sending the last acknowledged heartbeat. */
  private ackedAt = -Infinity;
  /** Wall minus steady time at that moment. */
  private wallAhead: DurationMs;
  private beatsInFlight = 0;
  private looking: Promise<void> | null = null;
  private lookedAt = -Infinity;
  private looks = 0;
  private lookAgain: Cancel = () => undefined;
  private waiting: (() => void)[] = [];
  private readonly watched = new Map<string, Watched>();
  private known: readonly NodeRow[] = [];

  constructor(options: MembershipOptions) {
    this.options = options;
    this.inc = options.mint();
    const { scheduler } = options;
    this.wallAhead = scheduler.now() - scheduler.steady();
  }

  get incarnation(): string {
    return this.inc;
  }

  /** Nodes as the last look showed them. */
  get nodes(): readonly NodeRow[] {
    return this.known;
  }

  /** How long another node has been watched silent; 0 for one that was not watched throughout. */
  silentMs(inc: string): DurationMs {
    const seen = this.watched.get(inc);
    return seen === undefined ? 0 : this.options.scheduler.steady() - seen.since;
  }

  get valid(): boolean {
    const { scheduler } = this.options;
    return (
      this.registered &&
      !this.stopped &&
      scheduler.steady() < this.ackedAt + sessionLifeMs - sessionMarginMs &&
      this.drift <= clocksApartMsMax
    );
  }

  whenValid(): Promise<void> {
    if (this.valid) return Promise.resolve();
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  /** Registers and begins to beat and to look; resolves once the first look is in. */
  async join(): Promise<void> {
    await this.register();
    this.every(heartbeatEveryMs, () => void this.beat());
    await this.beat();
    await this.look();
    this.lookLater();
  }

  /** Says now what `info` says now, instead of with the next heartbeat. */
  async tell(): Promise<void> {
    await this.beat();
  }

  /** Looks now; calls that meet share one look that began after them. */
  async look(): Promise<void> {
    if (this.looking !== null) await this.looking;
    this.looking ??= this.lookOnce().finally(() => {
      this.looking = null;
    });
    await this.looking;
  }

  /** Gone for good, and everybody may know it at once. */
  async leave(): Promise<void> {
    this.stopped = true;
    this.lookAgain();
    if (this.registered) await this.options.directory.leave(this.inc).catch(() => undefined);
  }

  /** Stops at once and says nothing, as a killed process would. */
  kill(): void {
    this.stopped = true;
  }

  private async register(): Promise<void> {
    const { directory, scheduler, mint, info, log } = this.options;
    while (!this.stopped) {
      const inc = mint();
      try {
        await directory.register(inc, info(), scheduler.now());
        this.inc = inc;
        this.registered = true;
        return;
      } catch (thrown) {
        // it may have landed: the next try is somebody else, and this one will be found silent
        log.warn({ err: thrown }, 'could not register with the cluster; trying again');
        await pause(this.options.scheduler, registerAgainMs);
      }
    }
  }

  private async beat(): Promise<void> {
    if (!this.registered || this.stopped || this.beatsInFlight >= beatsInFlightMax) return;
    if (!(await this.clockIsRight())) return;
    const { directory, scheduler, info, log } = this.options;
    const { inc } = this;
    const [sentAt, wallAt] = [scheduler.steady(), scheduler.now()];
    this.beatsInFlight++;
    try {
      const alive = await directory.beat(inc, info());
      if (inc !== this.inc || this.stopped) return;
      if (!alive) {
        this.deposed();
        return;
      }
      if (sentAt <= this.ackedAt) return;
      this.ackedAt = sentAt;
      this.wallAhead = wallAt - sentAt;
      if (this.valid) for (const go of this.waiting.splice(0)) go();
    } catch (thrown) {
      log.warn({ err: thrown }, 'no answer to a heartbeat');
    } finally {
      this.beatsInFlight--;
    }
  }

  /** Asked of the database only after the wall clock ran away from the steady one. */
  private async clockIsRight(): Promise<boolean> {
    const { directory, scheduler, log } = this.options;
    if (this.drift <= clocksApartMsMax) return true;
    try {
      const apart = await clockSkewMs(directory, scheduler);
      if (apart <= clockSkewMsMax) return true;
      log.error({ apartMs: apart }, "this machine's clock is wrong; it takes no part until it is set");
    } catch (thrown) {
      log.warn({ err: thrown }, 'no answer to a heartbeat');
    }
    return false;
  }

  private get drift(): DurationMs {
    const { scheduler } = this.options;
    return Math.abs(scheduler.now() - scheduler.steady() - this.wallAhead);
  }

  private deposed(): void {
    const { log, onDeposed } = this.options;
    if (!this.registered) return;
    this.registered = false;
    this.ackedAt = -Infinity;
    log.error(
      { incarnation: this.inc },
      'the cluster holds this node for dead; it drops everything and rejoins',
    );
    onDeposed();
    void this.register().then(async () => {
      await this.beat();
      await this.look();
    });
  }

  private lookLater(): void {
    this.lookAgain = this.options.scheduler.after(this.nextLookMs, () => {
      void this.look().then(() => this.lookLater());
    });
  }

  /** Soon enough to bury whoever stays silent at the very moment his time is over. */
  private get nextLookMs(): DurationMs {
    const now = this.options.scheduler.steady();
    const ends = [...this.watched.values()].map(({ since }) => since + sessionLifeMs - now);
    return Math.min(lookEveryMs, ...ends.filter((left) => left > 0));
  }

  private async lookOnce(): Promise<void> {
    if (this.stopped) return;
    const { directory, scheduler, log, onLook } = this.options;
    const askedAt = scheduler.steady();
    try {
      const seen = await directory.look();
      if (this.stopped) return;
      const now = scheduler.steady();
      // what was not watched throughout was not watched
      if (askedAt - this.lookedAt > lookGapMsMax || now - askedAt > lookGapMsMax) this.watched.clear();
      this.lookedAt = now;
      this.known = seen.nodes;
      this.watch(seen.nodes, now);
      onLook({ ...seen, askedAt });
      if (++this.looks % sweepEveryLooks === 0) await directory.sweep(deadKeptMs, scheduler.now());
    } catch (thrown) {
      log.warn({ err: thrown }, 'the directory did not answer');
    }
  }

  private watch(nodes: readonly NodeRow[], now: DurationMs): void {
    const live = nodes.filter(({ state, inc }) => state === 'live' && inc !== this.inc);
    for (const inc of this.watched.keys()) if (!live.some((one) => one.inc === inc)) this.watched.delete(inc);
    for (const { inc, hb } of live) {
      const seen = this.watched.get(inc);
      if (seen?.hb !== hb) this.watched.set(inc, { hb, since: now });
      else if (now - seen.since >= sessionLifeMs) void this.bury(inc, hb);
    }
  }

  private async bury(inc: string, hb: number): Promise<void> {
    const { directory, log } = this.options;
    // a watcher who may be cut off himself buries nobody
    if (!this.valid) return;
    try {
      if (!(await directory.bury(inc, hb))) return;
      log.warn({ incarnation: inc }, 'a node has been silent for too long and is out');
      await this.look();
    } catch (thrown) {
      log.warn({ err: thrown }, 'the directory did not answer');
    }
  }

  private every(ms: DurationMs, work: () => void): void {
    const again = (): void =>
      void this.options.scheduler.after(ms, () => {
        if (this.stopped) return;
        work();
        again();
      });
    again();
  }
}
