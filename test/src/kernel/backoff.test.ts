import { expect, test } from 'vitest';
import { Backoff } from '../../../src/kernel/backoff.ts';

/** Time passes at once; what was waited is written down. */
function waits() {
  const waited: number[] = [];
  const after = (delay: number, work: () => void) => {
    waited.push(delay);
    work();
    return () => undefined;
  };
  return { waited, after };
}

test('each wait is twice the one before, up to the bound; a success resets it', async () => {
  const { waited, after } = waits();
  const backoff = new Backoff({ after }, 20, 100);
  expect(backoff.waited).toBe(false);
  for (let tries = 0; tries < 5; tries++) await backoff.wait();
  expect(waited).toEqual([20, 40, 80, 100, 100]);
  expect(backoff.waited).toBe(true);
  backoff.reset();
  expect(backoff.waited).toBe(false);
  await backoff.wait();
  expect(waited.at(-1)).toBe(20);
});
