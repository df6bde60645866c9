/** Dead letters are sent again manually: once, as a new command, and never to a state they were not meant for. */
import { beforeEach, expect, test } from 'vitest';
import { realScheduler } from '../../../../src/kernel/time.ts';
import { actor, address, type Address } from '../../../../src/runtime/model/actor.ts';
import type { Scope } from '../../../../src/runtime/model/address.ts';
import type { Replayed } from '../../../../src/runtime/delivery/replay.ts';
import { Node } from '../../../../src/runtime/node/node.ts';
import { createSimStore, type SimStore } from '../../../support/simulated/store-sim.ts';
import { embedded } from '../../../support/embedded.ts';
import { eventually } from '../../../support/eventually.ts';

const scope: Scope = 'prj_abcd:sandbox';
const merchant = { by: 'merchant', scope } as const;

interface Commands {
  open: Record<string, never>;
  wakeIn: { readonly ms: number };
  woken: { readonly key: string };
  rename: Record<string, never>;
  add: { readonly by: number };
}
interface Bell {
  state: { readonly status: 'open'; readonly rung: number; readonly sum: number; readonly name: number };
  terminal: never;
  commands: Commands;
  effects: Record<never, never>;
}
/** A defect that a later build fixes. */
let broken: boolean;
const bellAt = (id: string): Address<Commands> => address('bell', id);
const bell = actor<Bell>('bell', 'bel', {
  schema: 1,
  on: {
    open: {
      by: 'merchant',
      creates: (_c, x) => x.become('open', { rung: 0, sum: 0, name: 0 }),
      _any: (_s, _c, x) => x.ok(),
    },
    wakeIn: { by: 'merchant', _any: (_s, c, x) => x.stay().timer('wake', x.now + c.ms) },
    woken: {
      by: 'system',
      _any: (s, _c, x) => {
        if (broken) throw new Error('boom');
        return x.become('open', { ...s, rung: s.rung + 1 });
      },
    },
    rename: { by: 'merchant', _any: (s, _c, x) => x.become('open', { ...s, name: s.name + 1 }) },
    add: {
      by: 'system',
      _any: (s, c, x) => {
        if (c.by < 0) return x.refuse('negative');
        if (broken) throw new Error('boom');
        return x.become('open', { ...s, sum: s.sum + c.by });
      },
    },
  },
  effects: {},
  timers: { wake: 'woken' },
  view: (s, { id }) => ({ id, ...s }),
});

let store: SimStore;
let node: Node;
beforeEach(async () => {
  broken = true;
  store = createSimStore({ scheduler: realScheduler, chance: () => 0.5, rowsInCommit: false });
  Object.assign(store.weather, { latencyMsMin: 0, latencyMsMax: 1 });
  node = new Node({
    actors: [bell],
    store: store.connect(),
    scheduler: realScheduler,
    ...embedded('n:1'),
    envelopeText: () => '',
    effects: {},
    dispatch: async () => [],
    log: { warn: () => undefined, error: () => undefined },
  });
  await node.start();
  node.open();
  await node.client.ask(bellAt('bel_ab1'), 'open', {}, merchant);
  return () => node.kill();
});

const replay = (id: string): Promise<Replayed> => node.replayDead(id);
const dead = async (): Promise<readonly string[]> =>
  (await node.client.listRows({ kind: 'dead', scope: null, page: 1, limit: 10 })).items.map(({ id }) => id);
const view = async (): Promise<object> => (await node.client.read(bellAt('bel_ab1'), scope))?.view ?? {};

/** A timer that kept throwing, by its id in `dead`. */
async function parkedTimer(): Promise<string> {
  await node.client.ask(bellAt('bel_ab1'), 'wakeIn', { ms: 1 }, merchant);
  return eventually(
    async () => (await dead())[0] ?? null,
    () => 'a parked timer',
  );
}
const parkedTell = (id: string, by: number): Promise<void> =>
  node.park(address('bell', 'bel_other'), scope, id, {
    tell: 'bell/bel_ab1',
    command: 'add',
    data: { by },
    reason: 'internal',
  });

test('a timer that kept throwing fires once the defect is fixed, and its row is deleted', async () => {
  const id = await parkedTimer();
  expect(await replay(id)).toEqual({ is: 'internal' });
  expect(await dead()).toEqual([id]);
  broken = false;
  expect(await replay(id)).toEqual({ is: 'answered', outcome: 'ok' });
  expect(await view()).toMatchObject({ rung: 1 });
  expect(await dead()).toEqual([]);
  expect(await replay(id)).toEqual({ is: 'replayed' });
  expect(await view()).toMatchObject({ rung: 1 });
});

test('a timer of an actor that has moved on since is not fired into its new state', async () => {
  const id = await parkedTimer();
  await node.client.ask(bellAt('bel_ab1'), 'rename', {}, merchant);
  broken = false;
  expect(await replay(id)).toEqual({ is: 'moved_on' });
  expect(await view()).toMatchObject({ rung: 0 });
  expect(await dead()).toEqual([id]);
});

test('a tell is sent to its target in any state, and executed once however often it is replayed', async () => {
  await parkedTell('bell/bel_other:7', 5);
  await node.client.ask(bellAt('bel_ab1'), 'rename', {}, merchant);
  broken = false;
  const both = await Promise.all([replay('bell/bel_other:7'), replay('bell/bel_other:7')]);
  expect(both).toEqual([
    { is: 'answered', outcome: 'ok' },
    { is: 'answered', outcome: 'ok' },
  ]);
  expect(await view()).toMatchObject({ sum: 5 });
  expect(await replay('bell/bel_other:7')).toEqual({ is: 'replayed' });
});

test('a refusal is an answer, too', async () => {
  await parkedTell('bell/bel_other:8', -1);
  expect(await replay('bell/bel_other:8')).toEqual({ is: 'answered', outcome: 'negative' });
  expect(await dead()).toEqual([]);
});

test('a delivery that could not be created is sent again unchanged', async () => {
  await node.park(bellAt('bel_ab1'), scope, 'bell/bel_ab1', { command: 'add', data: { by: 3 } });
  broken = false;
  expect(await replay('bell/bel_ab1')).toEqual({ is: 'answered', outcome: 'ok' });
  expect(await view()).toMatchObject({ sum: 3 });
});

test('an unknown dead letter is not found', async () => {
  expect(await replay('bell/bel_ab1:99')).toEqual({ is: 'not_found' });
});
