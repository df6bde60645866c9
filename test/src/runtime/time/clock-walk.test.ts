import { expect, test } from 'vitest';
import { counter, counterAt } from '../counter.ts';
import { eventLog } from '../../../../actors/event-log/event-log.ts';
import { envelopeText } from '../../../../actors/event-log/envelope.ts';
import { projectAt } from '../../../../actors/project/messages.ts';
import { project } from '../../../../actors/project/project.ts';
import { embedded } from '../../../support/embedded.ts';
import { actor, type AnyActor } from '../../../../src/runtime/model/actor.ts';
import { firingsAtOneInstantMax } from '../../../../src/runtime/time/clock-walk.ts';
import { Node } from '../../../../src/runtime/node/node.ts';
import { createSimStore } from '../../../support/simulated/store-sim.ts';
import { days, realScheduler, seconds } from '../../../../src/kernel/time.ts';

const scope = 'prj_abcd:sandbox' as const;
const merchant = { by: 'merchant', scope } as const;
const system = { by: 'system', scope: 'system' } as const;

function world(more: readonly AnyActor[] = [], errors: string[] = [], latencyMs = 0) {
  const store = createSimStore({ scheduler: realScheduler, chance: () => 0.5, rowsInCommit: true });
  Object.assign(store.weather, { latencyMsMin: latencyMs, latencyMsMax: latencyMs });
  let boots = 0;
  return () =>
    new Node({
      actors: [counter, eventLog, project, ...more],
      store: store.connect(),
      scheduler: realScheduler,
      ...embedded(`n:${++boots}`),
      envelopeText,
      effects: {},
      dispatch: async (_scope, entries) => entries.map(() => []),
      log: { warn: () => undefined, error: (_fields, message) => void errors.push(message) },
    });
}

test('a test clock fires all timers on its way in their order, each at its own time', async () => {
  const boot = world();
  const node = boot();
  await node.start();
  node.open();
  await node.client.ask(
    projectAt('prj_abcd'),
    'open',
    { merchantId: 'mer_x', name: 'Shop', providers: [] },
    system,
  );
  for (const [id, wait] of [
    ['cnt_aba', days(3)],
    ['cnt_abb', days(1)],
    ['cnt_abc', days(2)],
    ['cnt_abd', days(40)],
  ] as const) {
    await node.client.ask(counterAt(id), 'open', {}, merchant);
    await node.client.ask(counterAt(id), 'wakeIn', { ms: wait }, merchant);
  }
  const before = node.client.now(scope);
  await node.client.ask(projectAt('prj_abcd'), 'advanceClock', { to: before + days(30) }, system);
  await expect
    .poll(async () => (await node.client.read(projectAt('prj_abcd'), null))?.view['status'], {
      timeout: 5000,
    })
    .toBe('ready');
  const woken = await Promise.all(
    ['a', 'b', 'c', 'd'].map(
      async (last) => (await node.client.read(counterAt(`cnt_ab${last}`), scope))?.view['woken'],
    ),
  );
  expect(woken).toEqual([1, 1, 1, 0]);
  expect((await node.client.read(projectAt('prj_abcd'), null))?.view).toMatchObject({ fired: 3 });
  expect(node.client.now(scope)).toBeGreaterThanOrEqual(before + days(30));
  expect(node.client.now(scope)).toBeLessThan(before + days(30) + seconds(60));
  node.kill();

  const next = boot();
  await next.start();
  next.open();
  expect(next.client.now(scope)).toBeGreaterThanOrEqual(before + days(30));
  next.kill();
});

test('a walk interrupted by the death of its node is finished by the next one', async () => {
  const boot = world();
  const node = boot();
  await node.start();
  node.open();
  await node.client.ask(
    projectAt('prj_abcd'),
    'open',
    { merchantId: 'mer_x', name: 'Shop', providers: [] },
    system,
  );
  await node.client.ask(counterAt('cnt_abe'), 'open', {}, merchant);
  await node.client.ask(counterAt('cnt_abe'), 'wakeIn', { ms: days(1) }, merchant);
  await node.client.ask(
    projectAt('prj_abcd'),
    'advanceClock',
    { to: node.client.now(scope) + days(2) },
    system,
  );
  node.kill();

  const next = boot();
  await next.start();
  next.open();
  await expect
    .poll(async () => (await next.client.read(projectAt('prj_abcd'), null))?.view['status'], {
      timeout: 5000,
    })
    .toBe('ready');
  expect((await next.client.read(counterAt('cnt_abe'), scope))?.view['woken']).toBe(1);
  next.kill();
});

test('an advance that is stopped ends at an instant on its way: what is due later has not fired, and a later advance fires it', async () => {
  const node = world([], [], 2)();
  await node.start();
  node.open();
  await node.client.ask(
    projectAt('prj_abcd'),
    'open',
    { merchantId: 'mer_x', name: 'Shop', providers: [] },
    system,
  );
  const ids = Array.from({ length: 26 }, (_, at) => `cnt_ab${String.fromCharCode(97 + at)}`);
  for (const [at, id] of ids.entries()) {
    await node.client.ask(counterAt(id), 'open', {}, merchant);
    await node.client.ask(counterAt(id), 'wakeIn', { ms: days(at + 1) }, merchant);
  }
  const before = node.client.now(scope);
  const shown = async () => (await node.client.read(projectAt('prj_abcd'), null))?.view ?? {};
  const woken = async (): Promise<number> => {
    const all = await Promise.all(
      ids.map(async (id) => (await node.client.read(counterAt(id), scope))?.view['woken']),
    );
    return all.reduce<number>((sum, one) => sum + Number(one), 0);
  };
  await node.client.ask(projectAt('prj_abcd'), 'advanceClock', { to: before + days(30) }, system);
  await expect.poll(async () => (await shown())['fired'], { interval: 1, timeout: 5000 }).toBeGreaterThan(2);
  await node.client.ask(projectAt('prj_abcd'), 'stopClock', {}, system);
  await expect.poll(async () => (await shown())['status'], { timeout: 5000 }).toBe('ready');
  const fired = Number((await shown())['fired']);
  expect(fired).toBeLessThan(ids.length);
  expect(await woken()).toBe(fired);
  // a day for each, as the timers were set
  const reached = (node.client.now(scope) - before) / days(1);
  expect(Math.round(reached)).toBe(fired);

  await node.client.ask(projectAt('prj_abcd'), 'advanceClock', { to: before + days(30) }, system);
  await expect.poll(async () => (await shown())['status'], { timeout: 5000 }).toBe('ready');
  expect(await woken()).toBe(ids.length);
  node.kill();
}, 20_000);

/** Has `left` things to do, all at one instant; with `Infinity` it never stops. */
const stepper = actor<{
  state: { readonly status: 'open'; readonly left: number; readonly done: number };
  terminal: never;
  commands: { open: { readonly at: number; readonly left: number }; step: { readonly key: string } };
  effects: Record<never, never>;
}>('stepper', 'stp', {
  schema: 1,
  on: {
    open: {
      by: 'merchant',
      creates: ({ at, left }, x) => x.become('open', { left, done: 0 }).timer('step', at),
      _any: (_s, _c, x) => x.ok(),
    },
    step: {
      by: 'system',
      _any: (s, _c, x) => {
        const change = x.become('open', { left: s.left - 1, done: s.done + 1 });
        return s.left > 1 ? change.timer('step', x.now) : change;
      },
    },
  },
  effects: {},
  timers: { step: 'step' },
  view: ({ done }, { id }) => ({ id, done }),
});

test('an actor with several things to do at one instant does them all before the clock goes on', async () => {
  const errors: string[] = [];
  const node = world([stepper], errors)();
  await node.start();
  node.open();
  await node.client.ask(
    projectAt('prj_abcd'),
    'open',
    { merchantId: 'mer_x', name: 'Shop', providers: [] },
    system,
  );
  const before = node.client.now(scope);
  const [at, many] = [before + days(1), 20];
  const opened = [
    ['stp_aba', at, many],
    ['stp_abb', at, many],
    ['stp_abc', at + 1, 1],
    ['stp_abd', at, 1e9],
  ] as const;
  for (const [id, when, left] of opened)
    await node.client.ask({ kind: 'stepper', id }, 'open', { at: when, left }, merchant);
  await node.client.ask(projectAt('prj_abcd'), 'advanceClock', { to: before + days(2) }, system);
  await expect
    .poll(async () => (await node.client.read(projectAt('prj_abcd'), null))?.view['status'], {
      timeout: 30_000,
    })
    .toBe('ready');
  const done = await Promise.all(
    opened.map(async ([id]) => (await node.client.read({ kind: 'stepper', id }, scope))?.view['done']),
  );
  expect(done.slice(0, 3)).toEqual([many, many, 1]);
  // one that does not stop holds up nobody
  expect(Number(done[3])).toBeGreaterThanOrEqual(firingsAtOneInstantMax);
  expect(errors).toEqual(['a timer did not fire: the test clock continues without it']);
  node.kill();
}, 40_000);

test('commands to the project meanwhile do not turn back its clock: every timer still fires, at its own time', async () => {
  const errors: string[] = [];
  const boot = world([], errors, 3);
  const first = boot();
  await first.start();
  first.open();
  await first.client.ask(
    projectAt('prj_abcd'),
    'open',
    { merchantId: 'mer_x', name: 'Shop', providers: [] },
    system,
  );
  const ids = Array.from({ length: 20 }, (_, at) => `cnt_ab${String.fromCharCode(97 + at)}`);
  for (const [at, id] of ids.entries()) {
    await first.client.ask(counterAt(id), 'open', {}, merchant);
    await first.client.ask(counterAt(id), 'wakeIn', { ms: days(at + 1) }, merchant);
  }
  first.kill();

  // whose timer is due is read from the store first
  const node = boot();
  await node.start();
  node.open();
  await node.client.ask(
    projectAt('prj_abcd'),
    'advanceClock',
    { to: node.client.now(scope) + days(30) },
    system,
  );
  const isReady = async () =>
    (await node.client.read(projectAt('prj_abcd'), null))?.view['status'] === 'ready';
  for (let on = true; !(await isReady()); on = !on) {
    const change = { provider: 'wallet_a', mode: 'sandbox', appIntent: on } as const;
    await node.client.ask(projectAt('prj_abcd'), 'setProvider', change, { by: 'operator', scope: 'system' });
  }
  expect(errors).toEqual([]);
  for (const id of ids) expect((await node.client.read(counterAt(id), scope))?.view['woken']).toBe(1);
  node.kill();
}, 20_000);
