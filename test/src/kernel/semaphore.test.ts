import { expect, test } from 'vitest';
import { Semaphore, SemaphoreFull } from '../../../src/kernel/semaphore.ts';

test('no more than allowed run at once, in the order in which they came, whatever becomes of them', async () => {
  const semaphore = new Semaphore(2);
  const begun: number[] = [];
  let running = 0;
  let most = 0;
  const work = (at: number) => async (): Promise<number> => {
    begun.push(at);
    most = Math.max(most, ++running);
    await new Promise<void>((resolve) => setImmediate(resolve));
    running--;
    if (at % 3 === 0) throw new Error(`work ${at}`);
    return at;
  };
  const all = Array.from({ length: 9 }, (_, at) => semaphore.pass(work(at)));
  const ends = await Promise.allSettled(all);
  expect(ends.map(({ status }) => status === 'fulfilled')).toEqual(ends.map((_, at) => at % 3 !== 0));
  expect([most, begun]).toEqual([2, [0, 1, 2, 3, 4, 5, 6, 7, 8]]);
  expect(await semaphore.pass(() => Promise.resolve('again'))).toBe('again');
});

test('as many wait as may; the next is rejected and takes no place', async () => {
  const semaphore = new Semaphore(1, 1);
  let go = (): void => undefined;
  const first = semaphore.pass(() => new Promise<void>((resolve) => (go = resolve)));
  const second = semaphore.pass(() => Promise.resolve('second'));
  expect(semaphore.full).toBe(true);
  await expect(semaphore.pass(() => Promise.resolve())).rejects.toThrow(SemaphoreFull);
  go();
  expect(await second).toBe('second');
  await first;
  expect(semaphore.idle).toBe(true);
});
