/** Long work rests for a multiple of what it has worked. */
import { expect, test } from 'vitest';
import { BackgroundWork, restFactor } from '../../../src/books/background-work.ts';

/** A clock that moves with work, and notes how long is rested. */
function clock() {
  const rests: number[] = [];
  let now = 0;
  return {
    rests,
    work: (ms: number) => void (now += ms),
    steady: () => now,
    after(delay: number, then: () => void) {
      rests.push(delay);
      now += delay;
      then();
      return () => undefined;
    },
  };
}

test('rests after a few milliseconds of work, for a multiple of them, and never for long at once', async () => {
  const time = clock();
  const background = new BackgroundWork(time);
  time.work(1);
  await background.next();
  expect(time.rests).toEqual([]);
  time.work(1.5);
  await background.next();
  expect(time.rests).toEqual([2.5 * restFactor]);
  time.work(400);
  await background.next();
  expect(time.rests[1]).toBeLessThan(50);
});

test('works a fifth of the time at most, whatever its pieces take', async () => {
  const time = clock();
  const background = new BackgroundWork(time);
  let worked = 0;
  for (let piece = 0; piece < 100; piece++) {
    time.work((piece % 7) * 0.6);
    worked += (piece % 7) * 0.6;
    await background.next();
  }
  time.work(30);
  await background.end(500);
  const rested = time.rests.reduce((sum, ms) => sum + ms, 0);
  expect((worked + 30) / (worked + 30 + rested)).toBeLessThanOrEqual(0.21);
});

test('what is rested for at the end is bounded', async () => {
  const time = clock();
  const background = new BackgroundWork(time);
  time.work(60_000);
  await background.end(500);
  expect(time.rests).toEqual([500 * restFactor]);
});
