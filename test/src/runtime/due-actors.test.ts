/** Many actors whose timers are due at one instant, of a kind that limits how many of them work at once. */
import { expect, test } from 'vitest';
import { envelopeText } from '../../../actors/event-log/envelope.ts';
import { eventLog } from '../../../actors/event-log/event-log.ts';
import { seconds, type DurationMs } from '../../../src/kernel/time.ts';
import type { AnyActor } from '../../../src/runtime/model/actor.ts';
import { Node } from '../../../src/runtime/node/node.ts';
import { dueHeldMsMax } from '../../../src/runtime/time/due-queue.ts';
import { createSimStore } from '../../support/simulated/store-sim.ts';
import { VirtualScheduler } from '../../simulation/scheduler.ts';
import { embedded } from '../../support/embedded.ts';
import { counter, counterAt } from './counter.ts';

const scope = 'prj_abcd:sandbox' as const;
const many = 10;
const atOnce = 2;
const dueInMs = seconds(5);

/** Each fetches something when its timer fires. */
const fetching = {
  ...counter,
  on: {
    ...counter.on,
    woken: {
      by: 'system',
      _any: (s, _c, x) => x.become('open', { ...s, woken: s.woken + 1 }).effect('fetch', { n: 1 }),
    },
  },
} as typeof counter;

/** Ten of them, due at one instant; how many fetch at the same time, and how many have begun. */
async function due(actor: AnyActor, fetchMs: DurationMs) {
  const scheduler = new VirtualScheduler(0);
  const store = createSimStore({ scheduler, chance: () => 0.5, rowsInCommit: true });
  const seen = { begun: 0, running: 0, most: 0 };
  const node = new Node({
    actors: [actor, eventLog],
    store: store.connect(),
    scheduler,
    ...embedded('n:1'),
    envelopeText,
    effects: {
      fetch: {
        atOnce: many,
        run: () =>
          new Promise((resolve) => {
            seen.begun++;
            seen.most = Math.max(seen.most, ++seen.running);
            scheduler.after(fetchMs, () => {
              seen.running--;
              resolve({ got: 1 });
            });
          }),
      },
      post: { atOnce: 1, run: () => Promise.resolve({ got: 0 }) },
    },
    dispatch: async (_scope, entries) => entries.map(() => []),
    log: { warn: () => undefined, error: () => undefined },
  });
  let serving = false;
  void node.start().then(() => (serving = true));
  await scheduler.run(() => serving, seconds(10));
  node.open();
  const at = scheduler.now() + dueInMs;
  for (let n = 0; n < many; n++) {
    const to = counterAt(`cnt_ab${n}`);
    const merchant = { by: 'merchant', scope } as const;
    let answers = 0;
    void node.client.ask(to, 'open', {}, merchant).then(() => answers++);
    await scheduler.run(() => answers === 1, scheduler.now() + seconds(1));
    void node.client.ask(to, 'wakeIn', { ms: at - scheduler.now() }, merchant).then(() => answers++);
    await scheduler.run(() => answers === 2, scheduler.now() + seconds(1));
  }
  await scheduler.pass(at - scheduler.now() - 1);
  expect(seen.begun).toBe(0);
  return { scheduler, seen };
}

test('given a kind without a limit of its own, then all that are due work at once', async () => {
  const { scheduler, seen } = await due(fetching, 200);
  await scheduler.pass(seconds(10));
  expect(seen).toEqual({ begun: many, running: 0, most: many });
});

test('given a limit, then each works until everything that follows is done, and all have their turn', async () => {
  const { scheduler, seen } = await due({ ...fetching, dueAtOnceMax: atOnce }, 200);
  await scheduler.pass(seconds(10));
  expect(seen).toEqual({ begun: many, running: 0, most: atOnce });
});

test('given a limit and a target that does not answer, then the others wait for it no longer than a second', async () => {
  const { scheduler, seen } = await due({ ...fetching, dueAtOnceMax: atOnce }, seconds(60));
  await scheduler.pass(dueHeldMsMax / 2);
  expect(seen.begun).toBe(atOnce);
  await scheduler.pass(dueHeldMsMax);
  expect(seen.begun).toBe(2 * atOnce);
  await scheduler.pass(((many - atOnce) / atOnce) * dueHeldMsMax);
  expect(seen.begun).toBe(many);
});
