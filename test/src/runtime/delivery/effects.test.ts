import { describe, expect, test } from 'vitest';
import { Lane, waitingPerLaneMax } from '../../../../src/runtime/delivery/effect-lane.ts';
import type { EffectJob } from '../../../../src/runtime/delivery/effect-job.ts';
import {
  Effects,
  runnersOf,
  runningPerKindMax,
  unprovenPerKindMax,
  widePerKindMax,
} from '../../../../src/runtime/delivery/effects.ts';
import {
  failuresToRest,
  LanePace,
  restMsMax,
  slowRunMs,
  sparedMs,
  type Pace,
} from '../../../../src/runtime/delivery/lane-pace.ts';
import { seconds } from '../../../../src/kernel/time.ts';
import { VirtualScheduler } from '../../../simulation/scheduler.ts';

const hungMs = seconds(15);

/** `atOnceMax`: how a post ends decides how many run at once. */
function world(atOnce: number, waitingMax = waitingPerLaneMax, atOnceMax?: number, inAllMax?: number) {
  const scheduler = new VirtualScheduler(0);
  const stored = new Map<number, EffectJob>();
  const underWay = new Set<number>();
  const start = (one: EffectJob): void => {
    underWay.add(one.row.q);
    effects.start(one);
  };
  const begun: { lane: string; key: string; order: number; at: number }[] = [];
  const running = new Map<string, number>();
  /** What the posts of a lane say from now on; a success by default. */
  const paces = new Map<string, Pace>();
  const pace = ({ lane }: { lane: string }): Pace => paces.get(lane) ?? 'faster';
  const asked: string[] = [];
  const effects = new Effects(
    {
      post: {
        atOnce,
        waitingMax,
        ...(inAllMax === undefined ? {} : { inAllMax }),
        ...(atOnceMax === undefined ? {} : { paced: { atOnceMax, pace } }),
        run: ({ lane, key, ms, order }: { lane: string; key: string; ms: number; order: number }) =>
          new Promise((resolve) => {
            begun.push({ lane, key, order, at: scheduler.now() });
            running.set(lane, (running.get(lane) ?? 0) + 1);
            scheduler.after(ms, () => {
              running.set(lane, (running.get(lane) ?? 0) - 1);
              resolve({ lane });
            });
          }),
      },
    },
    scheduler,
    () => undefined,
    {
      all: () => Promise.reject(new Error('every effect here has a lane')),
      // nearly in their order, as an index of creations has them; each takes its time
      ofLane: async (_kind, lane) => {
        asked.push(lane.name);
        const ofLane = [...stored.values()].filter(({ row }) => row.lane === lane.name);
        for (const one of ofLane.toSorted((a, b) => (a.row.q ^ 1) - (b.row.q ^ 1))) {
          await new Promise<void>((resolve) => void scheduler.after(1, resolve));
          if (stored.has(one.row.q) && !underWay.has(one.row.q)) start(one);
          if (lane.isFull) return;
        }
      },
    },
  );
  let q = 0;
  const post = (lane: string, key: string, ms: number, order = 0): void => {
    const one: EffectJob = {
      ...job(++q, lane, key, ms, order, scheduler.now()),
      finish: () => Promise.resolve(void (stored.delete(one.row.q) && underWay.delete(one.row.q))),
      park: () => void underWay.delete(one.row.q),
    };
    stored.set(one.row.q, one);
    start(one);
  };
  return { scheduler, effects, begun, post, stored, underWay, running, paces, asked };
}

/** Lets virtual time pass up to an instant. */
const pass = async (scheduler: VirtualScheduler, until: number): Promise<void> => {
  scheduler.after(until - scheduler.now(), () => undefined);
  await scheduler.run(() => scheduler.now() >= until, until);
};

const job = (q: number, lane: string, key: string, ms: number, order: number, at = 0): EffectJob => ({
  row: { q, type: 'effect', kind: 'post', data: { lane, key, ms, order }, tries: 0, at, lane, key, order },
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

test('during a refill only what is earlier than every stored row starts', () => {
  const lane = new Lane('we_1', 'prj_a:sandbox', new LanePace(1, null, () => 0), 2);
  for (const order of [1, 2]) expect(lane.add(job(order, 'we_1', `${order}`, 1, order))).toBeNull();
  expect(lane.add(job(4, 'we_1', '4', 1, 4))?.row.q).toBe(4);
  expect(lane.take()?.row.q).toBe(1);
  expect(lane.hasRoom).toBe(true);
  lane.beginFilling(1);
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

test('a lane is refilled by itself: no other lane is searched for', async () => {
  const { scheduler, effects, post, stored, asked } = world(2, 5);
  effects.begin();
  for (let key = 0; key < 20; key++) post('we_hung', `${key}`, hungMs * 100, key);
  for (let key = 0; key < 40; key++) post('we_1', `${key}`, 3, key);
  await pass(scheduler, seconds(10));
  expect([...stored.values()].every(({ row }) => row.lane === 'we_hung')).toBe(true);
  expect(new Set(asked)).toEqual(new Set(['we_1']));
});

test('a paced lane begins with ten at once; each success allows one more, up to a hundred', async () => {
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

test('each failure halves what a paced lane runs at once, down to one; the next successes raise it', async () => {
  const { scheduler, effects, post, running, paces } = world(10, undefined, 100);
  effects.begin();
  paces.set('we_1', 'slower');
  for (let key = 0; key < 200; key++) post('we_1', `${key}`, 100, key);
  await pass(scheduler, 150);
  expect(running.get('we_1')).toBe(1);
  paces.set('we_1', 'faster');
  await pass(scheduler, 250);
  expect(running.get('we_1')).toBe(2);
  await pass(scheduler, 350);
  expect(running.get('we_1')).toBe(4);
});

test('a lane that keeps failing rests after each run; a success ends that', async () => {
  const { scheduler, effects, begun, post, paces } = world(10, undefined, 100);
  effects.begin();
  paces.set('we_1', 'slower');
  for (let key = 0; key < 500; key++) post('we_1', `${key}`, 2, key);
  await pass(scheduler, seconds(1));
  const few = begun.length;
  await pass(scheduler, seconds(2));
  expect(begun.length - few).toBeGreaterThanOrEqual(1000 / (2 + 2 * 2 + 1) - 1);
  expect(begun.length - few).toBeLessThanOrEqual(1000 / (2 + 2 * 2) + 1);
  paces.set('we_1', 'faster');
  const before = begun.length;
  await pass(scheduler, seconds(2) + 50);
  expect(begun.length - before).toBeGreaterThan(20);
});

test('what a lane has learned outlasts its work', async () => {
  const { scheduler, effects, post, running, paces } = world(10, undefined, 100);
  effects.begin();
  paces.set('we_1', 'slower');
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

describe('the pace of a lane', () => {
  const clock = { at: 0 };
  const paced = () => new LanePace(10, 100, () => clock.at);

  test('failing again and again it rests twice as long as a try took, for a bounded time, until a success', () => {
    const pace = new LanePace(2, 100, () => 0);
    for (let failures = 1; failures < failuresToRest; failures++) pace.ended('slower', 1);
    expect(pace.restAfter(10)).toBe(0);
    pace.ended('slower', 1);
    expect(pace.restAfter(10)).toBe(20);
    expect(pace.restAfter(15_000)).toBe(restMsMax);
    pace.ended('faster', 1);
    expect(pace.restAfter(10)).toBe(0);
  });

  test('a success that took long counts as slow and halves it', () => {
    const pace = paced();
    pace.ended('faster', slowRunMs - 1);
    expect(pace.atOnce).toBe(11);
    pace.ended('faster', slowRunMs);
    expect(pace.atOnce).toBe(5);
  });

  test('who asks to be spared gets one at a time for a minute, from the last time on; then half', () => {
    const pace = paced();
    pace.ended('spare', 1);
    clock.at += sparedMs - 1;
    pace.ended('faster', 1);
    expect(pace.atOnce).toBe(1);
    clock.at += 1;
    expect(pace.atOnce).toBe(5);
    pace.ended('spare', 1);
    clock.at += sparedMs - 1;
    pace.ended('spare', 1);
    clock.at += sparedMs - 1;
    expect(pace.atOnce).toBe(1);
    clock.at += 1;
    expect(pace.atOnce).toBe(1);
    pace.ended('faster', 1);
    expect(pace.atOnce).toBe(2);
  });

  test('what says nothing about the target changes nothing', () => {
    const pace = paced();
    pace.ended('same', 1);
    expect(pace.atOnce).toBe(10);
    expect(pace.isLearned).toBe(false);
  });

  test('a lane that is not paced keeps its number, and runs one at a time while it is slow', () => {
    const pace = new LanePace(5, null, () => clock.at);
    pace.ended('faster', 1);
    expect(pace.atOnce).toBe(5);
    pace.ended('faster', slowRunMs);
    expect(pace.atOnce).toBe(1);
    pace.ended('slower', 1);
    expect(pace.atOnce).toBe(5);
  });
});
