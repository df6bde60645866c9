import { expect, test } from 'vitest';
import { Effects, runningPerKindMax, slowRunMs, type EffectJob } from '../../../src/runtime/effects.ts';
import { seconds } from '../../../src/kernel/time.ts';
import { VirtualScheduler } from '../../simulation/scheduler.ts';

const hungMs = seconds(15);

function world(atOnce: number) {
  const scheduler = new VirtualScheduler(0);
  const begun: { lane: string; key: string; at: number }[] = [];
  const effects = new Effects(
    {
      post: {
        atOnce,
        run: ({ lane, key, ms }: { lane: string; key: string; ms: number }) =>
          new Promise((resolve) => {
            begun.push({ lane, key, at: scheduler.now() });
            scheduler.after(ms, () => resolve({}));
          }),
      },
    },
    scheduler,
    () => undefined,
  );
  let q = 0;
  const post = (lane: string, key: string, ms: number, order = 0): void =>
    effects.start(job(++q, lane, key, ms, order));
  return { scheduler, effects, begun, post };
}

/** Lets virtual time pass up to an instant. */
const pass = async (scheduler: VirtualScheduler, until: number): Promise<void> => {
  scheduler.after(until - scheduler.now(), () => undefined);
  await scheduler.run(() => scheduler.now() >= until, until);
};

const job = (q: number, lane: string, key: string, ms: number, order: number): EffectJob => ({
  row: { q, type: 'effect', kind: 'post', data: { lane, key, ms }, tries: 0, at: 0, lane, key, order },
  context: { scope: 'prj_a:sandbox', actorId: `a${q}`, key: `a:${q}`, now: () => 0 },
  begin: null,
  finish: () => Promise.resolve(),
});

test('nothing runs before the doors are there', async () => {
  const { scheduler, effects, begun, post } = world(10);
  post('we_1', 'a', 1);
  await pass(scheduler, seconds(1));
  expect(begun).toEqual([]);
  effects.begin();
  await pass(scheduler, seconds(2));
  expect(begun).toHaveLength(1);
});

test('endpoints that never answer do not hold up one that does, however many they are', async () => {
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

test('one key is one at a time and in its order, other keys go beside it', async () => {
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
