import { describe, expect, test } from 'vitest';
import { counter, counterAt } from './counter.ts';
import { envelopeText } from '../../../actors/event-log/envelope.ts';
import { eventLog } from '../../../actors/event-log/event-log.ts';
import { projectAt } from '../../../actors/project/messages.ts';
import { project } from '../../../actors/project/project.ts';
import { days, realScheduler } from '../../../src/kernel/time.ts';
import type { AnyActor } from '../../../src/runtime/model/actor.ts';
import { embedded } from '../../support/embedded.ts';
import { Node } from '../../../src/runtime/node/node.ts';
import type { Store, Written } from '../../../src/store/store.ts';
import { createSimStore } from '../../support/simulated/store-sim.ts';

const scope = 'prj_abcd:sandbox' as const;
const merchant = { by: 'merchant', scope } as const;
const system = { by: 'system', scope: 'system' } as const;
const full: Written = { is: 'error', of: 'store', reason: 'disk_full' };

/** A store that can be made to refuse everything, as a full disk does. */
function world() {
  const sim = createSimStore({ scheduler: realScheduler, chance: () => 0.5, rowsInCommit: true });
  Object.assign(sim.weather, { latencyMsMin: 0, latencyMsMax: 0 });
  const disk = { full: false };
  const fetched: number[] = [];
  const errors: string[] = [];
  const boot = async (actors: readonly AnyActor[] = [counter, eventLog, project]): Promise<Node> => {
    const connection = sim.connect();
    const store: Store = {
      ...connection,
      commit: (writes) => (disk.full ? Promise.resolve(writes.map(() => full)) : connection.commit(writes)),
    };
    const node = new Node({
      actors,
      store,
      scheduler: realScheduler,
      envelopeText,
      ...embedded(`n:${Math.random()}`),
      effects: {
        fetch: {
          atOnce: 5,
          run: async ({ n }: { n: number }) => {
            fetched.push(n);
            return { got: n };
          },
        },
      },
      dispatch: async (_scope, entries) => entries.map(() => []),
      log: { warn: () => undefined, error: (_fields, message) => void errors.push(message) },
    });
    await node.start();
    node.open();
    return node;
  };
  return { boot, disk, fetched, errors };
}

const countOf = async (node: Node, id: string): Promise<unknown> =>
  (await node.client.read(counterAt(id), scope))?.view['count'];

describe('while the disk is full', () => {
  test('a hundred refused writes are one log line', async () => {
    const { boot, disk, errors } = world();
    const node = await boot();
    const ids = Array.from({ length: 100 }, (_, n) => `cnt_ab${n}`);
    disk.full = true;
    const opened = await Promise.all(ids.map((id) => node.client.ask(counterAt(id), 'open', {}, merchant)));
    expect(opened.filter(({ is }) => is === 'not_executed')).toHaveLength(100);
    expect(errors).toEqual(['the store refuses writes: none of them was executed']);
    node.kill();
  });

  test('a command is answered not executed, and is executed when it is sent again', async () => {
    const { boot, disk } = world();
    const node = await boot();
    await node.client.ask(counterAt('cnt_aba'), 'open', {}, merchant);
    disk.full = true;
    expect(await node.client.ask(counterAt('cnt_aba'), 'add', { by: 1 }, merchant)).toMatchObject({
      is: 'not_executed',
    });
    disk.full = false;
    expect(await node.client.ask(counterAt('cnt_aba'), 'add', { by: 1 }, merchant)).toMatchObject({
      is: 'ok',
    });
    expect(await countOf(node, 'cnt_aba')).toBe(1);
    node.kill();
  });

  test('the result of an effect waits for space, and settled rows are cleared afterwards', async () => {
    const { boot, disk, fetched } = world();
    const node = await boot();
    await node.client.ask(counterAt('cnt_abb'), 'open', {}, merchant);
    await node.client.ask(counterAt('cnt_abb'), 'fetch', { n: 7 }, merchant);
    disk.full = true;
    await new Promise((resolve) => setTimeout(resolve, 300));
    disk.full = false;
    await expect.poll(() => countOf(node, 'cnt_abb'), { timeout: 5000 }).toBe(7);
    expect(fetched).toEqual([7]);
    await expect.poll(() => node.registry.notIdle('prj_abcd').length, { timeout: 8000 }).toBe(0);
    node.kill();
  });
});

test('the walk of a test clock continues past an unreadable document', async () => {
  const { boot } = world();
  const newer: AnyActor = { ...counter, schema: 2 };
  const first = await boot([newer, eventLog, project]);
  await first.client.ask(
    projectAt('prj_abcd'),
    'open',
    { merchantId: 'mer_x', name: 'Shop', providers: [] },
    system,
  );
  await first.client.ask(counterAt('cnt_abc'), 'open', {}, merchant);
  await first.client.ask(counterAt('cnt_abc'), 'wakeIn', { ms: days(1) }, merchant);
  first.kill();

  const node = await boot();
  await node.client.ask(counterAt('cnt_abd'), 'open', {}, merchant);
  await node.client.ask(counterAt('cnt_abd'), 'wakeIn', { ms: days(2) }, merchant);
  await node.client.ask(
    projectAt('prj_abcd'),
    'advanceClock',
    { to: node.client.now(scope) + days(3) },
    system,
  );
  const keeper = async (): Promise<unknown> =>
    (await node.client.read(projectAt('prj_abcd'), null))?.view['status'];
  await expect.poll(keeper, { timeout: 8000 }).toBe('ready');
  expect((await node.client.read(counterAt('cnt_abd'), scope))?.view['woken']).toBe(1);
  expect(await node.client.ask(counterAt('cnt_abc'), 'add', { by: 1 }, merchant)).toEqual({ is: 'internal' });
  node.kill();
});

test('a document of an older schema is upcast wherever it is read', async () => {
  const { boot } = world();
  const first = await boot();
  await first.client.ask(counterAt('cnt_abe'), 'open', {}, merchant);
  first.kill();

  const lifted: AnyActor = {
    ...counter,
    schema: 2,
    upcast: (body) => ({ ...(body as { status: string }), count: 1000 }),
  };
  const node = await boot([lifted, eventLog, project]);
  expect(await countOf(node, 'cnt_abe')).toBe(1000);
  const list = await node.client.list({ kind: 'counter', scope, page: 1, limit: 10 });
  expect(list.items.map(({ view }) => view['count'])).toEqual([1000]);
  await node.client.ask(counterAt('cnt_abe'), 'add', { by: 1 }, merchant);
  expect(await countOf(node, 'cnt_abe')).toBe(1001);
  node.kill();
});
