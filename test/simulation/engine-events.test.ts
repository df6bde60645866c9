/** Where one process owns everything, an event is stored with the commit that caused it. */
import { expect, test, vi } from 'vitest';
import { seconds } from '../../src/kernel/time.ts';
import { blockPositions } from '../../src/runtime/delivery/journal-positions.ts';
import type { Row } from '../../src/store/store.ts';
import { inWorld, longStories, until, writesOf } from './directed.ts';
import { simulate } from './simulation.ts';
import { tallyId, tallyScope } from './tally-work.ts';
import { entriesOf, opened, tell } from './telling.ts';
import type { World } from './world.ts';

vi.setConfig(longStories);

const a = tallyId(0);

const journalOf = (world: World): readonly Row[] => world.store.disk.rows('journal');
const placesIn = (world: World): readonly number[] => journalOf(world).map(({ body }) => Number(body['pos']));
const logOf = (world: World): { readonly busy: boolean; readonly body: unknown } | null =>
  world.store.disk.doc('event_log', tallyScope);

async function embedded(story: (world: World) => Promise<void>): Promise<void> {
  for (let seed = 1; seed <= 4; seed++)
    await inWorld({ seed, rowsInCommit: true, endsWithProcess: true }, story);
}

test('an event is in the journal at the instant of its commit, and its document has nothing to send', async () => {
  await embedded(async (world) => {
    await opened(world, a);
    let together = 0;
    world.store.interception.after = (request) => {
      if (writesOf(request, 'tally').length === 0) return;
      if (request.is === 'commit')
        together += request.writes.flatMap(({ rows }) => rows).filter(isEntry).length;
    };
    await tell(world, a, 'add', { op: 'one' });
    expect(together).toBe(1);
    expect(journalOf(world).map(({ id }) => id)).toContainEqual(expect.stringContaining(`tally/${a}:`));
    expect(world.store.disk.doc('tally', a)).toMatchObject({ busy: false, out: [] });
  });
});

test('after a while without events the log is at rest: everything it gave away is dispatched', async () => {
  await embedded(async (world) => {
    await opened(world, a);
    await tell(world, a, 'add', { op: 'one' });
    expect(logOf(world)?.busy).toBe(true);
    await until(world, () => logOf(world)?.busy === false);
    expect(logOf(world)?.body).toMatchObject({ pos: blockPositions, dispatched: blockPositions });
    await tell(world, a, 'add', { op: 'two' });
    expect(Math.max(...placesIn(world))).toBe(blockPositions + 1);
  });
});

test('a process that is killed gives no position twice, and what it has stored is dispatched by the next', async () => {
  await embedded(async (world) => {
    await opened(world, a);
    await tell(world, a, 'add', { op: 'one' });
    world.kill(100);
    await until(world, () => world.process?.serving === true);
    await tell(world, a, 'add', { op: 'two' });
    await until(world, () => logOf(world)?.busy === false);
    expect(entriesOf(world, a)).toEqual(['one', 'two']);
    expect(new Set(placesIn(world)).size).toBe(placesIn(world).length);
    expect(Math.max(...placesIn(world))).toBeGreaterThan(blockPositions);
  });
});

test('a log that does not answer stops no command: the event waits in the document until it does', async () => {
  await embedded(async (world) => {
    await opened(world, a);
    world.store.interception.before = (request) =>
      writesOf(request, 'event_log').length > 0 ? seconds(8) : 'land';
    expect((await tell(world, a, 'add', { op: 'one' })).is).toBe('ok');
    expect(world.store.disk.doc('tally', a)?.out).toMatchObject([{ type: 'event' }]);
    world.store.interception.before = () => 'land';
    await until(world, () => entriesOf(world, a).length === 1);
    await until(world, () => world.store.disk.doc('tally', a)?.busy === false);
  });
});

test('a build whose readers pass positions before their commits have ended is caught', async () => {
  const { wrong } = await simulate({ seed: 60, broken: 'readsPastGaps' });
  expect(wrong?.rule).toMatch(/what a reader was told to read of the journal is there/);
});

const isEntry = ({ kind }: Row): boolean => kind === 'journal';
