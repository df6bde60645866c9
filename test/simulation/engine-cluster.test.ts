/** Several processes, one state: paused owners, late commits, purged actors, a primary that rolls back (the engine's list of
 *  demands, by number). Each law has its broken build beside it: the same scenario must fail there. */
import { expect, test, vi } from 'vitest';
import { seconds } from '../../src/kernel/time.ts';
import type { Break } from './breaks.ts';
import { pause } from './client.ts';
import { type StoryOptions, inWorld, longStories, until } from './directed.ts';
import { atHome, otherThan, ownerOf } from './homes.ts';
import { tallyAt } from './tally.ts';
import { tallyId, tallyScope } from './tally-work.ts';
import { entriesOf, keyed, opened, tell, tellUntilKnown } from './telling.ts';
import type { World } from './world.ts';

vi.setConfig(longStories);

const a = tallyId(0);
const merchant = { by: 'merchant', scope: tallyScope } as const;

type Story = (world: World) => Promise<void>;

/** The scenario succeeds every time it is run. */
async function holds(times: number, nodes: number, story: Story, more: StoryOptions = {}): Promise<void> {
  for (let seed = 1; seed <= times; seed++) await inWorld({ seed, nodes, ...more }, story);
}

/** One telling of it in this build ends badly. */
async function breaks(broken: Break, nodes: number, story: Story): Promise<void> {
  let caught = 0;
  for (let seed = 1; seed <= 5; seed++)
    await inWorld({ seed, nodes, broken }, story).catch(() => {
      caught += 1;
    });
  expect(caught, `a build with ${broken}`).toBeGreaterThan(0);
}

/** The owner of `a` dies with a change on the wire; another owns it before that lands. */
async function diesSending(world: World, lateMs: number): Promise<void> {
  await opened(world, a);
  await pause(world, seconds(10));
  const [before, other] = [ownerOf(world, a), otherThan(world, ownerOf(world, a))];
  world.killSending(a, lateMs, seconds(60));
  void world.askFrom(other, tallyAt(a), 'add', { op: 'late' }, { ...merchant, waitMs: 1000 });
  await until(world, () => !before.alive);
  await until(world, () => atHome(world));
}

const lateAnswer: Story = async (world) => {
  await diesSending(world, seconds(20));
  const began = world.scheduler.now();
  let newest = 0;
  // answers that change nothing, through every door, while the write of the dead one lands
  while (world.scheduler.now() < began + seconds(20)) {
    for (const process of world.processes) {
      await world.askFrom(process, tallyAt(a), 'open', {}, merchant);
      // as lists do, which read the store
      const stored = await process.node.client.readStored('tally', [a]);
      newest = Math.max(newest, stored.get(a)?.v ?? 0);
      const shown = await world.readFrom(process, tallyAt(a), tallyScope);
      expect(shown?.v ?? newest).toBeGreaterThanOrEqual(newest);
    }
    await pause(world, 300);
  }
};

test('engine test 6: an owner answers nothing from a document of an older epoch before it has stamped it', async () => {
  await holds(5, 3, async (world) => {
    await lateAnswer(world);
    expect(entriesOf(world, a)).toEqual([]);
  });
});

test('engine test 6: without the stamp a reader sees an older state after a newer one', async () => {
  await breaks('noStamp', 3, lateAnswer);
});

test('engine test 4: a write that arrives 30 s late under an older epoch matches nothing', async () => {
  await holds(5, 3, async (world) => {
    await diesSending(world, seconds(30));
    expect(await tell(world, a, 'add', { op: 'next' })).toMatchObject({ is: 'ok', detail: { place: 0 } });
    await pause(world, seconds(40));
    expect(entriesOf(world, a)).toEqual(['next']);
  });
});

const pausedOwner: Story = async (world) => {
  await opened(world, a);
  const owner = ownerOf(world, a);
  const incarnation = owner.node.incarnation;
  world.freeze(seconds(60), owner);
  await until(world, () => world.store.directory.nodes.get(incarnation)?.state === 'dead');
  const other = otherThan(world, owner);
  const add = (n: number) =>
    world.askFrom(other, tallyAt(a), 'add', { op: `add.${n}` }, { ...merchant, identity: keyed(`add.${n}`) });
  await pause(world, seconds(3));
  for (let n = 0; n < 10; n++) {
    expect(await add(n)).toMatchObject({ is: 'ok', detail: { place: n } });
    await pause(world, seconds(6));
    // it has come to itself by the end: what it still believes is nobody's business
    if (world.processes.includes(owner)) void world.readFrom(owner, tallyAt(a), tallyScope);
  }
  await until(world, () => owner.node.incarnation !== incarnation);
  expect(await world.readFrom(owner, tallyAt(a), tallyScope)).toMatchObject({
    state: { entries: Array.from({ length: 10 }, (_, n) => `add.${n}`) },
  });
};

test('engine test 5: an owner that was paused for 60 s answers nothing for actors that another node owns by then', async () => {
  await holds(5, 3, pausedOwner);
});

test('engine test 7: a write sent by a dead process never restores a purged actor', async () => {
  const story: Story = async (world) => {
    world.store.weather.tombstoneMs = seconds(60);
    await diesSending(world, seconds(120));
    expect(await tell(world, a, 'remove', {})).toMatchObject({ is: 'ok' });
    await pause(world, seconds(150));
    expect(world.store.disk.text('tally', a)).toBeNull();
  };
  await holds(5, 3, story);
  await breaks('upsertAfterCreation', 3, story);
});

test('engine test 8: a primary without its majority rolls back; acknowledged writes stay', async () => {
  await holds(10, 3, async (world) => {
    await opened(world, a);
    const [truth, members] = [world.store.disk, world.store.replicas];
    expect(await tell(world, a, 'add', { op: 'before' })).toMatchObject({ is: 'ok' });
    Object.assign(world.store.weather, { lost: 1, forkedMsMax: seconds(4), answerMsMax: 800 });
    const asked = tell(world, a, 'add', { op: 'in doubt' }, { identity: keyed('doubt'), waitMs: seconds(2) });
    let forked = false;
    for (let looks = 0; looks < 200; looks++) {
      const now = world.scheduler.now();
      const there = members.local({ kind: 'tally', id: a }, truth.readDoc('tally', a), 0, now);
      forked ||= JSON.stringify(there?.body).includes('in doubt');
      await pause(world, 10);
    }
    expect(forked, 'somebody could have seen it').toBe(true);
    expect(await asked).toEqual({ is: 'unknown' });
    expect(entriesOf(world, a)).toEqual(['before']);
    Object.assign(world.store.weather, { lost: 0, forkedMsMax: 0 });
    expect(await tellUntilKnown(world, a, 'add', { op: 'in doubt' }, 'doubt')).toMatchObject({ is: 'ok' });
    expect(entriesOf(world, a)).toEqual(['before', 'in doubt']);
  });
});

test('engine test 14: the same identity a thousand times from four nodes has one effect and one answer', async () => {
  await holds(3, 4, async (world) => {
    await opened(world, a);
    const heard = new Set<string>();
    const copy = (n: number) => {
      const process = world.processes[n % 4];
      if (process === undefined) throw new Error('four processes');
      const asking = { ...merchant, identity: keyed('one'), again: n > 0 };
      return world.askFrom(process, tallyAt(a), 'add', { op: 'one' }, asking);
    };
    for (let wave = 0; wave < 10; wave++) {
      const answers = await Promise.all(Array.from({ length: 100 }, (_, n) => copy(wave * 100 + n)));
      for (const answer of answers) heard.add(JSON.stringify(answer));
    }
    expect([...heard]).toEqual([JSON.stringify({ is: 'ok', v: 2, detail: { place: 0 } })]);
    expect(entriesOf(world, a)).toEqual(['one']);
  });
});
