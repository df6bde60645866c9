import { describe, expect, test } from 'vitest';
import { Wheel, type WheelItem } from '../../../gateways/live/wheel.ts';
import { pingEveryMs, pingSlots } from '../../../gateways/sse/frame.ts';
import { HandClock } from '../sse/street.ts';

class Item implements WheelItem {
  slot = -1;
  place = 0;
  readonly visits: number[] = [];
}

function wheel(onVisit: (item: Item, wheel: Wheel<Item>) => void = () => undefined) {
  const clock = new HandClock();
  const made: Wheel<Item> = new Wheel({
    scheduler: clock,
    turnMs: pingEveryMs,
    slots: pingSlots,
    visit: (item) => {
      item.visits.push(clock.steady());
      onVisit(item, made);
    },
  });
  return { clock, made };
}

const gaps = (times: readonly number[]): readonly number[] =>
  times.slice(1).map((time, at) => time - (times[at] ?? 0));

describe('the wheel of pings', () => {
  test('visits each item every 7 s, at most a quarter of a second early, whenever it joined', () => {
    const { clock, made } = wheel();
    const items: { readonly item: Item; readonly since: number }[] = [];
    for (let n = 0; n < 100; n++) {
      const item = new Item();
      made.add(item);
      items.push({ item, since: clock.steady() });
      clock.go(137);
    }
    clock.go(60_000);
    for (const { item, since } of items) {
      const first = (item.visits[0] ?? 0) - since;
      expect(first).toBeGreaterThan(7000 - 251);
      expect(first).toBeLessThanOrEqual(7000);
      expect(new Set(gaps(item.visits))).toEqual(new Set([7000]));
    }
  });

  test('has one timer for all of its items and none without any', () => {
    const { clock, made } = wheel();
    const items = Array.from({ length: 1000 }, () => new Item());
    for (const item of items) made.add(item);
    clock.go(10_000);
    expect(clock.timers).toBe(1);
    for (const item of items) made.remove(item);
    expect(made.size).toBe(0);
    clock.go(250);
    expect(clock.timers).toBe(0);
    made.add(new Item());
    expect(clock.timers).toBe(1);
  });

  test('after a delay of the event loop no item is skipped or visited twice', () => {
    const { clock, made } = wheel();
    const items = Array.from({ length: 56 }, () => {
      const item = new Item();
      made.add(item);
      clock.go(125);
      return item;
    });
    const before = items.map(({ visits }) => visits.length);
    clock.stall(3000);
    clock.go(4000);
    expect(items.map(({ visits }, at) => visits.length - (before[at] ?? 0))).toEqual(items.map(() => 1));
    clock.stall(100_000);
    expect(items.map(({ visits }, at) => visits.length - (before[at] ?? 0))).toEqual(items.map(() => 2));
  });

  test('an item may leave during its visit, and the others stay', () => {
    const { clock, made } = wheel((item, its) => its.remove(item));
    const items = Array.from({ length: 10 }, () => new Item());
    for (const item of items) made.add(item);
    clock.go(20_000);
    expect(items.map(({ visits }) => visits.length)).toEqual(items.map(() => 1));
    expect(made.size).toBe(0);
  });

  test('an item that joins in the middle of a late turn waits its seven seconds', () => {
    const joins = new Item();
    const { clock, made } = wheel((_item, its) => {
      if (joins.slot === -1 && joins.visits.length === 0) its.add(joins);
    });
    made.add(new Item());
    clock.go(7000);
    expect(joins.visits).toEqual([]);
    clock.go(6999);
    expect(joins.visits).toEqual([]);
    clock.go(1);
    expect(joins.visits).toHaveLength(1);
  });
});
