/** How often the total of a long list is counted. */
import { expect, test } from 'vitest';
import { LargeTotals, largeMin, totalsMax } from '../../../src/store/large-totals.ts';
import type { Sum } from '../../../src/store/store.ts';

/** Counting takes as long as the test sets; each count is one more than the one before. */
function counting(start: number, tookMs: number) {
  let [now, made] = [0, 0];
  const totals = new LargeTotals(() => now);
  const ends: (() => void)[] = [];
  const make = (): Promise<Sum> =>
    new Promise((resolve) => {
      const count = start + made++;
      ends.push(() => resolve({ count, sum: 0 }));
    });
  const end = async (): Promise<void> => {
    now += tookMs;
    for (const one of ends.splice(0)) one();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return {
    ask: async () => (await totals.of('k', make)).count,
    end,
    pass: (ms: number) => void (now += ms),
    made: () => made,
  };
}

test('a short list is counted each time', async () => {
  const { ask, end, made } = counting(5, 1);
  for (const count of [5, 6, 7]) {
    const asked = ask();
    await end();
    expect(await asked).toBe(count);
  }
  expect(made()).toBe(3);
});

test('a long list is counted again after two seconds, once for all callers', async () => {
  const { ask, end, pass, made } = counting(largeMin + 1, 10);
  const first = ask();
  await end();
  expect(await first).toBe(largeMin + 1);
  pass(1900);
  expect(await ask()).toBe(largeMin + 1);
  pass(200);
  const both = [ask(), ask()];
  await end();
  expect(await Promise.all(both)).toEqual([largeMin + 2, largeMin + 2]);
  expect(made()).toBe(2);
});

test('the first callers of a long list share a count, those of a short one count separately', async () => {
  const long = counting(largeMin + 1, 10);
  const asked = [long.ask(), long.ask(), long.ask()];
  await long.end();
  expect(await Promise.all(asked)).toEqual([largeMin + 1, largeMin + 1, largeMin + 1]);

  const short = counting(5, 10);
  const both = [short.ask(), short.ask()];
  await short.end();
  await short.end();
  expect(await Promise.all(both)).toEqual([5, 6]);
});

test('an expensive total is counted seldom, and only callers without a previous value wait', async () => {
  const { ask, end, pass, made } = counting(largeMin + 1, 500);
  const first = ask();
  await end();
  await first;
  pass(9000);
  expect(await ask()).toBe(largeMin + 1);
  expect(made()).toBe(1);
  pass(1500);
  expect(await Promise.all([ask(), ask()])).toEqual([largeMin + 1, largeMin + 1]);
  expect(made()).toBe(2);
  await end();
  expect(await ask()).toBe(largeMin + 2);

  // after a long time without a request the kept value is too old
  pass(60_000);
  const late = ask();
  await end();
  expect(await late).toBe(largeMin + 3);
});

test('a list that became short is counted each time from then on', async () => {
  let now = 0;
  const totals = new LargeTotals(() => now);
  const counts = [largeMin + 1, 3, 4];
  const make = async (): Promise<Sum> => ({ count: counts.shift() ?? 0, sum: 0 });
  expect((await totals.of('k', make)).count).toBe(largeMin + 1);
  now += 3000;
  expect((await totals.of('k', make)).count).toBe(3);
  expect((await totals.of('k', make)).count).toBe(4);
});

test('a failed count is reported to its callers, and repeated', async () => {
  let now = 0;
  const totals = new LargeTotals(() => now);
  const large = { count: largeMin + 1, sum: 0 };
  await totals.of('k', async () => {
    now += 500;
    return large;
  });
  now += 15_000;
  expect(await totals.of('k', () => Promise.reject(new Error('away')))).toEqual(large);
  await new Promise((resolve) => setImmediate(resolve));
  now += 60_000;
  await expect(totals.of('k', () => Promise.reject(new Error('away')))).rejects.toThrow('away');
  expect(await totals.of('k', async () => large)).toEqual(large);
});

test('above the bound only the total counted longest ago is dropped', async () => {
  const totals = new LargeTotals(() => 0);
  let made = 0;
  const make = async (): Promise<Sum> => ({ count: largeMin + 1, sum: made++ });
  for (let n = 0; n < totalsMax; n++) await totals.of(`k${n}`, make);
  await totals.of('one more', make);
  expect((await totals.of('k1', make)).sum).toBe(1);
  expect((await totals.of('one more', make)).sum).toBe(totalsMax);
  expect((await totals.of('k0', make)).sum).toBe(totalsMax + 1);
});
