/** Virtual time for a whole world: one event at a time, its microtasks to the end, then the next.
 *  1. No real timer and no real clock: the same seed runs the same events in the same order.
 *  2. Events of one instant run in the order they were scheduled.
 *  3. Each process has a scheduler of its own: it dies with it and may show a wrong wall clock. */
import { assert } from '../../src/kernel/assert.ts';
import type { Cancel, DurationMs, Instant, Scheduler } from '../../src/kernel/time.ts';

interface Event {
  readonly at: Instant;
  readonly place: number;
  work: (() => void) | null;
}

/** A process's own view of time. */
export interface ProcessScheduler extends Scheduler {
  /** Nothing of the process runs now. */
  readonly frozen: boolean;
  /** Nothing scheduled here ever runs again. */
  kill(): void;
  /** Nothing of the process runs for this long; what should have, runs at the end. Its clocks go on. */
  freeze(forMs: DurationMs): void;
  /** Runs `work` now, or once the process runs again. */
  hold(work: () => void): void;
  /** The wall clock jumps; waits are unharmed, as with a monotonic clock. */
  jump(by: DurationMs): void;
  /** Somebody sets the wall clock right. */
  setRight(): void;
}

export class VirtualScheduler implements Scheduler {
  #now: Instant;
  #placed = 0;
  #ran = 0;
  readonly #heap: Event[] = [];

  constructor(start: Instant) {
    this.#now = start;
  }

  /** Events run so far. */
  get ran(): number {
    return this.#ran;
  }

  now(): Instant {
    return this.#now;
  }

  steady(): DurationMs {
    return this.#now;
  }

  after(delay: DurationMs, work: () => void): Cancel {
    assert(!Number.isNaN(delay), 'a delay is a number');
    const event: Event = { at: this.#now + Math.max(0, delay), place: this.#placed++, work };
    push(this.#heap, event);
    return () => {
      event.work = null;
    };
  }

  soon(work: () => void): void {
    this.after(0, work);
  }

  /** A scheduler for one process. `lateness` delays each wait a little, as a busy event loop does. */
  process(lateness: () => DurationMs = () => 0): ProcessScheduler {
    let alive = true;
    let offset = 0;
    let frozenUntil = -Infinity;
    const isFrozen = (): boolean => this.#now < frozenUntil;
    const hold = (work: () => void): void => {
      if (!alive) return;
      if (isFrozen()) this.after(frozenUntil - this.#now, () => hold(work));
      else work();
    };
    const guarded = (work: () => void) => (): void => hold(work);
    return {
      get frozen() {
        return isFrozen();
      },
      now: () => this.#now + offset,
      steady: () => this.#now,
      after: (delay, work) => this.after(delay + lateness(), guarded(work)),
      kill: () => {
        alive = false;
      },
      freeze: (forMs) => {
        frozenUntil = Math.max(frozenUntil, this.#now + forMs);
      },
      hold,
      jump: (by) => {
        offset += by;
      },
      setRight: () => {
        offset = 0;
      },
    };
  }

  /** Runs events until `done()` holds, nothing is left, or `until` is reached (time then stands at `until`).
   *  Whether it stopped because of `done`. */
  run(done: () => boolean, until: Instant): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const step = (): void => {
        try {
          const ended = this.#step(done, until);
          if (ended === null) whenSettled(step);
          else resolve(ended);
        } catch (thrown) {
          reject(thrown as Error);
        }
      };
      whenSettled(step);
    });
  }

  /** Runs the next event; null unless there is no more to do, then as `run` resolves. */
  #step(done: () => boolean, until: Instant): boolean | null {
    while (!done()) {
      const next = this.#heap[0];
      if (next === undefined || next.at > until) {
        this.#now = Math.max(this.#now, until);
        return false;
      }
      pop(this.#heap);
      if (next.work === null) continue;
      this.#now = Math.max(this.#now, next.at);
      this.#ran += 1;
      next.work();
      return null;
    }
    return true;
  }

  /** Runs until nothing is left; only for worlds without anything periodic. */
  async drain(): Promise<void> {
    for (let last = this.#heap.at(-1); last !== undefined; last = this.#heap.at(-1)) {
      await this.run(() => this.#heap.length === 0, last.at);
    }
  }

  /** Lets `duration` pass. */
  async pass(duration: DurationMs): Promise<void> {
    await this.run(() => false, this.#now + duration);
  }
}

const atOnce = Promise.resolve();

/** Runs `work` when no microtask is left: a tick queued from a microtask runs only after all of them. */
function whenSettled(work: () => void): void {
  void atOnce.then(() => process.nextTick(work));
}

const earlier = (a: Event, b: Event): boolean => a.at < b.at || (a.at === b.at && a.place < b.place);

function push(heap: Event[], event: Event): void {
  let index = heap.length;
  heap.push(event);
  while (index > 0) {
    const parent = (index - 1) >> 1;
    const above = heap[parent];
    if (above === undefined || !earlier(event, above)) break;
    heap[index] = above;
    index = parent;
  }
  heap[index] = event;
}

function pop(heap: Event[]): void {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return;
  let index = 0;
  for (;;) {
    const left = heap[2 * index + 1];
    const right = heap[2 * index + 2];
    if (left === undefined) break;
    const toRight = right !== undefined && earlier(right, left);
    const child = toRight ? right : left;
    if (!earlier(child, last)) break;
    heap[index] = child;
    index = 2 * index + (toRight ? 2 : 1);
  }
  heap[index] = last;
}
