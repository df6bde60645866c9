/** Many deliveries for an endpoint that hangs: a few are in memory, all are in the store. */
import { expect, test } from 'vitest';
import { counter, counterAt } from './counter.ts';
import { envelopeText } from '../../../actors/event-log/envelope.ts';
import { eventLog } from '../../../actors/event-log/event-log.ts';
import { minutes, seconds } from '../../../src/kernel/time.ts';
import { embedded } from '../../support/embedded.ts';
import { Node } from '../../../src/runtime/node/node.ts';
import { createSimStore } from '../../support/simulated/store-sim.ts';
import { VirtualScheduler } from '../../simulation/scheduler.ts';

const scope = 'prj_abcd:sandbox' as const;
const merchant = { by: 'merchant', scope } as const;
const [atOnce, waitingMax] = [2, 10];

function world() {
  const scheduler = new VirtualScheduler(0);
  const store = createSimStore({ scheduler, chance: () => 0.5, rowsInCommit: true });
  const posted: { key: string; order: number }[] = [];
  const endpoint = { hangs: true };
  let boots = 0;
  const boot = (): Node =>
    new Node({
      actors: [counter, eventLog],
      store: store.connect(),
      scheduler,
      ...embedded(`n:${++boots}`),
      envelopeText,
      effects: {
        post: {
          atOnce,
          waitingMax,
          run: ({ key, order }: { key: string; order: number }) =>
            new Promise((resolve) => {
              if (endpoint.hangs) return;
              posted.push({ key, order });
              scheduler.after(5, () => resolve({ got: 1 }));
            }),
        },
      },
      dispatch: async (_scope, entries) => entries.map(() => []),
      log: { warn: () => undefined, error: () => undefined },
    });
  const start = async (): Promise<Node> => {
    const node = boot();
    let serving = false;
    void node.start().then(() => (serving = true));
    await scheduler.run(() => serving, scheduler.now() + seconds(10));
    node.open();
    return node;
  };
  const ask = async (node: Node, id: string, command: string, data: object): Promise<void> => {
    let answered = '';
    void node.client
      .ask(counterAt(id), command as 'open', data as never, merchant)
      .then(({ is }) => (answered = is));
    await scheduler.run(() => answered !== '', scheduler.now() + seconds(10));
    expect(answered).toBe('ok');
  };
  return { scheduler, store, posted, endpoint, start, ask };
}

const idOf = (n: number): string => `cnt_ab${String(n).padStart(3, '0')}`;
const inMemory = (node: Node): number => node.registry.notIdle('prj_abcd').length;

async function backlog(count: number) {
  const all = world();
  const node = await all.start();
  for (let n = 0; n < count; n++) {
    await all.ask(node, idOf(n), 'open', {});
    // later actors have earlier places, so that the order of ids is of no help
    const order = count - n;
    await all.ask(node, idOf(n), 'post', { lane: 'we_1', key: `pay_${order % 3}`, order });
  }
  return { ...all, node };
}

test('effects without room in their lane leave memory and stay in the store', async () => {
  const { scheduler, store, node } = await backlog(60);
  await scheduler.pass(seconds(40));
  expect(inMemory(node)).toBeLessThanOrEqual(atOnce + waitingMax);
  expect(store.disk.docs('counter').filter(({ busy }) => busy)).toHaveLength(60);
  node.kill();
});

test('a node that starts with a long backlog keeps little of it in memory, and completes all of it', async () => {
  const { scheduler, store, node, start, posted, endpoint } = await backlog(60);
  node.kill();
  const next = await start();
  await scheduler.pass(seconds(5));
  expect(inMemory(next)).toBeLessThanOrEqual(atOnce + waitingMax);
  next.kill();
  endpoint.hangs = false;
  const last = await start();
  await scheduler.pass(minutes(5));
  expect(store.disk.docs('counter').filter(({ busy }) => busy)).toEqual([]);
  expect(store.disk.docs('counter').every(({ body }) => body?.['count'] === 1)).toBe(true);
  expect(posted).toHaveLength(60);
  last.kill();
});

test('a reference to an actor that left memory reaches its current activation', async () => {
  const { scheduler, node } = await backlog(1);
  const held = node.actors.activation('counter', idOf(0));
  if (held === undefined) throw new Error('it is in memory');
  node.registry.forget(held);
  void node.actors.activation('counter', idOf(0))?.committed();
  await scheduler.pass(100);
  const to = counterAt(idOf(0));
  const envelope = {
    to,
    command: 'add',
    data: { by: 5 },
    by: 'merchant',
    scope,
    deadline: Infinity,
  } as const;
  void held.deliver(envelope);
  await scheduler.pass(100);
  const reading = node.client.read(to, scope);
  await scheduler.pass(100);
  expect((await reading)?.view['count']).toBe(5);
  node.kill();
});

test('an actor that left memory with pending effects still answers, and runs them once', async () => {
  const { scheduler, node, ask, posted, endpoint } = await backlog(30);
  await scheduler.pass(seconds(50));
  await scheduler.pass(minutes(2.5));
  for (let n = 0; n < 30; n++) await ask(node, idOf(n), 'add', { by: 10 });
  endpoint.hangs = false;
  await scheduler.pass(minutes(10));
  const counts = await Promise.all(
    Array.from({ length: 30 }, async (_, n) => {
      const reading = node.client.read(counterAt(idOf(n)), scope);
      await scheduler.pass(10);
      return (await reading)?.view['count'];
    }),
  );
  expect(new Set(counts).size).toBe(1);
  expect(posted.length).toBeGreaterThanOrEqual(30 - atOnce);
  node.kill();
});
