/** Wakes actors when their earliest timer is due. Memory holds only the next minute; the store has the
 *  rest. Firing twice is harmless, because a timer carries the generation of its arming. */
import { Heap } from '../../kernel/heap.ts';
import { seconds, type Cancel, type Instant, type Scheduler } from '../../kernel/time.ts';
import type { Due, SlotRange, Store } from '../../store/store.ts';
import type { Clocks } from './clocks.ts';

const horizonMs = seconds(60);
export const scanEveryMs = seconds(15);
/** Due actors read per scan; the next scan reads the rest. */
const scanDueMax = 10_000;

interface Entry {
  readonly at: Instant;
  readonly kind: string;
  readonly id: string;
}

export class Timers {
  private readonly scheduler: Scheduler;
  private readonly clocks: Clocks;
  private readonly wake: (kind: string, id: string) => void;
  private readonly heap = new Heap<Entry>((one, other) => one.at < other.at);
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
    this.heap.push({ at, kind, id });
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
    for (const entry of found) this.heap.push(entry);
    this.arm();
  }

  /** The wall clock was changed: due timers fire now, the others are scheduled again. */
  armAgain(): void {
    this.armed?.cancel();
    this.armed = null;
    this.fire();
  }

  private arm(): void {
    const { first } = this.heap;
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
    for (let first = this.heap.first; first !== undefined && first.at <= now; first = this.heap.first) {
      this.heap.pop();
      const { kind, id } = first;
      const name = `${kind}/${id}`;
      if (!woken.has(name)) this.wake(kind, id);
      woken.add(name);
    }
    this.arm();
  }
}
