/** Two versions side by side: what one writes while the other lives, the other can read; what it could not read waits. */
import { describe, expect, test } from 'vitest';
import { envelopeText } from '../../../actors/event-log/envelope.ts';
import { eventLog } from '../../../actors/event-log/event-log.ts';
import { realScheduler } from '../../../src/kernel/time.ts';
import type { AnyActor } from '../../../src/runtime/model/actor.ts';
import { lowered, schemaFor } from '../../../src/runtime/model/downcast.ts';
import { Node } from '../../../src/runtime/node/node.ts';
import { OwnsEverything } from '../../../src/runtime/cluster/ownership.ts';
import type { Doc } from '../../../src/store/store.ts';
import { createSimStore } from '../../support/simulated/store-sim.ts';
import { embedded } from '../../support/embedded.ts';
import { counter, counterAt } from './counter.ts';

const scope = 'prj_abcd:sandbox' as const;
const merchant = { by: 'merchant', scope } as const;
const old = counter as unknown as AnyActor;

interface Noted {
  readonly status: 'open';
  readonly note: string;
}

const drop = ({ note: _gone, ...state }: Noted): object => state;

interface Becoming {
  become(status: string, data: object): unknown;
}

/** The counter's next version: it has a note, which the old one has no place for. */
const next: AnyActor = {
  ...old,
  schema: 2,
  upcast: (body) => ({ ...(body as unknown as Noted), note: '' }),
  downcast: (state: never) => drop(state) as never,
  on: {
    ...old.on,
    open: {
      by: 'merchant',
      creates: (_c: never, x: never) =>
        (x as Becoming).become('open', { count: 0, woken: 0, sequence: 1, note: '' }) as never,
    },
    annotate: {
      by: 'merchant',
      _any: (s: Noted, c: { readonly text: string }, x: Becoming) => x.become('open', { ...s, note: c.text }),
    } as unknown as AnyActor['on'][string],
  },
};

/** Owns everything, beside a node that reads no further than `lowest`. */
class BesideAnother extends OwnsEverything {
  lowest = Infinity;
  override readByAll(): number {
    return this.lowest;
  }
}

function world(rowsInCommit = false) {
  const sim = createSimStore({ scheduler: realScheduler, chance: () => 0.5, rowsInCommit });
  Object.assign(sim.weather, { latencyMsMin: 0, latencyMsMax: 0 });
  let boots = 0;
  const boot = async (actor: AnyActor, lowest = Infinity) => {
    const name = `n:${++boots}`;
    const ownership = new BesideAnother(name);
    ownership.lowest = lowest;
    const node = new Node({
      actors: [actor, eventLog],
      store: sim.connect(),
      scheduler: realScheduler,
      envelopeText,
      ...embedded(name),
      ownership,
      effects: {},
      dispatch: async (_scope, entries) => entries.map(() => []),
      log: { warn: () => undefined, error: () => undefined },
    });
    await node.start();
    node.open();
    return { node, ownership };
  };
  const stored = (id: string): Doc | null => sim.disk.doc('counter', id);
  const store = (doc: Doc) => sim.connect().commit([{ expect: doc.v - 1, doc, rows: [] }]);
  return { boot, stored, store };
}

describe.each([true, false])('rows with their document: %s', (rowsInCommit) => {
  test('while an older node lives, it can read what a newer one writes', async () => {
    const { boot, stored } = world(rowsInCommit);
    const newer = await boot(next, 1);
    await newer.node.client.ask(counterAt('cnt_aba'), 'open', {}, merchant);
    await newer.node.client.ask(counterAt('cnt_aba'), 'add', { by: 3 }, merchant);
    expect(stored('cnt_aba')).toMatchObject({ sv: 1, body: { count: 3 } });
    expect(stored('cnt_aba')?.body).not.toHaveProperty('note');
    newer.node.kill();

    const older = await boot(old);
    expect((await older.node.client.read(counterAt('cnt_aba'), scope))?.view).toMatchObject({ count: 3 });
    expect(await older.node.client.ask(counterAt('cnt_aba'), 'add', { by: 4 }, merchant)).toMatchObject({
      is: 'ok',
      detail: { count: 7 },
    });
    older.node.kill();
  });

  test('a command without an older shape is not executed, and is once that node is gone', async () => {
    const { boot, stored } = world(rowsInCommit);
    const { node, ownership } = await boot(next, 1);
    await node.client.ask(counterAt('cnt_abb'), 'open', {}, merchant);
    const annotate = () => node.client.ask(counterAt('cnt_abb'), 'annotate', { text: 'red' }, merchant);
    const before = stored('cnt_abb');
    expect(await annotate()).toMatchObject({ is: 'not_executed' });
    expect(stored('cnt_abb')).toEqual(before);
    // its neighbours in the same turn are not held up
    const together = await Promise.all([
      annotate(),
      node.client.ask(counterAt('cnt_abb'), 'add', { by: 1 }, merchant),
      annotate(),
    ]);
    expect(together.map(({ is }) => is)).toEqual(['not_executed', 'ok', 'not_executed']);
    expect((await node.client.read(counterAt('cnt_abb'), scope))?.state).toMatchObject({
      count: 1,
      note: '',
    });

    ownership.lowest = 2;
    expect(await annotate()).toMatchObject({ is: 'ok' });
    expect(stored('cnt_abb')).toMatchObject({ sv: 2, body: { count: 1, note: 'red' } });
    node.kill();
  });

  test('when an older node returns, documents in the newer shape still change', async () => {
    const { boot, stored } = world(rowsInCommit);
    const { node, ownership } = await boot(next);
    await node.client.ask(counterAt('cnt_abc'), 'open', {}, merchant);
    await node.client.ask(counterAt('cnt_abd'), 'open', {}, merchant);
    await node.client.ask(counterAt('cnt_abd'), 'annotate', { text: 'red' }, merchant);
    ownership.lowest = 1;
    for (const id of ['cnt_abc', 'cnt_abd'])
      expect(await node.client.ask(counterAt(id), 'add', { by: 1 }, merchant)).toMatchObject({ is: 'ok' });
    expect(stored('cnt_abc')?.sv).toBe(1);
    expect(stored('cnt_abd')).toMatchObject({ sv: 2, body: { note: 'red', count: 1 } });
    node.kill();
  });
});

test('an actor of a kind that one living node does not know is not created', async () => {
  const { boot, stored } = world();
  const { node, ownership } = await boot(old, 0);
  expect(await node.client.ask(counterAt('cnt_aba'), 'open', {}, merchant)).toMatchObject({
    is: 'not_executed',
  });
  expect(stored('cnt_aba')).toBeNull();
  ownership.lowest = 1;
  expect(await node.client.ask(counterAt('cnt_aba'), 'open', {}, merchant)).toMatchObject({ is: 'ok' });
  node.kill();
});

test('a command that only a newer version knows is not executed, and not answered "not found"', async () => {
  const { boot } = world();
  const { node } = await boot(old);
  await node.client.ask(counterAt('cnt_aba'), 'open', {}, merchant);
  const asked = (asking: typeof merchant | { readonly by: 'merchant'; readonly scope: 'prj_no:live' }) =>
    node.client.ask(counterAt('cnt_aba'), 'annotate', { text: 'red' }, asking);
  expect(await asked(merchant)).toMatchObject({ is: 'not_executed' });
  expect(await asked({ by: 'merchant', scope: 'prj_no:live' })).toMatchObject({ code: 'not_found' });
  node.kill();
});

describe('the schema a state is written in', () => {
  const plain = { status: 'open', count: 1, note: '' };
  const noted = { ...plain, note: 'red' };

  test.each([
    ['everybody reads the newest', plain, { readByAll: 2, storedIn: 1 }, 2],
    ['everybody reads even newer ones', plain, { readByAll: 9, storedIn: 2 }, 2],
    ['somebody reads the old one, which says it all', plain, { readByAll: 1, storedIn: 1 }, 1],
    ['the same, and it is stored in the new one', plain, { readByAll: 1, storedIn: 2 }, 1],
    ['somebody reads the old one, which has no place for it', noted, { readByAll: 1, storedIn: 1 }, null],
    ['the same, and nothing is stored yet', noted, { readByAll: 1, storedIn: 0 }, null],
    ['the same, and it is stored in the new one', noted, { readByAll: 1, storedIn: 2 }, 2],
    ['somebody does not know the kind', plain, { readByAll: 0, storedIn: 0 }, null],
  ])('%s', (_when, state, readers, schema) => {
    expect(schemaFor(next, state, readers)).toBe(schema);
  });

  test('a version without downcast writes its own schema', () => {
    const { downcast: _none, ...without } = next;
    expect(schemaFor(without, noted, { readByAll: 1, storedIn: 1 })).toBe(2);
  });

  test('a downcast that loses a field is detected', () => {
    const forgetful: AnyActor = { ...next, downcast: () => ({ status: 'open' }) };
    expect(lowered(forgetful, plain, 1)).toBeNull();
  });
});

test('a command recorded by a build with another format of senders is not executed again', async () => {
  const { boot, stored, store } = world();
  const before = await boot(old);
  const identity = { from: 'k:order_7', seq: 1, done: 0 };
  await before.node.client.ask(counterAt('cnt_abz'), 'open', {}, merchant);
  const add = { ...merchant, identity };
  const first = await before.node.client.ask(counterAt('cnt_abz'), 'add', { by: 3 }, add);
  expect(first).toMatchObject({ is: 'ok', detail: { count: 3 } });
  before.node.kill();

  const doc = stored('cnt_abz') as Doc;
  const r = { 1: { code: 'ok', v: 2, detail: { count: 3 } } };
  const older = { 'k:order_7': { done: 0, at: doc.seen[0]?.[2], r } };
  expect(await store({ ...doc, v: doc.v + 1, tok: 'older', seen: older as never })).toEqual([
    { is: 'applied' },
  ]);

  const { node } = await boot(old);
  expect(await node.client.ask(counterAt('cnt_abz'), 'add', { by: 3 }, add)).toEqual(first);
  await node.client.ask(counterAt('cnt_abz'), 'add', { by: 4 }, merchant);
  expect(stored('cnt_abz')).toMatchObject({ body: { count: 7 }, seen: doc.seen });
  node.kill();
});

test('while an older node lives, done events are cleared by a commit, as that node expects them', async () => {
  const { boot, stored } = world();
  const newer = await boot(old, 1);
  const id = 'cnt_abc';
  await newer.node.client.ask(counterAt(id), 'open', {}, merchant);
  await newer.node.client.ask(counterAt(id), 'announce', {}, merchant);
  await expect.poll(() => stored(id), { timeout: 9000 }).toMatchObject({ v: 3, out: [], busy: false });
  newer.ownership.lowest = Infinity;
  await newer.node.client.ask(counterAt(id), 'announce', {}, merchant);
  await expect.poll(() => stored(id), { timeout: 9000 }).toMatchObject({ v: 4, busy: false });
  expect(stored(id)?.out.map(({ type }) => type)).toEqual(['event']);
  newer.node.kill();
}, 25_000);
