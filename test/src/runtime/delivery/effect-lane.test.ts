/** The rows of a lane that wait in the store, and the refills that bring them back in their order. */
import { expect, test } from 'vitest';
import { Lane } from '../../../../src/runtime/delivery/effect-lane.ts';
import { LaneConcurrency } from '../../../../src/runtime/delivery/lane-concurrency.ts';
import { seconds } from '../../../../src/kernel/time.ts';
import { hungMs, job, pass, world } from './effects-world.ts';

test('a lane keeps a bounded number of jobs in memory; the others wait in the store', async () => {
  const { scheduler, effects, post, underWay } = world(2, 5);
  effects.begin();
  for (let key = 0; key < 100; key++) post('we_hung', `${key}`, hungMs, key);
  await pass(scheduler, 1);
  expect(underWay.size).toBe(7);
  post('we_2', 'a', 1);
  expect(underWay.size).toBe(8);
});

test('stored jobs are loaded when there is room, and nothing of their key overtakes them', async () => {
  const { scheduler, effects, begun, post, stored, underWay } = world(2, 5);
  effects.begin();
  let most = 0;
  for (let order = 1; order <= 200; order++) {
    post('we_1', `pay_${order % 3}`, 7, order);
    most = Math.max(most, underWay.size);
    // new ones keep coming while the lane works off what it has
    if (order % 10 === 0) await pass(scheduler, scheduler.now() + 20);
  }
  await pass(scheduler, seconds(60));
  expect(stored.size).toBe(0);
  expect(most).toBeLessThanOrEqual(7);
  expect(begun).toHaveLength(200);
  for (const key of ['pay_0', 'pay_1', 'pay_2']) {
    const orders = begun.filter((one) => one.key === key).map(({ order }) => order);
    expect(orders).toEqual(orders.toSorted((a, b) => a - b));
  }
});

test('a lane that is full keeps the earliest', async () => {
  const { scheduler, effects, begun, post } = world(1, 2);
  for (const order of [5, 4, 3, 2, 1]) post('we_1', `${order}`, 1, order);
  effects.begin();
  await pass(scheduler, seconds(1));
  const keys = begun.map(({ key }) => key);
  expect(keys.slice(0, 2).toSorted()).toEqual(['1', '2']);
  expect(keys.slice(2).toSorted()).toEqual(['3', '4', '5']);
});

test('during a refill only what is earlier than every stored row starts', () => {
  const lane = new Lane('we_1', 'prj_a:sandbox', new LaneConcurrency(1, null, () => 0), 2);
  for (const order of [1, 2]) expect(lane.add(job(order, 'we_1', `${order}`, 1, order))).toBeNull();
  expect(lane.add(job(4, 'we_1', '4', 1, 4))?.row.q).toBe(4);
  expect(lane.take()?.row.q).toBe(1);
  expect(lane.hasRoom).toBe(true);
  lane.beginFilling(1);
  lane.offering(['a4', 'a6']);
  lane.ended(job(1, 'we_1', '1', 1, 1));
  expect(lane.add(job(5, 'we_1', '5', 1, 5))).toBeNull();
  expect(lane.take()?.row.q).toBe(2);
  lane.ended(job(2, 'we_1', '2', 1, 2));
  // 5 was committed meanwhile, and 4 still waits in the store
  expect(lane.ready).toBe(false);
  expect(lane.add(job(4, 'we_1', '4', 1, 4))).toBeNull();
  expect(lane.isFull).toBe(false);
  expect(lane.add(job(6, 'we_1', '6', 1, 6))?.row.q).toBe(6);
  expect(lane.isFull).toBe(true);
  lane.endFilling();
  expect(lane.ready).toBe(true);
});

test('what a scan of all actors comes upon during a refill does not end it', () => {
  const lane = new Lane('we_1', 'prj_a:sandbox', new LaneConcurrency(1, null, () => 0), 2);
  lane.leave();
  expect(lane.add(job(9, 'we_1', '9', 1, 9))?.row.q).toBe(9);
  lane.beginFilling(1);
  lane.offering(['a1', 'a2']);
  for (const order of [7, 5]) expect(lane.add(job(order, 'we_1', `${order}`, 1, order))).toBeNull();
  expect(lane.add(job(8, 'we_1', '8', 1, 8))?.row.q).toBe(8);
  expect([lane.ready, lane.isFull]).toEqual([false, false]);
  for (const order of [2, 1]) lane.add(job(order, 'we_1', `${order}`, 1, order));
  lane.offering(['a3']);
  expect(lane.add(job(3, 'we_1', '3', 1, 3))?.row.q).toBe(3);
  expect(lane.isFull).toBe(true);
  lane.endFilling();
  expect(lane.take()?.row.q).toBe(1);
});

test('effects that an earlier process has left run in their order, in whatever order they are found', async () => {
  const { scheduler, effects, begun, leave } = world(2);
  effects.begin();
  const orders = [7, 2, 9, 4, 1, 8, 3, 6, 5, 0];
  leave(orders.map((order) => ({ lane: 'we_1', key: `${order}`, ms: 10, order })));
  await pass(scheduler, seconds(1));
  expect(begun.map(({ order }) => order)).toEqual(orders.toSorted((a, b) => a - b));
});

test('an effect that no refill finds runs when it is offered again', async () => {
  const { scheduler, effects, begun, leave, stored } = world(2);
  effects.begin();
  const left = [{ lane: 'we_1', key: '1', ms: 10, order: 1 }];
  leave(left);
  // its document has no tag
  stored.clear();
  await pass(scheduler, seconds(1));
  expect(begun).toEqual([]);
  leave(left);
  await pass(scheduler, seconds(2));
  expect(begun.map(({ order }) => order)).toEqual([1]);
});

test('a lane is refilled by itself: no other lane is searched for', async () => {
  const { scheduler, effects, post, stored, asked } = world(2, 5);
  effects.begin();
  for (let key = 0; key < 20; key++) post('we_hung', `${key}`, hungMs * 100, key);
  for (let key = 0; key < 40; key++) post('we_1', `${key}`, 3, key);
  await pass(scheduler, seconds(10));
  expect([...stored.values()].every(({ row }) => row.lane === 'we_hung')).toBe(true);
  expect(new Set(asked)).toEqual(new Set(['we_1']));
});
