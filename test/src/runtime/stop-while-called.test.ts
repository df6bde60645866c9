/** A call that is never made again is out when its node stops: only its answer tells what it did. */
import { expect, test } from 'vitest';
import { envelopeText } from '../../../actors/event-log/envelope.ts';
import { eventLog } from '../../../actors/event-log/event-log.ts';
import { seconds, type DurationMs } from '../../../src/kernel/time.ts';
import { onceCallMsMax } from '../../../src/runtime/cluster/ownership.ts';
import type { AnyActor } from '../../../src/runtime/model/actor.ts';
import { Node } from '../../../src/runtime/node/node.ts';
import { embedded } from '../../support/embedded.ts';
import { createSimStore } from '../../support/simulated/store-sim.ts';
import { VirtualScheduler } from '../../simulation/scheduler.ts';
import { counter, counterAt } from './counter.ts';

const scope = 'prj_abcd:sandbox' as const;
const merchant = { by: 'merchant', scope } as const;
const to = counterAt('cnt_ab1');
const waitMs = seconds(2);

/** Its call is made at most once. */
const { effects } = counter;
const careful = {
  ...counter,
  effects: { ...effects, fetch: { ...effects['fetch'], mode: 'atMostOnce' } },
} as AnyActor;

/** When the node has stopped whose call is answered after so long, and what the next one knows of the call. */
async function stopped(answeredAfterMs: DurationMs): Promise<{ tookMs: DurationMs; count: unknown }> {
  const scheduler = new VirtualScheduler(1_000_000);
  const store = createSimStore({ scheduler, chance: () => 0.5, rowsInCommit: true });
  const calls: ((answer: { got: number }) => void)[] = [];
  const boot = async (name: string): Promise<Node> => {
    const node = new Node({
      actors: [careful, eventLog],
      store: store.connect(),
      scheduler,
      envelopeText,
      ...embedded(name),
      effects: { fetch: { atOnce: 1, run: () => new Promise<object>((resolve) => calls.push(resolve)) } },
      dispatch: (_scope, entries) => Promise.resolve(entries.map(() => [])),
      log: { warn: () => undefined, error: () => undefined },
    });
    await done(node.start());
    node.open();
    return node;
  };
  const done = async <T>(work: Promise<T>): Promise<T | undefined> => {
    const seen: { over: boolean; result?: T } = { over: false };
    void work.then((result) => Object.assign(seen, { over: true, result }));
    await scheduler.run(() => seen.over, scheduler.now() + seconds(60));
    expect(seen.over).toBe(true);
    return seen.result;
  };

  const node = await boot('n:1');
  await done(node.client.ask(to, 'open', {}, merchant));
  await done(node.client.ask(to, 'fetch', { n: 7 }, merchant));
  await scheduler.run(() => calls.length === 1, scheduler.now() + seconds(5));
  expect(node.callsOnce).toBe(true);
  const from = scheduler.now();
  scheduler.after(answeredAfterMs, () => calls[0]?.({ got: 7 }));
  await done(node.stop(waitMs));
  const tookMs = scheduler.now() - from;
  await scheduler.pass(seconds(20));
  const next = await boot('n:2');
  await scheduler.pass(seconds(5));
  const found = await done(Promise.resolve(next.client.read(to, scope)));
  expect(calls).toHaveLength(1);
  next.kill();
  return { tookMs, count: found?.view['count'] };
}

test('a node that stops waits `onceCallMsMax` longer for it, and keeps its answer', async () => {
  const { tookMs, count } = await stopped(waitMs + onceCallMsMax - 500);
  expect(count).toBe(7);
  expect(tookMs).toBeGreaterThan(waitMs);
  expect(tookMs).toBeLessThanOrEqual(waitMs + onceCallMsMax);
});

test('one that is answered even later is unknown to the next node, and no node makes it again', async () => {
  const { tookMs, count } = await stopped(waitMs + onceCallMsMax + 500);
  expect(count).toBe(0);
  expect(tookMs).toBeLessThanOrEqual(waitMs + onceCallMsMax + 100);
});
