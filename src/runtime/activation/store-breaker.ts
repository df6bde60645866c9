/** Notices that the store has fallen silent, so that whoever waits for it on behalf of a door is told at once: the
 *  doors here, and those of other nodes that asked an actor here.
 *  Boundary: what no door waits for (timers, webhooks, commits in doubt) waits as it always does.
 *  1. Only probes judge: a slow list is no outage, and what memory answers is no sign of life.
 *  2. Time is counted in ticks of our own: a process that was paused finds the answers that came meanwhile first.
 *  3. A tick that comes late is not counted, up to a bound: who gets no CPU cannot tell a store that gets none either
 *     from one that is gone.
 *  4. While silent nothing but probes goes to the store, one each half second; the first answer ends it. */
import type { Cancel, DurationMs, Scheduler } from '../../kernel/time.ts';
import type { RuntimeLog } from '../model/runtime-log.ts';

const tickMs: DurationMs = 50;
/** A call that waits longer than this raises the question. */
const slowTicks = 3;
/** A probe has this long; together with the above less than a second (operations: "503 in < 1 s"). */
const patienceTicks = 11;
/** How often one is sent while none was answered. */
const probeEveryTicks = 10;
/** A timer later than this: this process waits for a CPU. */
const lateMsMin: DurationMs = 25;
/** So many late ticks are not counted before the store is heard again: 1.5 s and more. */
const lateTicksMax = 20;
/** Probes without an answer at once: a cut wire holds each for seconds. */
const probesOutMax = 16;

/** Given in place of an outcome nobody waits for any more. */
export const silence: unique symbol = Symbol('the store is silent');

export interface StoreBreaker {
  /** Nothing is to be asked of the store now. */
  readonly open: boolean;
  /** What `work` comes to; `silence` as soon as the store is known to be silent, whatever becomes of `work` then. */
  race<Outcome>(work: Promise<Outcome>): Promise<Outcome | typeof silence>;
  /** Calls `hear` each time the store falls silent, before those who wait are told. */
  onSilence(hear: () => void): Cancel;
}

export interface StoreBreakerParts {
  readonly scheduler: Scheduler;
  readonly log: Pick<RuntimeLog, 'warn'>;
  /** One cheap read that only the store itself can answer; rejects when it does not. */
  readonly probe: () => Promise<unknown>;
}

/** One that never opens: an embedded store is as near as its disk, and a slow disk is waited for. */
export const neverSilent: StoreBreaker = {
  open: false,
  race: (work) => work,
  onSilence: () => () => undefined,
};

export const createStoreBreaker = (parts: StoreBreakerParts): StoreBreaker => new Breaker(parts);

interface Call {
  /** Tick at which it began. */
  readonly since: number;
  readonly giveUp: () => void;
}

class Breaker implements StoreBreaker {
  private readonly parts: StoreBreakerParts;
  /** The oldest first. */
  private readonly calls = new Set<Call>();
  private readonly hearing = new Set<() => void>();
  private tick = 0;
  private lateTicks = 0;
  private ticking = false;
  private probesOut = 0;
  private probedAt = Number.NEGATIVE_INFINITY;
  private heardAt = Number.NEGATIVE_INFINITY;
  /** Tick of the first of those probes since which none was answered; null: there is no doubt. */
  private doubtSince: number | null = null;
  private silentSince: DurationMs | null = null;

  constructor(parts: StoreBreakerParts) {
    this.parts = parts;
  }

  get open(): boolean {
    return this.silentSince !== null;
  }

  race<Outcome>(work: Promise<Outcome>): Promise<Outcome | typeof silence> {
    return new Promise((resolve, reject) => {
      const call: Call = { since: this.tick, giveUp: () => resolve(silence) };
      this.calls.add(call);
      this.goOn();
      work.then(
        (outcome) => {
          this.calls.delete(call);
          resolve(outcome);
        },
        (thrown: Error) => {
          this.calls.delete(call);
          reject(thrown);
        },
      );
    });
  }

  onSilence(hear: () => void): Cancel {
    const own = (): void => hear();
    this.hearing.add(own);
    return () => void this.hearing.delete(own);
  }

  /** Ticks only while there is something to watch. */
  private goOn(): void {
    if (this.ticking || (this.calls.size === 0 && this.doubtSince === null && !this.open)) return;
    this.ticking = true;
    const { scheduler } = this.parts;
    const due = scheduler.steady() + tickMs;
    scheduler.after(tickMs, () => {
      this.ticking = false;
      this.count(scheduler.steady() - due);
      this.goOn();
    });
  }

  private count(lateMs: DurationMs): void {
    const counts = lateMs < lateMsMin || this.lateTicks >= lateTicksMax;
    if (!counts) this.lateTicks++;
    else {
      this.tick++;
      this.look();
    }
  }

  private look(): void {
    const { tick, doubtSince } = this;
    if (!this.open && doubtSince === null) {
      const [oldest] = this.calls;
      const asks = oldest !== undefined && tick - Math.max(oldest.since, this.heardAt) >= slowTicks;
      if (!asks) return;
      this.doubtSince = tick;
      this.probe();
      return;
    }
    if (!this.open && doubtSince !== null && tick - doubtSince >= patienceTicks) this.fallSilent();
    if (tick - this.probedAt >= probeEveryTicks) this.probe();
  }

  private probe(): void {
    if (this.probesOut >= probesOutMax) return;
    this.probesOut++;
    this.probedAt = this.tick;
    const over = (): void => void this.probesOut--;
    this.parts.probe().then(
      () => {
        over();
        this.hear();
      },
      // no answer: the next probe says more
      over,
    );
  }

  private fallSilent(): void {
    this.silentSince = this.parts.scheduler.steady();
    this.parts.log.warn(
      { waiting: this.calls.size },
      'the store is silent: doors answer 503 until it speaks',
    );
    for (const hear of this.hearing) hear();
    const given = [...this.calls];
    this.calls.clear();
    // what can be told for certain of one of them is told first
    this.parts.scheduler.after(0, () => {
      for (const call of given) call.giveUp();
    });
  }

  private hear(): void {
    this.heardAt = this.tick;
    this.lateTicks = 0;
    this.doubtSince = null;
    if (this.silentSince === null) return;
    const silentMs = Math.round(this.parts.scheduler.steady() - this.silentSince);
    this.silentSince = null;
    this.parts.log.warn({ silentMs }, 'the store answers again');
  }
}
