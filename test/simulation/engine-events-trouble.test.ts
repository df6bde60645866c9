/** Events that are stored with their commits, while their log is in trouble: its disk is full, or it is just created. */
import { expect, test, vi } from 'vitest';
import { seconds } from '../../src/kernel/time.ts';
import { pause } from './client.ts';
import { inWorld, longStories, until, writesOf } from './directed.ts';
import { tallyId, tallyScope } from './tally-work.ts';
import { opened, tell } from './telling.ts';
import type { World } from './world.ts';

vi.setConfig(longStories);

const [a, b] = [tallyId(0), tallyId(1)];
const embedded = { seed: 1, rowsInCommit: true, endsWithProcess: true };

/** What is left of the log's block, and whether the next one is being reserved. */
function blockOf(world: World): { readonly left: number; readonly isReserving: boolean } {
  const block = world.process?.node['positions']['blocks'].get(tallyScope);
  if (block === undefined) return { left: 0, isReserving: false };
  return {
    left: block.next === null ? 0 : block.end - block.next + 1,
    isReserving: block.reserving !== null,
  };
}

let ops = 0;
const add = (world: World, id: string): Promise<unknown> => tell(world, id, 'add', { op: `op${++ops}` });
const addSome = async (world: World, count: number): Promise<void> => {
  await Promise.all(Array.from({ length: count }, () => add(world, b)));
};

/** The block is nearly used up, the disk was full when the next one was asked for, and has room again. */
async function givenAFailedReservation(world: World): Promise<void> {
  await opened(world, a, b);
  await add(world, b);
  while (blockOf(world).left > 140) await addSome(world, Math.min(40, blockOf(world).left - 135));
  world.store.weather.fullUntil = world.scheduler.now() + seconds(7);
  while (!blockOf(world).isReserving) {
    await add(world, b);
    await pause(world, 100);
  }
  await pause(world, 7100);
}

test('events that do not fit into the block go the longer way, and none of their actor passes them', async () => {
  await inWorld(embedded, async (world) => {
    await givenAFailedReservation(world);
    while (blockOf(world).left > 1) await addSome(world, Math.min(20, blockOf(world).left - 1));
    await Promise.all([add(world, a), add(world, a)]);
    await pause(world, 2000);
    await add(world, a);
    const places = (): number[] =>
      world.store.disk
        .rows('journal')
        .filter(({ id }) => id.startsWith(`tally/${a}:`))
        .map(({ body }) => Number(body['pos']));
    await until(world, () => places().length === 3);
    expect(places()).toEqual(places().toSorted((one, other) => one - other));
  });
});

test('a block that comes after the last position was used is given up when nobody uses it', async () => {
  await inWorld(embedded, async (world) => {
    await givenAFailedReservation(world);
    while (blockOf(world).left > 0) await addSome(world, Math.min(20, blockOf(world).left));
    await pause(world, seconds(60));
    expect(world.store.disk.doc('event_log', tallyScope)?.busy).toBe(false);
  });
});

test('while the disk is full, one save of the cursor is repeated, however many events are refused', async () => {
  await inWorld(embedded, async (world) => {
    await opened(world, a);
    await add(world, a);
    const saves = world.process?.node['pumps']['saves']['host'];
    if (saves === undefined) throw new Error('a process lives');
    const asked = vi.spyOn(saves, 'ask');
    world.store.weather.fullUntil = world.scheduler.now() + seconds(60);
    for (let second = 0; second < 50; second++) {
      await add(world, a);
      await pause(world, 1000);
    }
    const handled = asked.mock.calls.filter(([, command]) => command === 'handledTo').length;
    // one each 100 ms
    expect(handled).toBeLessThan(50 * 10 * 1.2);
    await pause(world, seconds(20));
  });
});

test('a reader at the instant a log is created is not sent past its first block', async () => {
  for (let seed = 1; seed <= 10; seed++)
    await inWorld({ ...embedded, seed }, async (world) => {
      let isFirst = true;
      world.store.interception.after = (request) => {
        if (!isFirst || writesOf(request, 'event_log').length === 0) return;
        isFirst = false;
        const client = world.process?.node.client;
        for (let reader = 0; reader < 10; reader++)
          void Promise.resolve(client?.eventsUpTo(tallyScope)).then((upTo = 0) =>
            world.checkers.told({ scope: tallyScope, upTo }),
          );
      };
      await opened(world, a);
      await add(world, a);
      await add(world, a);
    });
});
