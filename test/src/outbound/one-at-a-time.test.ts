import { realScheduler } from '../../../src/kernel/time.ts';
import { expect, test } from 'vitest';
import { oneAtATime, slowForMs } from '../../../src/outbound/one-at-a-time.ts';

const clock = { at: 0 };
const lane = (waitMsMax?: number) => {
  clock.at = 1000;
  return oneAtATime({ ...realScheduler, now: () => clock.at }, waitMsMax);
};
const undecided = Promise.resolve('waits');

test('an unlimited endpoint accepts all posts at once', async () => {
  const { enter } = lane();
  expect(await Promise.all([enter('we_1'), enter('we_1'), enter('we_1')])).not.toContain(null);
});

test('a limited endpoint accepts one post after the other, in order of arrival', async () => {
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

test('another endpoint is not limited with it', async () => {
  const { enter, slow } = lane();
  slow('we_1');
  await enter('we_1');
  expect(await enter('we_2')).not.toBeNull();
});

test('after a minute all posts run again, once the last single one has ended', async () => {
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

test('limited again, its minute starts again', async () => {
  const { enter, slow } = lane();
  slow('we_1');
  clock.at += slowForMs - 1;
  slow('we_1');
  clock.at += slowForMs - 1;
  await enter('we_1');
  expect(await Promise.race([enter('we_1'), undecided])).toBe('waits');
});

test('a post whose turn does not come in time leaves the queue and does not block those behind', async () => {
  const { enter, slow } = lane(5);
  slow('we_1');
  const leave = await enter('we_1');
  expect(await enter('we_1')).toBeNull();
  leave?.();
  expect(await enter('we_1')).not.toBeNull();
});
