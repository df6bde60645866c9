/** This node's cluster membership: its own heartbeat, and the failure detection of other nodes.
 *  1. A session is valid for at most `sessionLifeMs` after the *sending* of its last acknowledged
 *     heartbeat, less a margin. Other nodes declare a node dead only after they have seen no heartbeat for
 *     all of that time. So two nodes never own the same thing at once.
 *  2. A node that learns it was declared dead drops everything and returns under a new incarnation.
 *  3. A clock that jumped ends the session at once. A node further than `clockSkewMsMax` from the
 *     database's clock takes no part until its clock is corrected.
 *  4. A store that does not answer removes no node: the session lapses and resumes, and a watcher that
 *     could not read the directory starts its observation again. */
import { hours, pause, seconds, type Cancel, type DurationMs, type Scheduler } from '../../kernel/time.ts';
import type { Directory, DirectorySeen, NodeInfo, NodeRow, PartitionRow } from '../../store/directory.ts';
import { clockSkewMs, clockSkewMsMax } from './clock-check.ts';
import type { RuntimeLog } from '../model/runtime-log.ts';
import type { SessionValidity } from './partition-lease.ts';

const heartbeatEveryMs = seconds(1);
/** Twice per heartbeat interval, so that a takeover takes hardly longer than the missed heartbeats themselves. */
const readEveryMs: DurationMs = 500;
export const sessionLifeMs = seconds(6);
const sessionMarginMs = 500;
/** How far the wall clock may drift from the steady clock before the session is in doubt. */
const clocksApartMsMax = seconds(1);
/** A gap between two reads that is long enough to prove nothing about the other nodes. */
const readGapMsMax = seconds(2);
const beatsInFlightMax = 6;
const deadKeptMs = hours(24);
const sweepEveryReads = 600;
const registerAgainMs = 500;

/** What one read of the directory showed. */
export interface DirectoryRead {
  readonly nodes: readonly NodeRow[];
  readonly partitions: readonly PartitionRow[];
  /** When it was requested, in steady time: later changes may be missing. */
  readonly askedAt: DurationMs;
}

export interface MembershipOptions {
  readonly directory: Directory;
  readonly scheduler: Scheduler;
  /** A new incarnation: `n:` + random text. */
  readonly mint: () => string;
  /** What this node reports about itself; called at each heartbeat. */
  readonly info: () => NodeInfo;
  readonly log: RuntimeLog;
  readonly onRead: (read: DirectoryRead) => void;
  /** The others consider this node dead: its partitions belong to other nodes by now. */
  readonly onDeposed: () => void;
}

interface Watched {
  readonly hb: number;
  readonly since: DurationMs;
}

export class Membership implements SessionValidity {
  private readonly options: MembershipOptions;
  private inc: string;
  private registered = false;
  private stopped = false;
  /** Steady time at which the last acknowledged heartbeat was sent. */
  private ackedAt = -Infinity;
  /** Wall minus steady time at that moment. */
  private wallAhead: DurationMs;
  private beatsInFlight = 0;
  private reading: Promise<void> | null = null;
  private readAt = -Infinity;
  private reads = 0;
  private cancelNextRead: Cancel = () => undefined;
  private waiting: (() => void)[] = [];
  private readonly watched = new Map<string, Watched>();
  private seen: DirectorySeen | undefined;
  /** What this node reported last, and how often that has changed. */
  private reported = '';
  private changes = 0;

  constructor(options: MembershipOptions) {
    this.options = options;
    this.inc = options.mint();
    const { scheduler } = options;
    this.wallAhead = scheduler.now() - scheduler.steady();
  }

  get incarnation(): string {
    return this.inc;
  }

  /** Nodes as the last read showed them. */
  get nodes(): readonly NodeRow[] {
    return this.seen?.nodes ?? [];
  }

  /** For how long another node has shown no heartbeat; 0 if it was not observed for all of that time. */
  unseenMs(inc: string): DurationMs {
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

  /** Registers and starts heartbeats and reads; resolves once the first read has returned. */
  async join(): Promise<void> {
    await this.register();
    this.every(heartbeatEveryMs, () => void this.beat());
    await this.beat();
    await this.read();
    this.scheduleRead();
  }

  /** Publishes the current `info` now instead of with the next heartbeat. */
  async announce(): Promise<void> {
    await this.beat();
  }

  /** Reads now; concurrent calls share one read that started after them. */
  async read(): Promise<void> {
    if (this.reading !== null) await this.reading;
    this.reading ??= this.readOnce().finally(() => {
      this.reading = null;
    });
    await this.reading;
  }

  /** Leaves for good and removes this node from the directory, so that the others see it at once. */
  async leave(): Promise<void> {
    this.stopped = true;
    this.cancelNextRead();
    if (this.registered) await this.options.directory.leave(this.inc).catch(() => undefined);
  }

  /** Stops at once and announces nothing, like a killed process. */
  kill(): void {
    this.stopped = true;
  }

  private async register(): Promise<void> {
    const { directory, scheduler, mint, log } = this.options;
    while (!this.stopped) {
      const inc = mint();
      try {
        await directory.register(inc, this.report(), scheduler.now());
        this.inc = inc;
        this.registered = true;
        return;
      } catch (thrown) {
        // The registration may have been stored. The next attempt uses a new incarnation, and this one will
        // expire.
        log.warn({ err: thrown }, 'could not register with the cluster: retrying');
        await pause(this.options.scheduler, registerAgainMs);
      }
    }
  }

  private async beat(): Promise<void> {
    if (!this.registered || this.stopped || this.beatsInFlight >= beatsInFlightMax) return;
    if (!(await this.clockIsRight())) return;
    const { directory, scheduler, log } = this.options;
    const { inc } = this;
    const [sentAt, wallAt] = [scheduler.steady(), scheduler.now()];
    this.beatsInFlight++;
    try {
      const alive = await directory.beat(inc, this.report());
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
      log.warn({ err: thrown }, 'a heartbeat was not written');
    } finally {
      this.beatsInFlight--;
    }
  }

  private report(): NodeInfo {
    const info = this.options.info();
    const text = JSON.stringify(info);
    if (text !== this.reported) [this.reported, this.changes] = [text, this.changes + 1];
    return { ...info, changes: this.changes };
  }

  /** Queries the database only after the wall clock has drifted from the steady one. */
  private async clockIsRight(): Promise<boolean> {
    const { directory, scheduler, log } = this.options;
    if (this.drift <= clocksApartMsMax) return true;
    try {
      const apart = await clockSkewMs(directory, scheduler);
      if (apart <= clockSkewMsMax) return true;
      log.error(
        { apartMs: apart },
        "this machine's clock is wrong: the node takes no part in the cluster until it is set",
      );
    } catch (thrown) {
      log.warn({ err: thrown }, 'a heartbeat was not written');
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
      'the cluster declared this node dead: it drops all state and rejoins',
    );
    onDeposed();
    void this.register().then(async () => {
      await this.beat();
      await this.read();
    });
  }

  private scheduleRead(): void {
    this.cancelNextRead = this.options.scheduler.after(this.nextReadMs, () => {
      void this.read().then(() => this.scheduleRead());
    });
  }

  /** Schedules the next read early enough to declare a node without heartbeats dead as soon as its time is over. */
  private get nextReadMs(): DurationMs {
    const now = this.options.scheduler.steady();
    const ends = [...this.watched.values()].map(({ since }) => since + sessionLifeMs - now);
    return Math.min(readEveryMs, ...ends.filter((left) => left > 0));
  }

  private async readOnce(): Promise<void> {
    if (this.stopped) return;
    const { directory, scheduler, log, onRead } = this.options;
    const askedAt = scheduler.steady();
    try {
      const seen = await directory.read(this.seen);
      if (this.stopped) return;
      const now = scheduler.steady();
      // without continuous observation, the time without heartbeats counts from zero
      if (askedAt - this.readAt > readGapMsMax || now - askedAt > readGapMsMax) this.watched.clear();
      this.readAt = now;
      this.seen = seen;
      this.watch(seen.nodes, now);
      onRead({ nodes: seen.nodes, partitions: seen.partitions, askedAt });
      if (++this.reads % sweepEveryReads === 0) await directory.sweep(deadKeptMs, scheduler.now());
    } catch (thrown) {
      log.warn({ err: thrown }, 'the directory of nodes could not be read');
    }
  }

  private watch(nodes: readonly NodeRow[], now: DurationMs): void {
    const live = nodes.filter(({ state, inc }) => state === 'live' && inc !== this.inc);
    for (const inc of this.watched.keys()) if (!live.some((one) => one.inc === inc)) this.watched.delete(inc);
    for (const { inc, hb } of live) {
      const seen = this.watched.get(inc);
      if (seen?.hb !== hb) this.watched.set(inc, { hb, since: now });
      else if (now - seen.since >= sessionLifeMs) void this.declareDead(inc, hb);
    }
  }

  private async declareDead(inc: string, hb: number): Promise<void> {
    const { directory, log } = this.options;
    // a watcher that may itself be cut off declares no node dead
    if (!this.valid) return;
    try {
      if (!(await directory.declareDead(inc, hb))) return;
      log.warn({ incarnation: inc }, 'a node sent no heartbeat for too long and was declared dead');
      await this.read();
    } catch (thrown) {
      log.warn({ err: thrown }, 'the directory of nodes could not be read');
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
