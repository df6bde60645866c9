import { expect, test } from 'vitest';
import { Turns } from '../../../src/kernel/turns.ts';

test('no more than allowed run at once, in the order in which they came, whatever becomes of them', async () => {
  const turns = new Turns(2);
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
  const all = Array.from({ length: 9 }, (_, at) => turns.take(work(at)));
  const ends = await Promise.allSettled(all);
  expect(ends.map(({ status }) => status === 'fulfilled')).toEqual(ends.map((_, at) => at % 3 !== 0));
  expect([most, begun]).toEqual([2, [0, 1, 2, 3, 4, 5, 6, 7, 8]]);
  expect(await turns.take(() => Promise.resolve('again'))).toBe('again');
});
