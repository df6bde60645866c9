/** What time it is on each project's test clock. Learns it from the actors that keep them; in a cluster the
 *  keeper may live on another node, so a clock is read before it is believed.
 *  1. A clock that walks is believed for one turn. One that rests is believed for `restKeptMs` after the *sending* of
 *     what read it: whoever walks a clock lets that time go by before the first step (clock-walk.ts), so nobody who
 *     acts later acts on the time before.
 *  2. Of two states the one of the newer version stands, in whatever order they are learned. */
import { pause, type DurationMs, type Instant, type Scheduler } from '../../kernel/time.ts';
import type { ClockState } from '../model/actor.ts';

/** How long a clock at rest is believed without asking again. */
export const restKeptMs: DurationMs = 250;
/** Clocks believed at once; more, and all are read again. */
const keptMax = 10_000;
const readAgainMs = 200;

/** A read under way, and the one that begins after it for those who came too late. */
interface Reading {
  readonly current: Promise<void>;
  next: Promise<void> | null;
}

/** When what is known of a clock was asked for, on both clocks: a machine that stood still shows it on one of them. */
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

  /** `read` learns one clock from the store; null when nobody else can move clocks. */
  constructor(scheduler: Scheduler, read: ((clock: string) => Promise<void>) | null) {
    this.scheduler = scheduler;
    this.read = read;
  }

  /** Resolves when what is known of the clock was read after this call; null when nothing need be waited for. */
  fresh(clock: string | null): Promise<void> | null {
    if (clock === null || this.read === null || this.isBelieved(clock)) return null;
    const reading = this.readings.get(clock);
    if (reading === undefined) return this.begin(clock);
    reading.next ??= reading.current.then(() => this.begin(clock));
    return reading.next;
  }

  private isBelieved(clock: string): boolean {
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
        // the store is away: whoever waits here has a deadline of his own
        await pause(this.scheduler, readAgainMs);
      }
    }
  }

  /** Now on a project's clock; null is real time. While it walks, a clock stands. Whoever needs it beside real time, or
   *  twice, hands in the `real` time it has read. */
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

  /** Where a walking clock stands and goes; null when it runs by itself. */
  walkOf(clock: string): ClockState['walk'] {
    return this.moved.get(clock)?.state.walk ?? null;
  }

  /** Called with each committed state of a clock's keeper, in its version `v`. */
  learn(clock: string, state: ClockState, v: number): void {
    if (v < (this.moved.get(clock)?.v ?? 0)) return;
    if (state.offsetMs === 0 && state.walk === null) this.moved.delete(clock);
    else this.moved.set(clock, { state, v });
  }

  /** Clocks that differ from real time, with their offsets in ms. */
  offsets(): readonly { readonly clock: string; readonly offsetMs: number }[] {
    return [...this.moved].map(([clock, { state }]) => ({ clock, offsetMs: state.offsetMs }));
  }

  private offsetOf(clock: string | null): number {
    return clock === null ? 0 : (this.moved.get(clock)?.state.offsetMs ?? 0);
  }
}
