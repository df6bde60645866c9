/** What time it is on each project's test clock (engine 8). Learns it from the actors that keep them; in a cluster the
 *  keeper may live on another node, so a clock is read again before it is believed. */
import type { Instant, Scheduler } from '../kernel/time.ts';
import type { ClockState } from './actor.ts';

const readAgainMs = 200;

/** A read under way, and the one that begins after it for those who came too late. */
interface Reading {
  readonly current: Promise<void>;
  next: Promise<void> | null;
}

export class Clocks {
  private readonly scheduler: Scheduler;
  private readonly read: ((clock: string) => Promise<void>) | null;
  private readonly moved = new Map<string, ClockState>();
  private readonly readings = new Map<string, Reading>();

  /** `read` learns one clock from the store; null when nobody else can move clocks. */
  constructor(scheduler: Scheduler, read: ((clock: string) => Promise<void>) | null) {
    this.scheduler = scheduler;
    this.read = read;
  }

  /** Resolves when what is known of the clock was read after this call; null when nothing need be waited for. */
  fresh(clock: string | null): Promise<void> | null {
    if (clock === null || this.read === null) return null;
    const reading = this.readings.get(clock);
    if (reading === undefined) return this.begin(clock);
    reading.next ??= reading.current.then(() => this.begin(clock));
    return reading.next;
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
      try {
        await this.read?.(clock);
        return;
      } catch {
        // the store is away: whoever waits here has a deadline of his own
        await new Promise<void>((resolve) => void this.scheduler.after(readAgainMs, resolve));
      }
    }
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
