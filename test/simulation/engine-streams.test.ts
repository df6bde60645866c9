/** NATS and its streams are lost, temporarily or permanently: no essential data was there (the engine's list of
 *  demands, by number). */
import { expect, test, vi } from 'vitest';
import { minutes, seconds } from '../../src/kernel/time.ts';
import { pause } from './client.ts';
import { inWorld, longStories, until } from './directed.ts';
import { otherThan, ownerOf } from './homes.ts';
import { between } from './random.ts';
import { shop } from './shop-work.ts';
import { tallyAt } from './tally.ts';
import { tallyId, tallyScope } from './tally-work.ts';
import { entriesOf, keyed, opened, tell } from './telling.ts';
import type { World } from './world.ts';

vi.setConfig(longStories);

const merchant = { by: 'merchant', scope: tallyScope } as const;
const ids = [tallyId(0), tallyId(1), tallyId(2), tallyId(3)];

/** Whether all events were published for other systems. */
const allTold = ({ hub, store }: World): boolean =>
  store.disk.rows('journal').every(({ id }) => hub.streams.events.has(id));

test('engine test 15: JetStream loses everything after its acknowledgement, repeatedly: every webhook arrives, EVENTS is rebuilt', async () => {
  let losses = 0;
  for (let seed = 1; seed <= 10; seed++) {
    await inWorld({ seed, nodes: 3, withinMs: minutes(20) }, async (world) => {
      let over = false;
      const lose = (): void => {
        world.hub.streams.lose();
        losses++;
      };
      const strike = async (): Promise<void> => {
        for (; !over; lose()) await pause(world, between(world.chance, 200, 8000));
      };
      void strike();
      await shop(world, { endpoints: 2, sessions: 3, pauseMsMax: 3000, advances: 0 });
      over = true;
      await until(world, () => allTold(world));
      lose();
      expect(allTold(world)).toBe(false);
      await until(world, () => allTold(world));
      expect(world.ledger.receipts.size).toBeGreaterThan(0);
    });
  }
  expect(losses).toBeGreaterThan(30);
});

test('engine test 15: an event published just before JetStream lost it is published again', async () => {
  for (let seed = 1; seed <= 10; seed++) {
    await inWorld({ seed, nodes: 3 }, async (world) => {
      await opened(world, ...ids);
      await tell(world, tallyId(0), 'add', { op: 'one' });
      await until(world, () => world.hub.streams.events.size > 0);
      // long before the log has saved how far it has come
      world.hub.streams.lose();
      await until(world, () => allTold(world));
    });
  }
});

test('engine test 15: the node that created EVENTS again dies: another one continues', async () => {
  let halfTold = 0;
  for (let seed = 1; seed <= 10; seed++) {
    await inWorld({ seed, nodes: 3, withinMs: minutes(10) }, async (world) => {
      await opened(world, ...ids);
      await tell(world, tallyId(0), 'add', { op: 'one' });
      await until(world, () => world.hub.streams.events.size > 0 && allTold(world));
      world.hub.streams.lose();
      // it has noticed, and has begun
      await pause(world, between(world.chance, 1, 6));
      const [maker = null] = world.processes;
      world.kill(seconds(2), maker);
      if (!allTold(world)) halfTold++;
      await until(world, () => allTold(world));
    });
  }
  expect(halfTold).toBeGreaterThan(5);
});

test('engine test 16: NATS is away for 10 min: owned actors are served, others are unknown, nothing is lost', async () => {
  for (let seed = 1; seed <= 3; seed++) {
    await inWorld({ seed, nodes: 3, withinMs: minutes(15) }, async (world) => {
      await opened(world, ...ids);
      const epochs = () => [...world.store.directory.partitions.values()].map(({ epoch }) => epoch);
      const before = epochs();
      for (const process of world.processes) world.cutBus(minutes(10), process);
      const backAt = world.scheduler.now() + minutes(10);
      const heard: string[] = [];
      for (let n = 0; world.scheduler.now() < backAt - seconds(20); n++) {
        for (const id of ids) {
          const owner = ownerOf(world, id);
          const near = await world.askFrom(owner, tallyAt(id), 'add', { op: `${id}.near${n}` }, merchant);
          expect(near).toMatchObject({ is: 'ok' });
          const asking = { ...merchant, identity: keyed(`${id}.far${n}`), waitMs: 500 };
          const far = await world.askFrom(
            otherThan(world, owner),
            tallyAt(id),
            'add',
            { op: `${id}.far${n}` },
            asking,
          );
          heard.push(far.is);
        }
        await pause(world, seconds(20));
      }
      expect(new Set(heard)).toEqual(new Set(['unknown']));
      expect(epochs(), 'where the bus is gone for all, everything stays where it is').toEqual(before);
      await until(world, () => world.scheduler.now() > backAt + seconds(1));
      for (const id of ids) {
        expect(await tell(world, id, 'add', { op: `${id}.back` })).toMatchObject({ is: 'ok' });
        expect(entriesOf(world, id).filter((entry) => entry.includes('near')).length).toBeGreaterThan(20);
      }
      await until(world, () => allTold(world));
    });
  }
});
