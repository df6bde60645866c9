/** Wakes actors when their earliest timer is due. Memory holds only the next minute; the store has the
 *  rest. Firing twice is harmless, because a timer carries the generation of its arming. */
import { seconds, type Cancel, type Instant, type Scheduler } from '../../kernel/time.ts';
import type { Due, SlotRange, Store } from '../../store/store.ts';
import type { Clocks } from './clocks.ts';

export const horizonMs = seconds(60);
export const scanEveryMs = seconds(15);
/** Due actors read per scan; the next scan reads the rest. */
export const scanDueMax = 10_000;

interface Entry {
  readonly at: Instant;
  readonly kind: string;
  readonly id: string;
}

export class Timers {
  private readonly scheduler: Scheduler;
  private readonly clocks: Clocks;
  private readonly wake: (kind: string, id: string) => void;
  private readonly heap: Entry[] = [];
  private armed: { readonly at: Instant; readonly cancel: Cancel } | null = null;

  constructor(scheduler: Scheduler, clocks: Clocks, wake: (kind: string, id: string) => void) {
    this.scheduler = scheduler;
    this.clocks = clocks;
    this.wake = wake;
  }

  /** Notes that an actor must be woken at an instant of its clock. Instants beyond the horizon are found by
   *  a later scan. */
  note({ kind, id, wake }: Due, clock: string | null): void {
    if (this.clocks.walking(clock)) return;
    const at = this.clocks.realTimeOf(clock, wake);
    if (at > this.scheduler.now() + horizonMs) return;
    this.push({ at, kind, id });
    this.arm();
  }

  /** Reads what falls due within the horizon, on real time and on every moved clock. */
  async scan(store: Store, slots: readonly SlotRange[] | undefined): Promise<void> {
    if (slots?.length === 0) return;
    const within = slots === undefined ? {} : { slots };
    const now = this.scheduler.now();
    const found: Entry[] = [];
    // offsets only grow: what is due on real time is due on any clock
    const real = await store.due({ ...within, until: now + horizonMs, limit: scanDueMax });
    for (const { kind, id, wake } of real) found.push({ at: wake, kind, id });
    for (const { clock, offsetMs } of this.clocks.offsets()) {
      const due = await store.due({ ...within, clock, until: now + offsetMs + horizonMs, limit: scanDueMax });
      for (const { kind, id, wake } of due) found.push({ at: wake - offsetMs, kind, id });
    }
    for (const entry of found) this.push(entry);
    this.arm();
  }

  /** The wall clock was changed: due timers fire now, the others are scheduled again. */
  armAgain(): void {
    this.armed?.cancel();
    this.armed = null;
    this.fire();
  }

  private arm(): void {
    const first = this.heap[0];
    if (first === undefined || (this.armed !== null && this.armed.at <= first.at)) return;
    this.armed?.cancel();
    const delay = Math.max(0, first.at - this.scheduler.now());
    const cancel = this.scheduler.after(delay, () => {
      this.armed = null;
      this.fire();
    });
    this.armed = { at: first.at, cancel };
  }

  private fire(): void {
    const now = this.scheduler.now();
    const woken = new Set<string>();
    for (let first = this.heap[0]; first !== undefined && first.at <= now; first = this.heap[0]) {
      const { kind, id } = this.pop();
      const name = `${kind}/${id}`;
      if (!woken.has(name)) this.wake(kind, id);
      woken.add(name);
    }
    this.arm();
  }

  private push(entry: Entry): void {
    const { heap } = this;
    let at = heap.push(entry) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (heap[parent]!.at <= heap[at]!.at) break;
      [heap[parent], heap[at]] = [heap[at]!, heap[parent]!];
      at = parent;
    }
  }

  private pop(): Entry {
    const { heap } = this;
    const first = heap[0]!;
    const last = heap.pop()!;
    if (heap.length === 0) return first;
    heap[0] = last;
    for (let at = 0; ;) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      let least = at;
      if (left < heap.length && heap[left]!.at < heap[least]!.at) least = left;
      if (right < heap.length && heap[right]!.at < heap[least]!.at) least = right;
      if (least === at) return first;
      [heap[at], heap[least]] = [heap[least]!, heap[at]!];
      at = least;
    }
  }
}
