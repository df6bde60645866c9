import { describe, expect, test } from 'vitest';
import {
  runnersOf,
  runningPerKindMax,
  unprovenPerKindMax,
  widePerKindMax,
} from '../../../../src/runtime/delivery/effects.ts';
import {
  failuresToRest,
  LaneConcurrency,
  restMsMax,
  slowRunMs,
  sparedMs,
} from '../../../../src/runtime/delivery/lane-concurrency.ts';
import { seconds } from '../../../../src/kernel/time.ts';
import { hungMs, pass, world } from './effects-world.ts';

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

test('an adaptive lane begins with ten at once; each success allows one more, up to a hundred', async () => {
  const { scheduler, effects, post, running } = world(10, undefined, 100);
  effects.begin();
  for (let key = 0; key < 1500; key++) post('we_1', `${key}`, 100, key);
  await pass(scheduler, 50);
  expect(running.get('we_1')).toBe(10);
  await pass(scheduler, 150);
  expect(running.get('we_1')).toBe(20);
  let most = 0;
  for (let at = 250; at <= 1250; at += 100) {
    await pass(scheduler, at);
    most = Math.max(most, running.get('we_1') ?? 0);
  }
  expect(most).toBe(100);
});

test('each failure halves what an adaptive lane runs at once, down to one; the next successes raise it', async () => {
  const { scheduler, effects, post, running, feedbacks } = world(10, undefined, 100);
  effects.begin();
  feedbacks.set('we_1', 'slower');
  for (let key = 0; key < 200; key++) post('we_1', `${key}`, 100, key);
  await pass(scheduler, 150);
  expect(running.get('we_1')).toBe(1);
  feedbacks.set('we_1', 'faster');
  await pass(scheduler, 250);
  expect(running.get('we_1')).toBe(2);
  await pass(scheduler, 350);
  expect(running.get('we_1')).toBe(4);
});

test('a lane that keeps failing rests after each run; a success ends that', async () => {
  const { scheduler, effects, begun, post, feedbacks } = world(10, undefined, 100);
  effects.begin();
  feedbacks.set('we_1', 'slower');
  for (let key = 0; key < 500; key++) post('we_1', `${key}`, 2, key);
  await pass(scheduler, seconds(1));
  const few = begun.length;
  await pass(scheduler, seconds(2));
  expect(begun.length - few).toBeGreaterThanOrEqual(1000 / (2 + 2 * 2 + 1) - 1);
  expect(begun.length - few).toBeLessThanOrEqual(1000 / (2 + 2 * 2) + 1);
  feedbacks.set('we_1', 'faster');
  const before = begun.length;
  await pass(scheduler, seconds(2) + 50);
  expect(begun.length - before).toBeGreaterThan(20);
});

test('what a lane has learned outlasts its work', async () => {
  const { scheduler, effects, post, running, feedbacks } = world(10, undefined, 100);
  effects.begin();
  feedbacks.set('we_1', 'slower');
  for (let key = 0; key < 10; key++) post('we_1', `${key}`, 1, key);
  await pass(scheduler, seconds(1));
  for (let key = 10; key < 30; key++) post('we_1', `${key}`, 100, key);
  await pass(scheduler, seconds(1) + 50);
  expect(running.get('we_1')).toBe(1);
});

test('a lane runs no more than its own at once, a kind no more than its own', async () => {
  const { scheduler, effects, begun, post } = world(10, undefined, 10);
  effects.begin();
  for (let lane = 0; lane < 100; lane++) post(`we_${lane}`, 'first', 1);
  await pass(scheduler, 10);
  for (let key = 0; key < 30; key++) post('we_1', `${key}`, slowRunMs - 1);
  await pass(scheduler, 20);
  expect(begun).toHaveLength(100 + 10);
  for (let lane = 0; lane < 100; lane++)
    for (let key = 0; key < 10; key++) post(`we_${lane}`, `x${key}`, slowRunMs - 1);
  await pass(scheduler, 30);
  expect(begun).toHaveLength(100 + runningPerKindMax);
});

test('of a kind with few places all lanes take turns', async () => {
  const { scheduler, effects, begun, post } = world(1, undefined, undefined, 1);
  effects.begin();
  for (const lane of ['a', 'b', 'c']) for (let n = 0; n < 3; n++) post(lane, `${n}`, 10);
  await pass(scheduler, 99);
  expect(begun.map(({ lane, at }) => `${lane}${at}`).join(' ')).toBe('a0 b10 c20 a30 b40 c50 a60 b70 c80');
});

test('a lane that is known to answer has places of its own beside any number of new ones that never do', async () => {
  const { scheduler, effects, begun, post, running } = world(10, undefined, 10);
  effects.begin();
  post('healthy', 'first', 1);
  await pass(scheduler, 10);
  for (let lane = 0; lane < 1000; lane++)
    for (let key = 0; key < 10; key++) post(`hung_${lane}`, `${key}`, hungMs);
  await pass(scheduler, 20);
  const hung = [...running].filter(([lane]) => lane !== 'healthy');
  expect(hung.reduce((sum, [, count]) => sum + count, 0)).toBe(unprovenPerKindMax);
  for (let key = 0; key < 100; key++) post('healthy', `${key}`, 5);
  await pass(scheduler, 20 + (100 / 10) * 5 + 10);
  expect(begun.filter(({ lane }) => lane === 'healthy')).toHaveLength(101);
});

test('lanes that answered fast and then hang leave places for the others', async () => {
  const { scheduler, effects, begun, post, running } = world(10, undefined, 100);
  effects.begin();
  post('healthy', 'first', 1);
  // the endpoints that one project may have in both modes
  for (const [ms, until] of [[1, 100] as const, [hungMs, 200] as const]) {
    for (let at = 0; at < 2000; at++) post(`trap_${at % 20}`, `${ms} ${at}`, ms);
    await pass(scheduler, until);
  }
  const hung = [...running.values()].reduce((sum, count) => sum + count, 0);
  expect(hung).toBeGreaterThanOrEqual(widePerKindMax);
  expect(hung).toBeLessThan(widePerKindMax + 10 * 20);
  for (let key = 0; key < 100; key++) post('healthy', `${key}`, 5);
  await pass(scheduler, 200 + (100 / 10) * 5 + 10);
  expect(begun.filter(({ lane }) => lane === 'healthy')).toHaveLength(101);
});

test('a lane that answers leaves the queue of new lanes at once', async () => {
  const { scheduler, effects, begun, post } = world(10, undefined, 10);
  for (let lane = 0; lane < 600; lane++)
    for (let key = 0; key < 10; key++)
      post(lane === 0 ? 'healthy' : `hung_${lane}`, `${key}`, lane === 0 ? 5 : hungMs);
  effects.begin();
  await pass(scheduler, 100);
  expect(begun.filter(({ lane }) => lane === 'healthy')).toHaveLength(10);
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

describe('the concurrency of a lane', () => {
  const clock = { at: 0 };
  const adaptive = () => new LaneConcurrency(10, 100, () => clock.at);

  test('failing again and again it rests twice as long as a try took, for a bounded time, until a success', () => {
    const concurrency = new LaneConcurrency(2, 100, () => 0);
    for (let failures = 1; failures < failuresToRest; failures++) concurrency.ended('slower', 1);
    expect(concurrency.restAfter(10)).toBe(0);
    concurrency.ended('slower', 1);
    expect(concurrency.restAfter(10)).toBe(20);
    expect(concurrency.restAfter(15_000)).toBe(restMsMax);
    concurrency.ended('faster', 1);
    expect(concurrency.restAfter(10)).toBe(0);
  });

  test('a success that took long counts as slow and halves it', () => {
    const concurrency = adaptive();
    concurrency.ended('faster', slowRunMs - 1);
    expect(concurrency.atOnce).toBe(11);
    concurrency.ended('faster', slowRunMs);
    expect(concurrency.atOnce).toBe(5);
  });

  test('who asks to be spared gets one at a time for a minute, from the last time on; then half', () => {
    const concurrency = adaptive();
    concurrency.ended('spare', 1);
    clock.at += sparedMs - 1;
    concurrency.ended('faster', 1);
    expect(concurrency.atOnce).toBe(1);
    clock.at += 1;
    expect(concurrency.atOnce).toBe(5);
    concurrency.ended('spare', 1);
    clock.at += sparedMs - 1;
    concurrency.ended('spare', 1);
    clock.at += sparedMs - 1;
    expect(concurrency.atOnce).toBe(1);
    clock.at += 1;
    expect(concurrency.atOnce).toBe(1);
    concurrency.ended('faster', 1);
    expect(concurrency.atOnce).toBe(2);
  });

  test('what says nothing about the target changes nothing', () => {
    const concurrency = adaptive();
    concurrency.ended('same', 1);
    expect(concurrency.atOnce).toBe(10);
    expect(concurrency.isLearned).toBe(false);
  });

  test('a lane that does not adapt keeps its number, and runs one at a time while it is slow', () => {
    const concurrency = new LaneConcurrency(5, null, () => clock.at);
    concurrency.ended('faster', 1);
    expect(concurrency.atOnce).toBe(5);
    concurrency.ended('faster', slowRunMs);
    expect(concurrency.atOnce).toBe(1);
    concurrency.ended('slower', 1);
    expect(concurrency.atOnce).toBe(5);
  });
});
