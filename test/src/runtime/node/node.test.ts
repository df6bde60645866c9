import { describe, expect, test } from 'vitest';
import { eventLog } from '../../../../actors/event-log/event-log.ts';
import { counter, counterAt } from '../counter.ts';
import { envelopeText } from '../../../../actors/event-log/envelope.ts';
import { embedded } from '../../../support/embedded.ts';
import { Node } from '../../../../src/runtime/node/node.ts';
import type { Caused } from '../../../../src/runtime/delivery/journal-pump.ts';
import { createSimStore } from '../../../support/simulated/store-sim.ts';
import { realScheduler } from '../../../../src/kernel/time.ts';
import type { Scope } from '../../../../src/runtime/model/address.ts';

const scope: Scope = 'prj_abcd:sandbox';
const merchant = { by: 'merchant', scope } as const;

function world(rowsInCommit: boolean): { boot: () => Node; dispatched: string[]; fetched: number[] } {
  const store = createSimStore({ scheduler: realScheduler, chance: () => 0.5, rowsInCommit });
  Object.assign(store.weather, { latencyMsMin: 0, latencyMsMax: 1 });
  const dispatched: string[] = [];
  const fetched: number[] = [];
  let boots = 0;
  const boot = (): Node =>
    new Node({
      actors: [counter, eventLog],
      store: store.connect(),
      scheduler: realScheduler,
      ...embedded(`n:${++boots}`),
      envelopeText,
      effects: { fetch: { atOnce: 2, run: async ({ n }: { n: number }) => (fetched.push(n), { got: n }) } },
      dispatch: async (_scope, entries) =>
        entries.map((entry): Caused[] => (dispatched.push(entry.body['event'] as string), [])),
      log: { warn: () => undefined, error: () => undefined },
    });
  return { boot, dispatched, fetched };
}

describeBoth('a node', (rowsInCommit) => {
  test('answers a command only after its commit', async () => {
    const { boot } = world(rowsInCommit);
    const node = boot();
    await node.start();
    node.open();
    expect(await node.client.ask(counterAt('cnt_ab1'), 'add', { by: 1 }, merchant)).toMatchObject({
      is: 'refused',
      code: 'not_found',
    });
    await node.client.ask(counterAt('cnt_ab1'), 'open', {}, merchant);
    const sums = await Promise.all(
      [1, 2, 3].map((by) => node.client.ask(counterAt('cnt_ab1'), 'add', { by }, merchant)),
    );
    expect(sums.map((sum) => sum.is)).toEqual(['ok', 'ok', 'ok']);
    expect((await node.client.read(counterAt('cnt_ab1'), scope))?.view).toMatchObject({ count: 6 });
    expect((await node.client.readRow('count', 'row_ab1', scope))?.body).toMatchObject({ count: 6 });
    expect(await node.client.read(counterAt('cnt_ab1'), 'prj_other:sandbox')).toBeNull();
    expect(
      await node.client.ask(
        counterAt('cnt_ab1'),
        'add',
        { by: 1 },
        { by: 'merchant', scope: 'prj_other:sandbox' },
      ),
    ).toMatchObject({ is: 'refused', code: 'not_found' });
    node.kill();
    const next = boot();
    expect((await next.client.read(counterAt('cnt_ab1'), scope))?.view).toMatchObject({ count: 6 });
    next.kill();
  });

  test('returns stored actors in one read, and leaves those in memory to be read one by one', async () => {
    const { boot } = world(rowsInCommit);
    const node = boot();
    await node.start();
    const ids = ['cnt_ac1', 'cnt_ac2', 'cnt_ac3'];
    for (const [at, id] of ids.entries()) {
      await node.client.ask(counterAt(id), 'open', {}, merchant);
      await node.client.ask(counterAt(id), 'add', { by: at }, merchant);
    }
    expect(await node.client.readStored('counter', ids)).toEqual(new Map());
    node.kill();
    const next = boot();
    const found = await next.client.readStored('counter', [...ids, 'cnt_ac4']);
    expect(new Map([...found].map(([id, { view }]) => [id, view['count']]))).toEqual(
      new Map(ids.map((id, at) => [id, at])),
    );
    next.kill();
  });

  test('executes a repeated identity once and gives the stored outcome', async () => {
    const { boot } = world(rowsInCommit);
    const node = boot();
    await node.start();
    const keyed = { ...merchant, identity: { from: 'k:rec', seq: 1, done: 0 } };
    await node.client.ask(counterAt('cnt_ab2'), 'open', {}, merchant);
    const first = await node.client.ask(counterAt('cnt_ab2'), 'add', { by: 5 }, keyed);
    expect(await node.client.ask(counterAt('cnt_ab2'), 'add', { by: 5 }, keyed)).toEqual(first);
    expect((await node.client.read(counterAt('cnt_ab2'), scope))?.view).toMatchObject({ count: 5 });
    node.kill();
  });

  test.each([
    ['ok', 'open'],
    ['no', 'no'],
  ] as const)('stores the outcome of a repeat even when nothing changed: %s', async (code, command) => {
    const { boot } = world(rowsInCommit);
    const node = boot();
    await node.start();
    const at = counterAt('cnt_ab6');
    const first = { ...merchant, identity: { from: 'n:other', seq: 7, done: 6 } };
    const outcomes = async () =>
      (await node.store.read('counter', at.id))?.seen.map(([from, , , all]) => [from, all]);
    await node.client.ask(at, 'open', {}, merchant);
    await node.client.ask(at, command, {}, first);
    expect(await outcomes()).toEqual([]);
    const heard = await node.client.ask(at, command, {}, { ...first, again: true });
    expect(await outcomes()).toEqual([['n:other', [expect.arrayContaining([7, code])]]]);
    // a first copy that comes after it meets that, whatever it would come to by itself
    expect(await node.client.ask(at, 'add', { by: 1 }, first)).toEqual(heard);
    node.kill();
  });

  test('delivers tells once, logs events in order, runs effects and fires timers', async () => {
    const { boot, dispatched, fetched } = world(rowsInCommit);
    const node = boot();
    await node.start();
    node.open();
    await node.client.ask(counterAt('cnt_ab3'), 'open', {}, merchant);
    await node.client.ask(counterAt('cnt_ab4'), 'open', {}, merchant);
    await node.client.ask(counterAt('cnt_ab3'), 'addTo', { peer: 'cnt_ab4', by: 7 }, merchant);
    await node.client.ask(counterAt('cnt_ab3'), 'addTo', { peer: 'cnt_ab4', by: 8 }, merchant);
    await node.client.ask(counterAt('cnt_ab3'), 'announce', {}, merchant);
    await node.client.ask(counterAt('cnt_ab3'), 'fetch', { n: 3 }, merchant);
    await node.client.ask(counterAt('cnt_ab3'), 'wakeIn', { ms: 20 }, merchant);
    await expect
      .poll(async () => (await node.client.read(counterAt('cnt_ab4'), scope))?.view['count'])
      .toBe(15);
    await expect.poll(() => dispatched).toEqual(['counter.announced']);
    await expect
      .poll(async () => (await node.client.read(counterAt('cnt_ab3'), scope))?.view)
      .toMatchObject({ count: 3, woken: 1 });
    expect(fetched).toEqual([3]);
    await expect.poll(() => node.registry.notIdle('prj_abcd').length, { timeout: 8000 }).toBe(0);
    node.kill();
  });

  test('a transition that throws affects no other in its turn', async () => {
    const { boot } = world(rowsInCommit);
    const node = boot();
    await node.start();
    await node.client.ask(counterAt('cnt_ab5'), 'open', {}, merchant);
    const results = await Promise.all([
      node.client.ask(counterAt('cnt_ab5'), 'add', { by: 1 }, merchant),
      node.client.ask(counterAt('cnt_ab5'), 'explode', {}, merchant),
      node.client.ask(counterAt('cnt_ab5'), 'no', {}, merchant),
      node.client.ask(counterAt('cnt_ab5'), 'add', { by: 1 }, merchant),
    ]);
    expect(results.map((result) => result.is)).toEqual(['ok', 'internal', 'refused', 'ok']);
    await node.client.ask(counterAt('cnt_ab5'), 'close', {}, merchant);
    expect(await node.client.read(counterAt('cnt_ab5'), scope)).toBeNull();
    expect(await node.client.ask(counterAt('cnt_ab5'), 'open', {}, merchant)).toMatchObject({
      is: 'refused',
      code: 'not_found',
    });
    node.kill();
  });
});

function describeBoth(name: string, tests: (rowsInCommit: boolean) => void): void {
  for (const together of [true, false]) {
    describe(`${name}, rows ${together ? 'with' : 'after'} the document`, () => tests(together));
  }
}
