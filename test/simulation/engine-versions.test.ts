/** Two versions of one service side by side, going forward and back: every written document can be read by
 *  every living process; what only the newer one could write waits; nothing is lost. */
import { expect, test, vi } from 'vitest';
import { seconds } from '../../src/kernel/time.ts';
import { pause } from './client.ts';
import { inWorld, longStories, until } from './directed.ts';
import { atHome, ownerOf, partitionsOwned } from './homes.ts';
import { parts } from './parts.ts';
import type { Parts, Process } from './process.ts';
import { tally } from './tally.ts';
import { entriesOf, opened, tell } from './telling.ts';
import { nextParts as newer } from './versions.ts';
import type { World } from './world.ts';

vi.setConfig(longStories);

/** Four in each partition. */
const many = Array.from('0123456789abcdefghjkmnpqrstvwxyz', (first) => `tly_${first.padEnd(24, '2')}`);
const few = many.filter((_, n) => n % 4 === 0);

const storedIn = (world: World, id: string): number | undefined => world.store.disk.doc('tally', id)?.sv;
const settled = (world: World): Promise<void> => until(world, () => world.whole && atHome(world));

/** Schemas of tallies that land from now on. */
function landing(world: World): Set<number> {
  const seen = new Set<number>();
  world.store.interception.after = (request) => {
    if (request.is !== 'commit') return;
    for (const { doc } of request.writes) if (doc.kind === tally.kind && doc.body !== null) seen.add(doc.sv);
  };
  return seen;
}

/** A process is told to stop, and its replacement has started. */
async function replace(world: World, process: Process): Promise<void> {
  process.serving = false;
  await until(world, () => process.hangUp.size === 0);
  await world.stop(500, process);
  await settled(world);
}

/** Asks for the given time; returns the answers. */
async function load(world: World, id: string, over: () => boolean): Promise<readonly string[]> {
  const heard: string[] = [];
  for (let n = 0; !over(); n++) {
    heard.push((await tell(world, id, 'add', { op: `${id}.${n}` })).is);
    await pause(world, 200);
  }
  return heard;
}

test('a rolling upgrade under load: no ask fails, and no old node reads a document it cannot read', async () => {
  for (let seed = 1; seed <= 2; seed++) {
    const partsOf = (boot: number): Parts => (boot > 3 ? newer : parts);
    await inWorld({ seed, nodes: 3, partsOf }, async (world) => {
      await opened(world, ...many);
      let over = false;
      const clients = few.map((id) => load(world, id, () => over));
      const schemas = landing(world);
      const [first, second, last] = world.processes;
      if (first === undefined || second === undefined || last === undefined)
        throw new Error('three processes');
      await replace(world, first);
      await replace(world, second);
      const mine = many.filter((id) => ownerOf(world, id) !== last);
      expect(mine.length).toBeGreaterThan(8);
      for (const id of mine)
        expect(await tell(world, id, 'add', { op: `loud.${id}` })).toMatchObject({ is: 'not_executed' });
      expect([...schemas]).toEqual([1]);
      await replace(world, last);
      over = true;
      expect((await Promise.all(clients)).flat().filter((is) => is !== 'ok')).toEqual([]);
      for (const id of mine) {
        expect(await tell(world, id, 'add', { op: `loud.${id}` })).toMatchObject({ is: 'ok' });
        expect(world.store.disk.doc('tally', id)).toMatchObject({ sv: 2, body: { loud: [`loud.${id}`] } });
      }
    });
  }
});

test('an older node that returns owns what it can read, and hands over the rest', async () => {
  for (let seed = 1; seed <= 2; seed++) {
    const partsOf = (boot: number): Parts => (boot === 4 ? parts : newer);
    await inWorld({ seed, nodes: 3, partsOf }, async (world) => {
      await opened(world, ...many);
      const [loud, plain] = [few, many.filter((id) => !few.includes(id))];
      for (const id of loud) await tell(world, id, 'add', { op: `loud.${id}` });
      expect(many.map((id) => storedIn(world, id))).toEqual(many.map(() => 2));
      const [first] = world.processes;
      if (first === undefined) throw new Error('three processes');
      await replace(world, first);
      for (const id of many) expect(await tell(world, id, 'add', { op: id })).toMatchObject({ is: 'ok' });
      const older = world.processes.find(({ incarnation }) => incarnation === 'n:4');
      expect(loud.map((id) => storedIn(world, id))).toEqual(loud.map(() => 2));
      for (const id of loud) expect(ownerOf(world, id)).not.toBe(older);
      // what it has not met yet it may keep
      expect(plain.filter((id) => storedIn(world, id) === 1).length).toBeGreaterThan(0);
      for (const id of loud) expect(entriesOf(world, id)).toEqual([`loud.${id}`, id]);
    });
  }
});

test('rolled back too far, unreadable documents stay unchanged, and are used again with the newer version', async () => {
  const partsOf = (boot: number): Parts => (boot <= 2 || boot > 4 ? newer : parts);
  await inWorld({ seed: 1, nodes: 2, partsOf }, async (world) => {
    const [id = '', other = ''] = few;
    await opened(world, id, other);
    await tell(world, id, 'add', { op: 'loud.one' });
    const text = (): string | null => world.store.disk.text('tally', id);
    const before = text();
    for (const process of world.processes.slice()) await replace(world, process);
    await until(world, () => partitionsOwned(world).every((owner) => owner !== null));
    const asked = tell(world, id, 'add', { op: 'two' }, { waitMs: seconds(3) });
    expect(await asked).toMatchObject({ is: 'not_executed' });
    expect(text()).toBe(before);
    const [first] = world.processes;
    if (first === undefined) throw new Error('two processes');
    await replace(world, first);
    expect(await tell(world, id, 'add', { op: 'two' }, { waitMs: seconds(20) })).toMatchObject({ is: 'ok' });
    expect(entriesOf(world, id)).toEqual(['loud.one', 'two']);
  });
});
