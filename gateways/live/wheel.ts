/** A timer wheel: visits each of its items once per turn, with one timer for all of them.
 *  1. An item is first visited one turn after it was added, at most one slot early, then once each turn.
 *  2. After a delay of the event loop the wheel catches up: slots advance by the monotonic clock and none
 *     is skipped. After a pause longer than a turn each item is visited once.
 *  3. An empty wheel stops within one slot. */
import { assert } from '../../src/kernel/assert.ts';
import type { DurationMs, Scheduler } from '../../src/kernel/time.ts';

/** The slot of an item; written by the wheel. `slot` is -1 when the item is in no slot. */
export interface WheelItem {
  slot: number;
  place: number;
}

export interface WheelOptions<Item> {
  readonly scheduler: Pick<Scheduler, 'steady' | 'after'>;
  readonly turnMs: DurationMs;
  readonly slots: number;
  /** May remove this item at once; other items only later. Never throws. */
  readonly visit: (item: Item) => void;
}

export class Wheel<Item extends WheelItem> {
  private readonly slots: Item[][];
  private readonly slotMs: DurationMs;
  private readonly scheduler: WheelOptions<Item>['scheduler'];
  private readonly visit: (item: Item) => void;
  /** Slots passed since the start of the monotonic clock. */
  private passed = 0;
  private turning = false;
  private count = 0;

  constructor({ scheduler, turnMs, slots, visit }: WheelOptions<Item>) {
    this.slots = Array.from({ length: slots }, () => []);
    this.slotMs = turnMs / slots;
    this.scheduler = scheduler;
    this.visit = visit;
  }

  get size(): number {
    return this.count;
  }

  add(item: Item): void {
    assert(item.slot === -1, 'an item sits in one slot');
    if (!this.turning) {
      this.turning = true;
      this.passed = this.now();
      this.wait();
    }
    // the slot just visited comes up again last
    item.slot = this.passed % this.slots.length;
    const slot = this.slots[item.slot] ?? [];
    item.place = slot.push(item) - 1;
    this.count++;
  }

  remove(item: Item): void {
    const slot = this.slots[item.slot];
    if (slot === undefined) return;
    const last = slot.pop();
    if (last !== undefined && last !== item) {
      slot[item.place] = last;
      last.place = item.place;
    }
    item.slot = -1;
    this.count--;
  }

  private now(): number {
    return Math.floor(this.scheduler.steady() / this.slotMs);
  }

  private wait(): void {
    const untilNext = (this.passed + 1) * this.slotMs - this.scheduler.steady();
    this.scheduler.after(Math.max(1, untilNext), () => this.turn());
  }

  private turn(): void {
    const now = this.now();
    this.passed = Math.max(this.passed, now - this.slots.length);
    while (this.passed < now && this.count > 0) {
      this.passed++;
      this.visitAll(this.slots[this.passed % this.slots.length] ?? []);
    }
    if (this.count > 0) this.wait();
    else this.turning = false;
  }

  /** Iterates from the end: a removed item is replaced by one that was already visited. */
  private visitAll(slot: readonly Item[]): void {
    for (let at = slot.length - 1; at >= 0; at--) {
      const item = slot[at];
      if (item !== undefined) this.visit(item);
    }
  }
}
