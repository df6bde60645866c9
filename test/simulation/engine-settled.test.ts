/** Events that are logged: their document is not written again for them, nothing is lost, and little is repeated. */
import { expect, test, vi } from 'vitest';
import { seconds } from '../../src/kernel/time.ts';
import type { Doc } from '../../src/store/store.ts';
import { pause } from './client.ts';
import { inWorld, longStories, until } from './directed.ts';
import { tallyId, tallyScope } from './tally-work.ts';
import { entriesOf, opened, tell } from './telling.ts';
import type { World } from './world.ts';

vi.setConfig(longStories);

const [a, b] = [tallyId(0), tallyId(1)];

/** Where rows are written apart from their documents, events wait in `out`. */
async function apart(seeds: number, story: (world: World) => Promise<void>): Promise<void> {
  for (let seed = 1; seed <= seeds; seed++) await inWorld({ seed, rowsInCommit: false }, story);
}

const docOf = (world: World, id = a): Doc => {
  const doc = world.store.disk.doc('tally', id);
  if (doc === null) throw new Error('it exists');
  return doc;
};
/** The last position of the log: it rises with each event that is sent, also with a repeated one. */
const sent = (world: World): number =>
  Number(world.store.disk.doc('event_log', tallyScope)?.body?.['pos'] ?? 0);

test('when only events are left, the document is not busy any more and is not written again', async () => {
  await apart(4, async (world) => {
    await opened(world, a);
    await tell(world, a, 'add', { op: 'one' });
    await until(world, () => !docOf(world).busy);
    await pause(world, seconds(60));
    expect(docOf(world)).toMatchObject({ v: 2, busy: false });
    expect(docOf(world).out.length).toBeGreaterThan(0);
  });
});

test('its next turn takes the rows along, and sends nothing again', async () => {
  await apart(4, async (world) => {
    await opened(world, a);
    await tell(world, a, 'add', { op: 'one' });
    await until(world, () => !docOf(world).busy);
    await tell(world, a, 'add', { op: 'two' });
    expect(docOf(world).out.filter(({ type }) => type === 'event')).toHaveLength(1);
    await until(world, () => !docOf(world).busy);
    expect(sent(world)).toBe(2);
  });
});

test('a process after it finds nothing to send, also when it loads the actor', async () => {
  await apart(4, async (world) => {
    await opened(world, a);
    await tell(world, a, 'add', { op: 'one' });
    await until(world, () => !docOf(world).busy);
    world.kill(100);
    await until(world, () => world.process?.serving === true);
    await pause(world, seconds(70));
    expect((await tell(world, a, 'addIfOdd', { op: 'two' })).is).toBe('ok');
    await until(world, () => !docOf(world).busy);
    expect(entriesOf(world, a)).toEqual(['one', 'two']);
    expect(sent(world)).toBe(2);
  });
});

test('a process that dies before the store hears of it sends the events once more, and none is lost', async () => {
  await apart(4, async (world) => {
    await opened(world, a);
    world.store.interception.before = ({ is }) => (is === 'settle' ? 'drop' : 'land');
    await tell(world, a, 'add', { op: 'one' });
    await pause(world, seconds(20));
    expect(docOf(world).busy).toBe(true);
    world.store.interception.before = () => 'land';
    world.kill(100);
    await until(world, () => !docOf(world).busy);
    expect(world.store.disk.rows('journal')).toHaveLength(1);
    expect(sent(world)).toBe(2);
  });
});

test('a store that does not answer is told again, without a commit', async () => {
  await apart(4, async (world) => {
    await opened(world, a);
    let dropped = 0;
    world.store.interception.before = ({ is }) => (is === 'settle' && ++dropped <= 2 ? 'drop' : 'land');
    await tell(world, a, 'add', { op: 'one' });
    await until(world, () => !docOf(world).busy);
    expect(docOf(world).v).toBe(2);
    expect(dropped).toBeGreaterThan(2);
  });
});

test('what is settled late changes nothing of a later version', async () => {
  await apart(4, async (world) => {
    await opened(world, a, b);
    world.store.interception.before = ({ is }) => (is === 'settle' ? seconds(4) : 'land');
    await tell(world, a, 'add', { op: 'one' });
    await pause(world, seconds(7));
    await tell(world, a, 'pass', { op: 'two', to: b });
    await until(world, () => !docOf(world).busy && !docOf(world, b).busy);
    expect(entriesOf(world, b)).toHaveLength(1);
  });
});

test('after a tell the document is written again: its target waits to hear that nothing more comes', async () => {
  await apart(4, async (world) => {
    await opened(world, a, b);
    await tell(world, a, 'pass', { op: 'one', to: b });
    await until(world, () => !docOf(world).busy);
    expect(docOf(world)).toMatchObject({ v: 3, out: [] });
  });
});

test('on another node after a takeover nothing is sent again', async () => {
  await inWorld({ seed: 3, nodes: 3 }, async (world) => {
    await opened(world, a);
    await tell(world, a, 'add', { op: 'one' });
    await until(world, () => !docOf(world).busy);
    for (const process of world.processes.slice()) {
      world.kill(100, process);
      await pause(world, seconds(20));
    }
    await pause(world, seconds(70));
    expect((await tell(world, a, 'addIfOdd', { op: 'two' })).is).toBe('ok');
    await until(world, () => !docOf(world).busy);
    expect(sent(world)).toBe(2);
  });
});
