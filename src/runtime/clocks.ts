/** What time it is on each project's test clock (engine 8). Learns it from the actors that keep them. */
import type { Instant, Scheduler } from '../kernel/time.ts';
import type { ClockState } from './actor.ts';

export class Clocks {
  private readonly scheduler: Scheduler;
  private readonly moved = new Map<string, ClockState>();

  constructor(scheduler: Scheduler) {
    this.scheduler = scheduler;
  }

  /** Now on a project's clock; null is real time. While it walks, a clock stands. */
  now(clock: string | null): Instant {
    const real = this.scheduler.now();
    const state = clock === null ? undefined : this.moved.get(clock);
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
    return this.moved.get(clock)?.walk ?? null;
  }

  /** Called with each committed state of a clock's keeper. */
  learn(clock: string, state: ClockState): void {
    if (state.offsetMs === 0 && state.walk === null) this.moved.delete(clock);
    else this.moved.set(clock, state);
  }

  /** Clocks that differ from real time, with their offsets in ms. */
  offsets(): readonly { readonly clock: string; readonly offsetMs: number }[] {
    return [...this.moved].map(([clock, { offsetMs }]) => ({ clock, offsetMs }));
  }

  private offsetOf(clock: string | null): number {
    return clock === null ? 0 : (this.moved.get(clock)?.offsetMs ?? 0);
  }
}
