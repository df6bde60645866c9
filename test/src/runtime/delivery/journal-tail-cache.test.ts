/** What the pump of a journal reads from memory, and when it reads the store. */
import { describe, expect, test } from 'vitest';
import {
  JournalTailCache,
  JournalTailBudget,
  tailCharsMax,
  tailRowsMax,
} from '../../../../src/runtime/delivery/journal-tail-cache.ts';
import type { Row } from '../../../../src/store/store.ts';

const scope = 'prj_abcd:live';

const entry = (pos: number, envelope = '{}'): Row => ({
  kind: 'journal',
  id: `counter/c:${pos}`,
  owner: { kind: 'event_log', id: scope },
  scope,
  v: pos,
  once: true,
  gone: false,
  created: pos,
  tags: [],
  body: { pos, envelope },
});

const entries = (from: number, to: number): readonly Row[] =>
  Array.from({ length: to - from + 1 }, (_, n) => entry(from + n));

const freshAfter = (pos: number, room = new JournalTailBudget()): JournalTailCache =>
  new JournalTailCache(pos, room);

const places = (rows: readonly Row[] | null): readonly unknown[] | null =>
  rows?.map(({ body }) => body['pos']) ?? null;

describe('the newest entries of a journal', () => {
  test('are returned as committed, a page at a time', () => {
    const fresh = freshAfter(4);
    fresh.add(entries(5, 6), 6);
    fresh.add(entries(7, 9), 9);
    expect(places(fresh.after(4, 3))).toEqual([5, 6, 7]);
    expect(places(fresh.after(7, 3))).toEqual([8, 9]);
    expect(places(fresh.after(9, 3))).toEqual([]);
  });

  test('are read from the store if they are older than the cache', () => {
    const fresh = freshAfter(4);
    fresh.add(entries(5, 6), 6);
    expect(fresh.after(3, 10)).toBeNull();
  });

  test('are read from the store once a commit has other entries than its positions say', () => {
    const fresh = freshAfter(4);
    fresh.add(entries(5, 6), 6);
    // told again: the store has the first of them alone
    fresh.add([], 8);
    expect(fresh.after(6, 10)).toBeNull();
    // an entry is missing in the middle
    fresh.add([entry(9), entry(11)], 11);
    expect(fresh.after(8, 10)).toBeNull();
    // and from there on all is known again
    fresh.add(entries(12, 13), 13);
    expect(places(fresh.after(11, 10))).toEqual([12, 13]);
  });

  test('are the same after a commit that adds none', () => {
    const fresh = freshAfter(0);
    fresh.add(entries(1, 2), 2);
    fresh.add([], 2);
    expect(places(fresh.after(0, 10))).toEqual([1, 2]);
  });

  test('are dropped when all readers have passed them', () => {
    const fresh = freshAfter(0);
    fresh.add(entries(1, 4), 4);
    fresh.forget(2);
    expect(fresh.after(1, 10)).toBeNull();
    expect(places(fresh.after(2, 10))).toEqual([3, 4]);
  });

  test('are bounded in number and size: a reader further behind reads the store', () => {
    const many = freshAfter(0);
    many.add(entries(1, tailRowsMax), tailRowsMax);
    expect(many.after(0, 1)).toHaveLength(1);
    many.add([entry(tailRowsMax + 1)], tailRowsMax + 1);
    expect(many.after(0, 1)).toBeNull();

    const long = freshAfter(0);
    long.add([entry(1, 'x'.repeat(tailCharsMax))], 1);
    long.add([entry(2, 'x')], 2);
    expect(long.after(0, 1)).toBeNull();
    // what was let go takes no room any more
    long.add([entry(3, 'x')], 3);
    expect(places(long.after(2, 10))).toEqual([3]);
  });

  test('of all logs of a node are bounded together, and release their space when dropped', () => {
    const room = new JournalTailBudget(100);
    const [one, two] = [freshAfter(0, room), freshAfter(0, room)];
    one.add([entry(1, 'x'.repeat(60))], 1);
    two.add([entry(1, 'x'.repeat(40))], 1);
    expect([one.after(0, 1), two.after(0, 1)]).toMatchObject([[{}], [{}]]);
    // what has no room is read from the store, from there on, and so is what stood here before it
    two.add([entry(2, 'x')], 2);
    expect(two.after(0, 1)).toBeNull();
    two.add([entry(3, 'x'.repeat(40))], 3);
    expect(places(two.after(2, 1))).toEqual([3]);
    // passed, or its lease is over
    two.forget(3);
    one.drop();
    expect(one.after(0, 1)).toBeNull();
    two.add([entry(4, 'x'.repeat(100))], 4);
    expect(places(two.after(3, 1))).toEqual([4]);
    two.add([entry(5, 'x')], 5);
    expect(two.after(3, 1)).toBeNull();
  });
});
