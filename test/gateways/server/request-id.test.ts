/** Request ids: unique, made again by whoever has the key, and by nobody else. */
import { beforeEach, expect, test } from 'vitest';
import {
  RequestIds,
  RequestIdsOf,
  secondOf,
  secondOfNumber,
  secondText,
} from '../../../gateways/server/request-id.ts';

let now: number;
let ids: RequestIds;
beforeEach(() => {
  now = 1_795_166_200_123;
  ids = new RequestIds(() => now);
});

const drawn = (count: number) =>
  Array.from({ length: count }, () => ({ id: ids.next(), number: ids.number }));

test('a request id names its second, and ids of one second differ', () => {
  const all = drawn(1000).map(({ id }) => id);
  expect(new Set(all).size).toBe(1000);
  expect(new Set(all.map(secondOf))).toEqual(new Set(['1ng03zr']));
  expect(all.every((id) => /^req_1ng03zr[0-9a-hjkmnp-tv-z]{17}$/.test(id))).toBe(true);
  now += 1000;
  expect(secondOf(ids.next())).toBe('1ng03zs');
  expect(secondOf('req_short')).toBeNull();
});

test('an id is made again from its number and the key, at any time and in any order', () => {
  const some = [...drawn(300), ...((now += 5000), drawn(300))];
  const again = new RequestIdsOf(ids.key).of(some.map(({ number }) => number));
  expect(again).toEqual(some.map(({ id }) => id));
  const [first, last] = [some[0], some.at(-1)];
  expect(new RequestIdsOf(ids.key).of([last?.number ?? 0, first?.number ?? 0])).toEqual([
    last?.id,
    first?.id,
  ]);
  expect(some.map(({ number }) => secondText(secondOfNumber(number)))).toEqual(
    some.map(({ id }) => secondOf(id)),
  );
});

test('the same numbers give other ids under another key', () => {
  const some = drawn(100);
  const others = new Set(new RequestIdsOf(new RequestIds().key).of(some.map(({ number }) => number)));
  expect(some.filter(({ id }) => others.has(id))).toEqual([]);
});

test('ids that follow one another have no letters in common but those of their second', () => {
  const places = Array.from({ length: 17 }, (_, at) => at + 'req_1ng03zr'.length);
  const all = drawn(2000).map(({ id }) => id);
  const alike = places.map((at) => all.filter((id, n) => n > 0 && id[at] === all[n - 1]?.[at]).length);
  // one of 32 by chance, 62 of 2,000
  expect(Math.max(...alike)).toBeLessThan(120);
  expect(Math.min(...alike)).toBeGreaterThan(20);
  expect(places.map((at) => new Set(all.map((id) => id[at])).size)).toEqual(places.map(() => 32));
});

test('no number comes twice when the clock is set back: ids say the second that was reached', () => {
  const before = drawn(20);
  now -= 3_600_000;
  const after = drawn(20);
  expect(new Set([...before, ...after].map(({ id }) => id)).size).toBe(40);
  expect(after.map(({ number }) => number)).toEqual(after.map(({ number }) => number).sort((a, b) => a - b));
  expect(Math.min(...after.map(({ number }) => number))).toBeGreaterThan(
    Math.max(...before.map(({ number }) => number)),
  );
  expect(new Set(after.map(({ id }) => secondOf(id)))).toEqual(new Set(['1ng03zr']));
});

test('ids stay unique, and are made again, when a second has more of them than numbers', () => {
  const perSecond = 2 ** 20;
  for (let n = 0; n < perSecond - 8; n++) ids.next();
  const over = drawn(40);
  expect(new Set(over.map(({ id }) => id)).size).toBe(40);
  expect(new Set(over.map(({ id }) => secondOf(id)))).toEqual(new Set(['1ng03zr', '1ng03zs']));
  expect(new RequestIdsOf(ids.key).of(over.map(({ number }) => number))).toEqual(over.map(({ id }) => id));
});
