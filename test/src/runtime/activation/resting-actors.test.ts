/** Actors that are idle go to rest: their parts are dropped, and the next command or read makes them from a text. */
import { expect, test } from 'vitest';
import { envelopeText } from '../../../../actors/event-log/envelope.ts';
import { eventLog } from '../../../../actors/event-log/event-log.ts';
import { project } from '../../../../actors/project/project.ts';
import { minutes, seconds } from '../../../../src/kernel/time.ts';
import {
  bytesOfActivation,
  restAfterMs,
  restMsMax,
} from '../../../../src/runtime/activation/activation-registry.ts';
import {
  bytesBesideText,
  docOf,
  resting,
  RestingActors,
  textOf,
} from '../../../../src/runtime/activation/resting-actors.ts';
import type { PartitionLease } from '../../../../src/runtime/cluster/partition-lease.ts';
import type { AskResult, Identity } from '../../../../src/runtime/model/envelope.ts';
import { Node } from '../../../../src/runtime/node/node.ts';
import type { Doc, Store } from '../../../../src/store/store.ts';
import { createSimStore } from '../../../support/simulated/store-sim.ts';
import { docOf as sampleOf } from '../../../contract/store-samples.ts';
import { VirtualScheduler } from '../../../simulation/scheduler.ts';
import { embedded } from '../../../support/embedded.ts';
import { counter, counterAt } from '../counter.ts';

const scope = 'prj_abcd:sandbox' as const;
const merchant = { by: 'merchant', scope } as const;
const id = 'cnt_ab1';
/** Longer than any actor of these tests is at work. */
const restedMs = seconds(10);
const roomy = 64 * 2 ** 20;

interface Asked {
  readonly to?: string;
  readonly identity?: Identity;
}

/** One node; `reads` counts those of counters in the store. */
async function world({ actorBytesMax = roomy, fetchMs = 0 } = {}) {
  const scheduler = new VirtualScheduler(0);
  const sim = createSimStore({ scheduler, chance: () => 0.5, rowsInCommit: true });
  const connection = sim.connect();
  const seen = { reads: 0 };
  const store: Store = {
    ...connection,
    read: (kind, of) => {
      if (kind === 'counter') seen.reads++;
      return connection.read(kind, of);
    },
  };
  const fetched = (): Promise<object> =>
    new Promise((resolve) => scheduler.after(fetchMs, () => resolve({ got: 1 })));
  const node = new Node({
    actors: [counter, eventLog, project],
    store,
    scheduler,
    ...embedded('n:1'),
    actorBytesMax,
    envelopeText,
    effects: { fetch: { atOnce: 9, run: fetched }, post: { atOnce: 9, run: fetched } },
    dispatch: async (_scope, entries) => entries.map(() => []),
    log: { warn: () => undefined, error: () => undefined },
  });
  const until = async <T>(work: Promise<T>): Promise<T> => {
    let ended = false;
    void work.then(() => (ended = true));
    await scheduler.run(() => ended, scheduler.now() + minutes(1));
    return work;
  };
  await until(node.start());
  node.open();
  const ask = (command: string, data: object, { to = id, ...more }: Asked = {}): Promise<AskResult> =>
    until(node.client.ask(counterAt(to), command, data, { ...merchant, ...more }));
  const read = async (of = id): Promise<unknown> =>
    (await until(Promise.resolve(node.client.read(counterAt(of), scope))))?.view['count'];
  return {
    node,
    seen,
    scheduler,
    sim,
    ask,
    read,
    rest: () => scheduler.pass(restedMs),
    atWork: (of = id) => node.registry.find('counter', of) !== undefined,
    inMemory: () => node.registry.size,
  };
}

test('given an idle actor, then it goes to rest, and a read and a command continue without the store', async () => {
  const { ask, read, rest, atWork, seen, inMemory } = await world();
  await ask('open', {});
  await ask('add', { by: 3 });
  expect(atWork()).toBe(true);
  await rest();
  expect(atWork()).toBe(false);
  expect(inMemory()).toBeGreaterThan(0);
  seen.reads = 0;
  expect(await read()).toBe(3);
  expect(atWork()).toBe(true);
  await rest();
  expect(await ask('add', { by: 4 })).toMatchObject({ is: 'ok', detail: { count: 7 } });
  expect(seen.reads).toBe(0);
});

test('given an actor that is used now and then, then it keeps its parts', async () => {
  const { ask, read, atWork, scheduler } = await world();
  await ask('open', {});
  for (let n = 0; n < 10; n++) {
    await scheduler.pass(restAfterMs / 2);
    expect(atWork()).toBe(true);
    expect(await read()).toBe(0);
  }
});

test('given a command that comes again after a rest, then it gets its stored outcome', async () => {
  const { ask, read, rest } = await world();
  await ask('open', {});
  const identity = { from: 'k:key', seq: 1, done: 0 };
  const first = await ask('add', { by: 3 }, { identity });
  await rest();
  expect(await ask('add', { by: 3 }, { identity })).toEqual(first);
  expect(await read()).toBe(3);
});

test('given events that were sent, then none is sent again after a rest', async () => {
  const { ask, rest, atWork, sim } = await world();
  await ask('open', {});
  await ask('announce', {});
  await rest();
  expect(atWork()).toBe(false);
  await ask('announce', {});
  await rest();
  const entries = sim.disk.rows('journal');
  expect(entries.map(({ id: key }) => key)).toEqual([`counter/${id}:1`, `counter/${id}:2`]);
});

test('given an effect that takes long, then its actor does not rest before the result', async () => {
  const { ask, read, rest, atWork, scheduler } = await world({ fetchMs: 3 * restedMs });
  await ask('open', {});
  await ask('fetch', { n: 1 });
  await rest();
  expect(atWork()).toBe(true);
  await scheduler.pass(3 * restedMs);
  expect(atWork()).toBe(false);
  expect(await read()).toBe(1);
});

test('given a timer, then it wakes an actor at rest', async () => {
  const { ask, read, rest, atWork, node, scheduler, seen } = await world();
  await ask('open', {});
  await ask('wakeIn', { ms: 3 * restedMs });
  await rest();
  expect(atWork()).toBe(false);
  seen.reads = 0;
  await scheduler.pass(2 * restedMs + seconds(1));
  expect(seen.reads).toBe(0);
  expect(await read()).toBe(0);
  expect((await node.client.read(counterAt(id), scope))?.view['woken']).toBe(1);
});

test('given an actor that is woken because the store has something newer, then what was at rest does not count', async () => {
  const { ask, read, rest, sim, node } = await world();
  await ask('open', {});
  await rest();
  const doc = sim.disk.doc('counter', id);
  if (doc === null) throw new Error('it is not stored');
  const item: Doc = { ...doc, v: doc.v + 1, body: { ...doc.body, count: 500 } };
  sim.disk.landWrite(doc.v, { item, text: JSON.stringify(item) });
  void node.actors.wake('counter', id);
  await rest();
  expect(await read()).toBe(500);
});

test('given a record that was removed from the store, then an idle actor is forgotten, at rest or not', async () => {
  const { ask, read, rest, sim, node } = await world();
  await ask('open', {});
  for (const isAtRest of [false, true]) {
    if (isAtRest) {
      await ask('open', {});
      await rest();
    }
    sim.disk.purgeOldest({ kind: 'counter', scope, before: Infinity, limit: 1 });
    node.registry.forgetIdle('counter', id);
    expect(await read()).toBeUndefined();
  }
});

test('given a record that another node has removed, then it is shown for an hour at most', async () => {
  const { ask, read, rest, sim, scheduler } = await world();
  await ask('open', {});
  await rest();
  sim.disk.purgeOldest({ kind: 'counter', scope, before: Infinity, limit: 1 });
  await scheduler.pass(restMsMax + seconds(2));
  expect(await read()).toBeUndefined();
});

test('given many more actors than the budget has room for, then they stay within it, and each is found', async () => {
  const room = 12;
  const { ask, read, rest, node, seen } = await world({ actorBytesMax: room * bytesOfActivation });
  const ids = Array.from({ length: 400 }, (_none, n) => `cnt_ab${n}`);
  for (const to of ids) {
    await ask('open', {}, { to });
    await ask('add', { by: 1 }, { to });
    expect(node.registry.bytes).toBeLessThanOrEqual(room * bytesOfActivation);
  }
  await rest();
  const kept = node.registry.size;
  expect(kept).toBeGreaterThan(room);
  expect(kept).toBeLessThan(ids.length);
  seen.reads = 0;
  // the last ones were used last
  for (const to of ids.slice(-room)) expect(await read(to)).toBe(1);
  expect(seen.reads).toBe(0);
  for (let n = 0; n < ids.length; n++) {
    expect(await read(ids[(n * 7919) % ids.length])).toBe(1);
    expect(node.registry.bytes).toBeLessThanOrEqual(room * bytesOfActivation);
  }
  expect(seen.reads).toBeGreaterThan(0);
});

const lease = (over = false) => ({ over }) as PartitionLease;
const sample = sampleOf({ kind: 'counter', id, out: [], busy: false });

test('given a document without rows to send, then its text reads back as the same document', () => {
  expect(docOf('counter', id, textOf(sample))).toEqual(sample);
});

test('given rows that are done, then the text leaves them out', () => {
  const out: Doc['out'] = [{ q: 1, type: 'tell', to: 'counter/cnt_ab2', command: 'add', data: {}, at: 0 }];
  expect(docOf('counter', id, textOf({ ...sample, out }))).toEqual(sample);
});

test('given a text beyond Latin-1, then each of its characters counts twice', () => {
  const named = (name: string) => resting({ ...sample, body: { name } }, lease(), true, 0);
  const [latin, nepali] = [named('abcd'), named('गल्ल')];
  expect(nepali.text).toHaveLength(latin.text.length);
  expect(latin.bytes).toBe(bytesBesideText + latin.text.length);
  expect(nepali.bytes).toBe(bytesBesideText + 2 * nepali.text.length);
});

test('given too many at rest, then those that have rested longest leave first', () => {
  const all = new RestingActors();
  const one = resting(sample, lease(), true, 0);
  for (const name of ['a', 'b', 'c', 'd']) all.put(name, one);
  all.put('a', one);
  all.fitInto(2.5 * one.bytes);
  expect(all.bytes).toBe(2 * one.bytes);
  expect(['a', 'b', 'c', 'd'].filter((name) => all.take(name) !== undefined)).toEqual(['a', 'd']);
  expect(all).toMatchObject({ bytes: 0, size: 0 });
});

test('given a lease that has ended, then what rested under it is dropped', () => {
  const all = new RestingActors();
  all.put('a', resting(sample, lease(true), true, 0));
  all.put('b', resting(sample, lease(), true, 0));
  all.dropEnded();
  expect([all.take('a'), all.size]).toEqual([undefined, 1]);
});
