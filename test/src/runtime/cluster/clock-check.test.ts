import { expect, test } from 'vitest';
import { clockSkewMs } from '../../../../src/runtime/cluster/clock-check.ts';
import type { Scheduler } from '../../../../src/kernel/time.ts';

/** A machine whose question takes this long, and a database whose clock shows this in between. */
const asked = (there: number, tookMs: number): Promise<number> => {
  let now = 1000;
  const scheduler: Scheduler = { now: () => now, steady: () => now, after: () => () => undefined };
  const time = (): Promise<number> => {
    now += tookMs;
    return Promise.resolve(there);
  };
  return clockSkewMs({ time }, scheduler);
};

test('a clock reading between request and answer is correct, however long the query took', async () => {
  expect(await asked(1000, 0)).toBe(0);
  expect(await asked(1000, 400)).toBe(0);
  expect(await asked(1400, 400)).toBe(0);
});

test('outside of that range the difference is a lower bound', async () => {
  expect(await asked(999, 400)).toBe(1);
  expect(await asked(1401, 400)).toBe(1);
  expect(await asked(1000 - 90_000, 10)).toBe(90_000);
});

test('without an answer it rejects', async () => {
  const scheduler: Scheduler = { now: () => 0, steady: () => 0, after: () => () => undefined };
  await expect(clockSkewMs({ time: () => Promise.reject(new Error('away')) }, scheduler)).rejects.toThrow(
    'away',
  );
});
