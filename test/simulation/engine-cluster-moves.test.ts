/** Partitions that change hands: takeovers, restarts, outages, clocks (the engine's list of demands, by number). */
import { expect, test, vi } from 'vitest';
import type { Actor } from '../../src/runtime/model/actor.ts';
import { minutes, seconds } from '../../src/kernel/time.ts';
import { sessionLifeMs } from '../../src/runtime/cluster/membership.ts';
import { pause } from './client.ts';
import { inWorld, longStories, until } from './directed.ts';
import { atHome, otherThan, ownerOf, partitionsOwned } from './homes.ts';
import { parts } from './parts.ts';
import { between } from './random.ts';
import { shop } from './shop-work.ts';
import { tally, tallyAt } from './tally.ts';
import { tallyScope } from './tally-work.ts';
import { entriesOf, opened, tell } from './telling.ts';
import type { World } from './world.ts';

vi.setConfig(longStories);

const merchant = { by: 'merchant', scope: tallyScope } as const;
const many = Array.from(
  { length: 48 },
  (_, n) => `tly_${'abcdefgh'[n % 8] ?? 'a'}${(n % 7) + 2}${String(n).padStart(22, '0')}`,
);

const epochs = (world: World): readonly number[] =>
  [...world.store.directory.partitions.values()].map(({ epoch }) => epoch);

test('engine test 9: a store that is away for 15 s causes no node to be declared dead and no move', async () => {
  for (let seed = 1; seed <= 5; seed++) {
    await inWorld({ seed, nodes: 3 }, async (world) => {
      await opened(world, ...many.slice(0, 8));
      const before = { epochs: epochs(world), names: world.processes.map(({ node }) => node.incarnation) };
      world.store.weather.awayUntil = world.scheduler.now() + seconds(15);
      await pause(world, seconds(15) + 500);
      for (const id of many.slice(0, 8))
        expect(await tell(world, id, 'add', { op: `after.${id}` })).toMatchObject({ is: 'ok' });
      await pause(world, seconds(10));
      expect(world.processes.map(({ node }) => node.incarnation)).toEqual(before.names);
      expect(epochs(world)).toEqual(before.epochs);
    });
  }
});

test('engine test 10: timers of a killed process all fire, once, within its session and 2 s', async () => {
  for (let seed = 1; seed <= 5; seed++) {
    await inWorld({ seed, nodes: 3 }, async (world) => {
      await opened(world, ...many);
      for (const id of many) void tell(world, id, 'wait', { op: 'alarm', ms: seconds(10) });
      await pause(world, seconds(9));
      const victim = ownerOf(world, many[0] ?? '');
      const theirs = many.filter((id) => ownerOf(world, id) === victim);
      expect(theirs.length).toBeGreaterThan(5);
      world.kill(minutes(1), victim);
      const killedAt = world.scheduler.now();
      await until(world, () => many.every((id) => entriesOf(world, id).includes('woke:alarm')));
      expect(world.scheduler.now() - killedAt).toBeLessThanOrEqual(sessionLifeMs + seconds(2));
    });
  }
});

/** Asks through any door until told to stop; tells what it was answered. */
async function load(world: World, id: string, over: () => boolean): Promise<readonly string[]> {
  const heard: string[] = [];
  for (let n = 0; !over(); n++) {
    heard.push((await tell(world, id, 'add', { op: `${id}.${n}` })).is);
    await pause(world, between(world.chance, 10, 100));
  }
  return heard;
}

test('engine test 12: three processes are restarted one after the other, and no ask of the load fails', async () => {
  for (let seed = 1; seed <= 2; seed++) {
    await inWorld({ seed, nodes: 3 }, async (world) => {
      const ids = many.slice(0, 6);
      await opened(world, ...ids);
      let over = false;
      const clients = ids.map((id) => load(world, id, () => over));
      for (const process of world.processes.slice()) {
        await pause(world, seconds(2));
        // its doors close first and finish what they have in hand
        process.serving = false;
        await until(world, () => process.hangUp.size === 0);
        await world.stop(500, process);
        await until(world, () => world.whole && atHome(world));
      }
      over = true;
      const heard = (await Promise.all(clients)).flat();
      expect(heard.length).toBeGreaterThan(200);
      expect(heard.filter((is) => is !== 'ok')).toEqual([]);
    });
  }
});

const newer = {
  ...parts,
  actors: parts.actors.map((actor): Actor =>
    actor.kind === tally.kind ? ({ ...tally, schema: 2, upcast: (body: unknown) => body } as never) : actor,
  ),
};

test('engine test 13: a node refuses what a newer version wrote, and its partition goes to a node that reads it', async () => {
  for (let seed = 1; seed <= 3; seed++) {
    // the first process runs the next version, the second does not know it; one more of the next version comes later
    const partsOf = (boot: number) => (boot === 2 ? parts : newer);
    await inWorld({ seed, nodes: 2, partsOf }, async (world) => {
      const [next, old] = ['n:1', 'n:2'].map((name) =>
        world.processes.find((one) => one.incarnation === name),
      );
      if (next === undefined || old === undefined) throw new Error('two processes');
      const id = many.find((one) => ownerOf(world, one) === next) ?? '';
      await opened(world, id);
      expect(world.store.disk.doc('tally', id)?.sv).toBe(2);
      world.kill(seconds(30), next);
      await until(world, () => partitionsOwned(world).every((owner) => owner === old));
      const refused = await world.askFrom(
        old,
        tallyAt(id),
        'add',
        { op: 'refused' },
        { ...merchant, waitMs: 2000 },
      );
      expect(refused.is).not.toBe('ok');
      await until(world, () => world.whole && atHome(world) && ownerOf(world, id) !== old);
      expect(await world.askFrom(old, tallyAt(id), 'add', { op: 'one' }, merchant)).toMatchObject({
        is: 'ok',
      });
      expect(entriesOf(world, id)).toEqual(['one']);
    });
  }
});

test('engine test 19: a node whose wall clock jumps takes no part until it is corrected; the others continue', async () => {
  for (const by of [-90, 90]) {
    await inWorld({ seed: 1, nodes: 3 }, async (world) => {
      world.jumped = true;
      await opened(world, ...many.slice(0, 12));
      const wrong = ownerOf(world, many[0] ?? '');
      const first = wrong.node.incarnation;
      wrong.scheduler.jump(seconds(by));
      await until(world, () => world.store.directory.nodes.get(first)?.state === 'dead');
      await until(world, () => !partitionsOwned(world).includes(wrong));
      const other = otherThan(world, wrong);
      for (const id of many.slice(0, 12)) {
        const asking = { ...merchant, waitMs: seconds(10) };
        expect(await world.askFrom(other, tallyAt(id), 'add', { op: id }, asking)).toMatchObject({
          is: 'ok',
        });
      }
      expect(partitionsOwned(world)).not.toContain(wrong);
      wrong.scheduler.setRight();
      await until(world, () => partitionsOwned(world).includes(wrong) && atHome(world));
      expect(wrong.node.incarnation).not.toBe(first);
    });
  }
});

test('engine test 20: callbacks, look-ups, expiry and kills race on three nodes: one outcome, with the money in it', async () => {
  for (let seed = 1; seed <= 10; seed++) {
    await inWorld({ seed, nodes: 3, withinMs: minutes(20) }, async (world) => {
      world.outsideTrouble = 0.2;
      let over = false;
      const strike = async (): Promise<void> => {
        while (!over) {
          await pause(world, between(world.chance, 1000, 12_000));
          if (over) return;
          if (world.chance() < 0.5) world.kill(between(world.chance, 1, 3000));
          else world.freeze(between(world.chance, 500, 20_000));
        }
      };
      void strike();
      await shop(world, { endpoints: 1, sessions: 3, pauseMsMax: 3000, advances: 0 });
      over = true;
    });
  }
});
