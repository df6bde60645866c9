/** The current time of each project's test clock, learned from the actors that keep them. In a cluster the
 *  keeper may live on another node, so a clock is read from the store before it is used.
 *  1. The state of a walking clock is valid for one turn. The state of a clock at rest is valid for
 *     `restKeptMs` after the *sending* of the read. A walk waits that long before its first step
 *     (clock-walk.ts), so that nothing done later uses the earlier time.
 *  2. Of two states the one with the newer version wins, in whatever order they are learned. Within a walk the clock
 *     never goes back. */
import { pause, type DurationMs, type Instant, type Scheduler } from '../../kernel/time.ts';
import type { ClockState } from '../model/actor.ts';

/** How long the state of a clock at rest is valid without reading it again. */
export const restKeptMs: DurationMs = 250;
/** Clocks cached at once; above this, all are read again. */
const keptMax = 10_000;
const readAgainMs = 200;

/** A read in progress, and the one that starts after it for callers that came too late for the first. */
interface Reading {
  readonly current: Promise<void>;
  next: Promise<void> | null;
}

/** When the state of a clock was requested, on both clocks: if the machine was suspended, one of them shows
 *  it. */
interface Kept {
  readonly steady: DurationMs;
  readonly wall: Instant;
}

interface Moved {
  readonly state: ClockState;
  /** Of its keeper. */
  readonly v: number;
}

export class Clocks {
  private readonly scheduler: Scheduler;
  private readonly read: ((clock: string) => Promise<void>) | null;
  private readonly moved = new Map<string, Moved>();
  private readonly kept = new Map<string, Kept>();
  private readonly readings = new Map<string, Reading>();

  /** `read` reads one clock from the store; null when no other node can move clocks. */
  constructor(scheduler: Scheduler, read: ((clock: string) => Promise<void>) | null) {
    this.scheduler = scheduler;
    this.read = read;
  }

  /** Resolves when the state of the clock was read after this call; null when no wait is needed. */
  fresh(clock: string | null): Promise<void> | null {
    if (clock === null || this.read === null || this.isFresh(clock)) return null;
    const reading = this.readings.get(clock);
    if (reading === undefined) return this.begin(clock);
    reading.next ??= reading.current.then(() => this.begin(clock));
    return reading.next;
  }

  private isFresh(clock: string): boolean {
    const kept = this.kept.get(clock);
    if (kept === undefined || this.walking(clock)) return false;
    const { scheduler } = this;
    const passed = Math.max(scheduler.steady() - kept.steady, Math.abs(scheduler.now() - kept.wall));
    return passed < restKeptMs;
  }

  private begin(clock: string): Promise<void> {
    const reading: Reading = {
      current: this.readSurely(clock).then(() => {
        if (this.readings.get(clock) === reading) this.readings.delete(clock);
      }),
      next: null,
    };
    this.readings.set(clock, reading);
    return reading.current;
  }

  private async readSurely(clock: string): Promise<void> {
    for (;;) {
      const sent: Kept = { steady: this.scheduler.steady(), wall: this.scheduler.now() };
      try {
        await this.read?.(clock);
        if (this.kept.size >= keptMax) this.kept.clear();
        this.kept.set(clock, sent);
        return;
      } catch {
        // the store does not answer: callers that wait here have their own deadlines
        await pause(this.scheduler, readAgainMs);
      }
    }
  }

  /** Now on a project's clock; null is real time. While it walks, a clock stands still between steps.
   *  Callers that also need real time, or need the clock twice, pass the `real` time they have read. */
  now(clock: string | null, real = this.scheduler.now()): Instant {
    const state = clock === null ? undefined : this.moved.get(clock)?.state;
    if (state === undefined) return real;
    return state.walk === null ? real + state.offsetMs : state.walk.standsAt;
  }

  /** Real time at which a clock that is not walking will show `at`. */
  realTimeOf(clock: string | null, at: Instant): Instant {
    return at - this.offsetOf(clock);
  }

  walking(clock: string | null): boolean {
    return clock !== null && this.walkOf(clock) !== null;
  }

  /** The current instant and the target of a walking clock; null when it is not walking. */
  walkOf(clock: string): ClockState['walk'] {
    return this.moved.get(clock)?.state.walk ?? null;
  }

  /** Called with each committed state of a clock's keeper, in its version `v`. */
  learn(clock: string, state: ClockState, v: number): void {
    if (v < (this.moved.get(clock)?.v ?? 0)) return;
    if (state.offsetMs === 0 && state.walk === null) this.moved.delete(clock);
    else this.moved.set(clock, { state: this.notBack(clock, state), v });
  }

  /** Another command to the keeper may be committed before the step at which its clock stands here already. */
  private notBack(clock: string, state: ClockState): ClockState {
    const stands = this.walkOf(clock);
    const { walk } = state;
    if (walk === null || stands?.target !== walk.target || stands.standsAt <= walk.standsAt) return state;
    return { ...state, walk: { ...walk, standsAt: stands.standsAt } };
  }

  /** Moves a walking clock to its next step, which is being committed. Only for its walk, where no other node reads
   *  clocks. */
  stand(clock: string, standsAt: Instant): void {
    const moved = this.moved.get(clock);
    const walk = moved?.state.walk ?? null;
    if (moved === undefined || walk === null) return;
    this.moved.set(clock, { ...moved, state: { ...moved.state, walk: { ...walk, standsAt } } });
  }

  /** Clocks that differ from real time, with their offsets in ms. */
  offsets(): readonly { readonly clock: string; readonly offsetMs: number }[] {
    return [...this.moved].map(([clock, { state }]) => ({ clock, offsetMs: state.offsetMs }));
  }

  private offsetOf(clock: string | null): number {
    return clock === null ? 0 : (this.moved.get(clock)?.state.offsetMs ?? 0);
  }
}
