/** Circuit breaker for the store: detects that the store does not answer, so that gateway requests waiting
 *  for it fail at once, both on this node and on other nodes that asked an actor here.
 *  Boundary: work that no gateway waits for (timers, webhooks, commits in doubt) keeps waiting as usual.
 *  1. Only probes decide: a slow list query is no outage, nor is a majority that is slow to confirm, and an answer from
 *     memory is no proof of health.
 *  2. Time is counted in our own ticks, so that a process that was paused first processes the answers that
 *     arrived meanwhile.
 *  3. A late tick is not counted, up to a bound: a process without CPU time cannot tell a store that also
 *     lacks it from one that is down.
 *  4. While the breaker is open, gateways send the store nothing, and one probe goes to it every quarter of a second,
 *     every half while one is still out; the first answer closes the breaker.
 *  5. How long a silent store is waited for is a setting (docs/decisions/0058): an election of its primary is no
 *     outage. */
import { assert } from '../../kernel/assert.ts';
import type { Cancel, DurationMs, Scheduler } from '../../kernel/time.ts';
import type { RuntimeLog } from '../model/runtime-log.ts';

const tickMs: DurationMs = 50;
/** A call that waits longer than this starts the probes. */
const slowTicks = 3;
/** The interval between probes while none has been answered: after one that failed, and beside one still out. */
const probeEveryTicks = 5;
const probeBesideTicks = 10;
/** A timer later than this means that this process waits for CPU. */
const lateMsMin: DurationMs = 25;
/** At most this many late ticks are ignored before the store answers again: 1.5 s or more. */
const lateTicksMax = 20;
/** Concurrent probes without an answer: a cut connection holds each of them for seconds. */
const probesOutMax = 16;

/** Returned in place of the outcome when the breaker opens. */
export const unanswered: unique symbol = Symbol('the store does not answer');

export interface StoreBreaker {
  /** True while the breaker is open: gateways send the store nothing. */
  readonly open: boolean;
  /** Resolves to the result of `work`, or to `unanswered` as soon as the breaker opens; the later result of
   *  `work` is ignored then. */
  race<Outcome>(work: Promise<Outcome>): Promise<Outcome | typeof unanswered>;
  /** Calls `listener` each time the breaker opens, before the waiting callers are notified. */
  onOpen(listener: () => void): Cancel;
}

/** Shorter than this, a busy machine would take itself for an outage of its store. */
export const patienceMsMin: DurationMs = 500;

export interface StoreBreakerParts {
  readonly scheduler: Scheduler;
  readonly log: Pick<RuntimeLog, 'warn'>;
  /** From the start of a call to the opening of the breaker, if no probe is answered; at least `patienceMsMin`. */
  readonly patienceMs: DurationMs;
  /** One cheap read that only the store itself can answer; rejects when it does not answer. */
  readonly probe: () => Promise<unknown>;
}

/** A breaker that never opens: an embedded store is a local file, and a slow disk is waited for. */
export const neverOpens: StoreBreaker = {
  open: false,
  race: (work) => work,
  onOpen: () => () => undefined,
};

export const createStoreBreaker = (parts: StoreBreakerParts): StoreBreaker => new Breaker(parts);

interface Call {
  /** The tick at which it started. */
  readonly since: number;
  readonly giveUp: () => void;
}

class Breaker implements StoreBreaker {
  private readonly parts: StoreBreakerParts;
  /** How many ticks the probes have for an answer. */
  private readonly doubtTicksMax: number;
  /** The oldest first. */
  private readonly calls = new Set<Call>();
  private readonly listeners = new Set<() => void>();
  private tick = 0;
  private lateTicks = 0;
  private ticking = false;
  private probesOut = 0;
  private probedAt = Number.NEGATIVE_INFINITY;
  private answeredAt = Number.NEGATIVE_INFINITY;
  /** Tick of the first probe in the current run of unanswered probes; null: the store is considered
   *  healthy. */
  private doubtSince: number | null = null;
  private openSince: DurationMs | null = null;

  constructor(parts: StoreBreakerParts) {
    this.parts = parts;
    assert(parts.patienceMs >= patienceMsMin, 'a store is waited for');
    this.doubtTicksMax = Math.ceil(parts.patienceMs / tickMs) - slowTicks;
  }

  get open(): boolean {
    return this.openSince !== null;
  }

  race<Outcome>(work: Promise<Outcome>): Promise<Outcome | typeof unanswered> {
    return new Promise((resolve, reject) => {
      const call: Call = { since: this.tick, giveUp: () => resolve(unanswered) };
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

  onOpen(listener: () => void): Cancel {
    const own = (): void => listener();
    this.listeners.add(own);
    return () => void this.listeners.delete(own);
  }

  /** Ticks only while something is being watched. */
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
      const asks = oldest !== undefined && tick - Math.max(oldest.since, this.answeredAt) >= slowTicks;
      if (!asks) return;
      this.doubtSince = tick;
      this.probe();
      return;
    }
    if (!this.open && doubtSince !== null && tick - doubtSince >= this.doubtTicksMax) this.trip();
    if (tick - this.probedAt >= (this.probesOut > 0 ? probeBesideTicks : probeEveryTicks)) this.probe();
  }

  private probe(): void {
    if (this.probesOut >= probesOutMax) return;
    this.probesOut++;
    this.probedAt = this.tick;
    const over = (): void => void this.probesOut--;
    this.parts.probe().then(
      () => {
        over();
        this.recover();
      },
      // no answer: the next probe decides
      over,
    );
  }

  private trip(): void {
    this.openSince = this.parts.scheduler.steady();
    this.parts.log.warn(
      { waiting: this.calls.size },
      'the store does not answer: requests are answered 503 until it does',
    );
    for (const listener of this.listeners) listener();
    const given = [...this.calls];
    this.calls.clear();
    // report the definite outcomes first
    this.parts.scheduler.after(0, () => {
      for (const call of given) call.giveUp();
    });
  }

  private recover(): void {
    this.answeredAt = this.tick;
    this.lateTicks = 0;
    this.doubtSince = null;
    if (this.openSince === null) return;
    const openMs = Math.round(this.parts.scheduler.steady() - this.openSince);
    this.openSince = null;
    this.parts.log.warn({ openMs }, 'the store answers again');
  }
}
