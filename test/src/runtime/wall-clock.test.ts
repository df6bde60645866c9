/** The wall clock is set while the service runs: delays use the steady clock, timers the wall clock. */
import { describe, expect, test } from 'vitest';
import { envelopeText } from '../../../actors/event-log/envelope.ts';
import { eventLog } from '../../../actors/event-log/event-log.ts';
import { minutes, seconds, type DurationMs } from '../../../src/kernel/time.ts';
import { Node } from '../../../src/runtime/node/node.ts';
import { wallWatchEveryMs } from '../../../src/runtime/node/scans.ts';
import { createSimStore } from '../../support/simulated/store-sim.ts';
import { chanceOf } from '../../simulation/random.ts';
import { VirtualScheduler } from '../../simulation/scheduler.ts';
import { embedded } from '../../support/embedded.ts';
import { counter, counterAt } from './counter.ts';

const scope = 'prj_abcd:live' as const;
const merchant = { by: 'merchant', scope } as const;
const at = counterAt('cnt_aba');
/** The store's answers take their time too. */
const feltWithinMs = wallWatchEveryMs + 500;

/** A node with one timer set for `ms` from now. */
async function waiting(ms: DurationMs) {
  const world = new VirtualScheduler(1_000_000);
  const scheduler = world.process();
  const sim = createSimStore({ scheduler: world, chance: chanceOf(1, 'wall'), rowsInCommit: true });
  const node = new Node({
    actors: [counter, eventLog],
    store: sim.connect(),
    scheduler,
    envelopeText,
    ...embedded('n:1'),
    effects: {},
    dispatch: async () => [],
    log: { warn: () => undefined, error: () => undefined },
  });
  void node.start().then(() => node.open());
  await world.pass(seconds(1));
  void node.client.ask(at, 'open', {}, merchant);
  void node.client.ask(at, 'wakeIn', { ms }, merchant);
  await world.pass(seconds(1));
  const woken = (): unknown => sim.disk.doc('counter', at.id)?.body?.['woken'];
  expect(woken()).toBe(0);
  return { world, scheduler, node, woken };
}

describe.each([
  ['in memory already', seconds(50)],
  ['only in the store so far', minutes(30)],
])('a timer that is %s', (_where, ms) => {
  test('fires soon after the wall clock was set past it', async () => {
    const { world, scheduler, node, woken } = await waiting(ms);
    scheduler.jump(ms);
    await world.pass(feltWithinMs);
    expect(woken()).toBe(1);
    node.kill();
  });

  test('never fires before its instant when the wall clock was set back', async () => {
    const { world, scheduler, node, woken } = await waiting(ms);
    scheduler.jump(-minutes(10));
    await world.pass(ms + minutes(10) - seconds(10));
    expect(woken()).toBe(0);
    await world.pass(seconds(20));
    expect(woken()).toBe(1);
    node.kill();
  });
});
