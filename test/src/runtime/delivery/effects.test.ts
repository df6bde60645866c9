import { expect, test } from 'vitest';
import { Lane } from '../../../../src/runtime/delivery/effect-lane.ts';
import type { EffectJob } from '../../../../src/runtime/delivery/effect-job.ts';
import {
  Effects,
  runnersOf,
  runningPerKindMax,
  slowRunMs,
} from '../../../../src/runtime/delivery/effects.ts';
import { seconds } from '../../../../src/kernel/time.ts';
import { VirtualScheduler } from '../../../simulation/scheduler.ts';

const hungMs = seconds(15);

function world(atOnce: number, waitingMax?: number) {
  const scheduler = new VirtualScheduler(0);
  /** Unfinished jobs, as the store would have them. */
  const stored = new Map<number, EffectJob>();
  const underWay = new Set<number>();
  const start = (one: EffectJob): void => {
    underWay.add(one.row.q);
    effects.start(one);
  };
  const begun: { lane: string; key: string; order: number; at: number }[] = [];
  const effects = new Effects(
    {
      post: {
        atOnce,
        ...(waitingMax === undefined ? {} : { waitingMax }),
        run: ({ lane, key, ms, order }: { lane: string; key: string; ms: number; order: number }) =>
          new Promise((resolve) => {
            begun.push({ lane, key, order, at: scheduler.now() });
            scheduler.after(ms, () => resolve({}));
          }),
      },
    },
    scheduler,
    () => undefined,
    // a walk over the store meets them in no order, and takes its time
    async () => {
      for (const one of [...stored.values()].toSorted((a, b) => (a.row.q % 7) - (b.row.q % 7))) {
        await new Promise<void>((resolve) => void scheduler.after(1, resolve));
        if (stored.has(one.row.q) && !underWay.has(one.row.q)) start(one);
      }
    },
  );
  let q = 0;
  const post = (lane: string, key: string, ms: number, order = 0): void => {
    const one: EffectJob = {
      ...job(++q, lane, key, ms, order),
      finish: () => Promise.resolve(void (stored.delete(one.row.q) && underWay.delete(one.row.q))),
      park: () => void underWay.delete(one.row.q),
    };
    stored.set(one.row.q, one);
    start(one);
  };
  return { scheduler, effects, begun, post, stored, underWay };
}

/** Lets virtual time pass up to an instant. */
const pass = async (scheduler: VirtualScheduler, until: number): Promise<void> => {
  scheduler.after(until - scheduler.now(), () => undefined);
  await scheduler.run(() => scheduler.now() >= until, until);
};

const job = (q: number, lane: string, key: string, ms: number, order: number): EffectJob => ({
  row: { q, type: 'effect', kind: 'post', data: { lane, key, ms, order }, tries: 0, at: 0, lane, key, order },
  context: { scope: 'prj_a:sandbox', actorId: `a${q}`, key: `a:${q}`, now: () => 0 },
  begin: null,
  ready: () => Promise.resolve(true),
  finish: () => Promise.resolve(),
  park: () => undefined,
});

test('nothing runs before the gateways listen', async () => {
  const { scheduler, effects, begun, post } = world(10);
  post('we_1', 'a', 1);
  await pass(scheduler, seconds(1));
  expect(begun).toEqual([]);
  effects.begin();
  await pass(scheduler, seconds(2));
  expect(begun).toHaveLength(1);
});

test('endpoints that never answer do not delay one that does, however many they are', async () => {
  const { scheduler, effects, begun, post } = world(10);
  effects.begin();
  for (let lane = 0; lane < 100; lane++) {
    for (let key = 0; key < 50; key++) post(`hung_${lane}`, `${key}`, hungMs);
  }
  await pass(scheduler, seconds(20));
  const asked = scheduler.now();
  post('healthy', 'a', 5);
  await pass(scheduler, seconds(60));
  const first = begun.find(({ lane }) => lane === 'healthy');
  expect((first?.at ?? Infinity) - asked).toBeLessThan(hungMs);
});

test('effects of one key run one at a time and in order, other keys in parallel', async () => {
  const { scheduler, effects, begun, post } = world(10);
  post('we_1', 'pay_1', 10, 3);
  post('we_1', 'pay_1', 10, 1);
  post('we_1', 'pay_2', 10, 2);
  effects.begin();
  await pass(scheduler, 5);
  expect(begun.map(({ key }) => key)).toEqual(['pay_1', 'pay_2']);
  await pass(scheduler, seconds(1));
  expect(begun.map(({ key }) => key)).toEqual(['pay_1', 'pay_2', 'pay_1']);
});

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

test('while its stored rows are offered a lane starts nothing, and keeps the earliest', async () => {
  const lane = new Lane('we_1', 1, 1);
  expect(lane.add(job(1, 'we_1', 'a', 1, 1))).toBeNull();
  expect(lane.add(job(3, 'we_1', 'a', 1, 3))?.row.q).toBe(3);
  expect(lane.take()?.row.q).toBe(1);
  expect(lane.hasRoom).toBe(true);
  expect(lane.add(job(4, 'we_1', 'a', 1, 4))?.row.q).toBe(4);
  lane.beginFilling();
  expect(lane.add(job(4, 'we_1', 'a', 1, 4))).toBeNull();
  lane.ended(job(1, 'we_1', 'a', 1, 1), false);
  expect(lane.ready).toBe(false);
  expect(lane.add(job(3, 'we_1', 'a', 1, 3))?.row.q).toBe(4);
  lane.endFilling();
  expect(lane.take()?.row.q).toBe(3);
  expect(lane.empty).toBe(false);
});

test('a lane runs no more than its own at once, a kind no more than its own', async () => {
  const { scheduler, effects, begun, post } = world(10);
  effects.begin();
  for (let key = 0; key < 30; key++) post('we_1', `${key}`, slowRunMs - 1);
  await pass(scheduler, 1);
  expect(begun).toHaveLength(10);
  for (let lane = 0; lane < 100; lane++)
    for (let key = 0; key < 10; key++) post(`we_x${lane}`, `${key}`, slowRunMs - 1);
  await pass(scheduler, 2);
  expect(begun).toHaveLength(runningPerKindMax);
});

test('an effect of an actor has one runner: a missing or a second one is a defect', () => {
  const runner = { run: () => Promise.resolve({}), atOnce: 1 };
  const effects = { post: {} };
  expect(Object.keys(runnersOf([{ effects }], [{ post: runner }, { call: runner }]))).toEqual([
    'post',
    'call',
  ]);
  expect(() => runnersOf([{ effects }], [{ call: runner }])).toThrow(/no feature registers the effect post/);
  expect(() => runnersOf([], [{ post: runner }, { call: runner, post: runner }])).toThrow(
    /two features register the effect post/,
  );
});
