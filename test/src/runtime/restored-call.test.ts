/** A call that is never made again, and was asked for before a restore: it may have been made in the lost time. */
import { expect, test } from 'vitest';
import { envelopeText } from '../../../actors/event-log/envelope.ts';
import { eventLog } from '../../../actors/event-log/event-log.ts';
import { seconds } from '../../../src/kernel/time.ts';
import type { AnyActor } from '../../../src/runtime/model/actor.ts';
import type { Eras } from '../../../src/runtime/model/era.ts';
import { Node } from '../../../src/runtime/node/node.ts';
import { embedded } from '../../support/embedded.ts';
import { createSimStore } from '../../support/simulated/store-sim.ts';
import { VirtualScheduler } from '../../simulation/scheduler.ts';
import { counter, counterAt } from './counter.ts';

const scope = 'prj_abcd:sandbox' as const;
const merchant = { by: 'merchant', scope } as const;
const to = counterAt('cnt_ab1');

const { effects } = counter;
const withMode = (mode: 'again' | 'atMostOnce'): AnyActor =>
  ({ ...counter, effects: { ...effects, fetch: { ...effects['fetch'], mode } } }) as AnyActor;

/** The calls of a node that finds one that was asked for, and of which nobody has said that it begins; and those of
 *  one that it is asked for itself. */
async function calledIn(eras: Eras): Promise<readonly [found: number, asked: number]> {
  const scheduler = new VirtualScheduler(1_000_000);
  const store = createSimStore({ scheduler, chance: () => 0.5, rowsInCommit: true });
  let calls = 0;
  const done = async <T>(work: Promise<T>): Promise<T | undefined> => {
    const seen: { over: boolean; result?: T } = { over: false };
    void work.then((result) => Object.assign(seen, { over: true, result }));
    await scheduler.run(() => seen.over, scheduler.now() + seconds(60));
    expect(seen.over).toBe(true);
    return seen.result;
  };
  const boot = async (
    name: string,
    actor: AnyActor,
    run: () => Promise<object>,
    its: Eras,
  ): Promise<Node> => {
    const node = new Node({
      actors: [actor, eventLog],
      store: store.connect(),
      scheduler,
      envelopeText,
      ...embedded(name),
      eras: its,
      effects: { fetch: { atOnce: 1, run } },
      dispatch: (_scope, entries) => Promise.resolve(entries.map(() => [])),
      log: { warn: () => undefined, error: () => undefined },
    });
    await done(node.start());
    node.open();
    return node;
  };

  // nothing is committed when a call of this mode begins: as if the process had died before
  const first = await boot('n:1', withMode('again'), () => new Promise(() => undefined), []);
  await done(first.client.ask(to, 'open', {}, merchant));
  await done(first.client.ask(to, 'fetch', { n: 7 }, merchant));
  first.kill();
  const called = (): Promise<object> => Promise.resolve({ got: ++calls });
  const next = await boot('n:2', withMode('atMostOnce'), called, eras);
  await scheduler.pass(seconds(5));
  const found = calls;
  await done(next.client.ask(to, 'fetch', { n: 8 }, merchant));
  await scheduler.pass(seconds(5));
  next.kill();
  return [found, calls - found];
}

test('a call that was asked for before a restore is not made after it; one that is asked for since is, once', async () => {
  expect(await calledIn([])).toEqual([1, 1]);
  expect(await calledIn([{ era: 1, backupAt: 0, restoredAt: 1, highest: {} }])).toEqual([0, 1]);
});
