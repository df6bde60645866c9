import { expect, test } from 'vitest';
import { counter, counterAt } from '../counter.ts';
import { eventLog } from '../../../../actors/event-log/event-log.ts';
import { envelopeText } from '../../../../actors/event-log/envelope.ts';
import { projectAt } from '../../../../actors/project/messages.ts';
import { project } from '../../../../actors/project/project.ts';
import { embedded } from '../../../support/embedded.ts';
import { Node } from '../../../../src/runtime/node/node.ts';
import { createSimStore } from '../../../../src/testing/store-sim.ts';
import { days, realScheduler, seconds } from '../../../../src/kernel/time.ts';

const scope = 'prj_abcd:sandbox' as const;
const merchant = { by: 'merchant', scope } as const;
const system = { by: 'system', scope: 'system' } as const;

function world() {
  const store = createSimStore({ scheduler: realScheduler, chance: () => 0.5, rowsInCommit: true });
  Object.assign(store.weather, { latencyMsMin: 0, latencyMsMax: 0 });
  let boots = 0;
  return () =>
    new Node({
      actors: [counter, eventLog, project],
      store: store.connect(),
      scheduler: realScheduler,
      ...embedded(`n:${++boots}`),
      envelopeText,
      effects: {},
      dispatch: async (_scope, entries) => entries.map(() => []),
      log: { warn: () => undefined, error: () => undefined },
    });
}

test('a test clock fires all timers on its way in their order, each at its own time', async () => {
  const boot = world();
  const node = boot();
  await node.start();
  node.open();
  await node.ask(projectAt('prj_abcd'), 'open', { merchantId: 'mer_x', name: 'Shop', providers: [] }, system);
  for (const [id, wait] of [
    ['cnt_aba', days(3)],
    ['cnt_abb', days(1)],
    ['cnt_abc', days(2)],
    ['cnt_abd', days(40)],
  ] as const) {
    await node.ask(counterAt(id), 'open', {}, merchant);
    await node.ask(counterAt(id), 'wakeIn', { ms: wait }, merchant);
  }
  const before = node.now(scope);
  await node.ask(projectAt('prj_abcd'), 'advanceClock', { to: before + days(30) }, system);
  await expect
    .poll(async () => (await node.read(projectAt('prj_abcd'), null))?.view['status'], { timeout: 5000 })
    .toBe('ready');
  const woken = await Promise.all(
    ['a', 'b', 'c', 'd'].map(
      async (last) => (await node.read(counterAt(`cnt_ab${last}`), scope))?.view['woken'],
    ),
  );
  expect(woken).toEqual([1, 1, 1, 0]);
  expect((await node.read(projectAt('prj_abcd'), null))?.view).toMatchObject({ fired: 3 });
  expect(node.now(scope)).toBeGreaterThanOrEqual(before + days(30));
  expect(node.now(scope)).toBeLessThan(before + days(30) + seconds(60));
  node.kill();

  const next = boot();
  await next.start();
  next.open();
  expect(next.now(scope)).toBeGreaterThanOrEqual(before + days(30));
  next.kill();
});

test('a walk interrupted by the death of its node is finished by the next one', async () => {
  const boot = world();
  const node = boot();
  await node.start();
  node.open();
  await node.ask(projectAt('prj_abcd'), 'open', { merchantId: 'mer_x', name: 'Shop', providers: [] }, system);
  await node.ask(counterAt('cnt_abe'), 'open', {}, merchant);
  await node.ask(counterAt('cnt_abe'), 'wakeIn', { ms: days(1) }, merchant);
  await node.ask(projectAt('prj_abcd'), 'advanceClock', { to: node.now(scope) + days(2) }, system);
  node.kill();

  const next = boot();
  await next.start();
  next.open();
  await expect
    .poll(async () => (await next.read(projectAt('prj_abcd'), null))?.view['status'], { timeout: 5000 })
    .toBe('ready');
  expect((await next.read(counterAt('cnt_abe'), scope))?.view['woken']).toBe(1);
  next.kill();
});
