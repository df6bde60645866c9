import { realScheduler } from '../../../src/kernel/time.ts';
import { expect, test } from 'vitest';
import { oneAtATime, slowForMs } from '../../../src/outbound/one-at-a-time.ts';

const clock = { at: 0 };
const lane = (waitMsMax?: number) => {
  clock.at = 1000;
  return oneAtATime({ ...realScheduler, now: () => clock.at }, waitMsMax);
};
const undecided = Promise.resolve('waits');

test('an endpoint nobody asked to spare is entered by all at once', async () => {
  const { enter } = lane();
  expect(await Promise.all([enter('we_1'), enter('we_1'), enter('we_1')])).not.toContain(null);
});

test('a slow endpoint is entered by one after the other, in the order they came', async () => {
  const { enter, slow } = lane();
  slow('we_1');
  const order: number[] = [];
  const leave = await enter('we_1');
  const others = [1, 2].map(async (n) => {
    const mine = await enter('we_1');
    order.push(n);
    mine?.();
  });
  expect(await Promise.race([...others, undecided])).toBe('waits');
  leave?.();
  await Promise.all(others);
  expect(order).toEqual([1, 2]);
});

test('another endpoint is not spared with it', async () => {
  const { enter, slow } = lane();
  slow('we_1');
  await enter('we_1');
  expect(await enter('we_2')).not.toBeNull();
});

test('after a minute it is entered by all again, once the last one alone has left', async () => {
  const { enter, slow } = lane();
  slow('we_1');
  const leave = await enter('we_1');
  clock.at += slowForMs;
  const next = enter('we_1');
  expect(await Promise.race([next, undecided])).toBe('waits');
  leave?.();
  (await next)?.();
  expect(await Promise.all([enter('we_1'), enter('we_1')])).not.toContain(null);
});

test('asked again to be spared, its minute begins anew', async () => {
  const { enter, slow } = lane();
  slow('we_1');
  clock.at += slowForMs - 1;
  slow('we_1');
  clock.at += slowForMs - 1;
  await enter('we_1');
  expect(await Promise.race([enter('we_1'), undecided])).toBe('waits');
});

test('whose turn does not come in time goes away and does not block those behind', async () => {
  const { enter, slow } = lane(5);
  slow('we_1');
  const leave = await enter('we_1');
  expect(await enter('we_1')).toBeNull();
  leave?.();
  expect(await enter('we_1')).not.toBeNull();
});
