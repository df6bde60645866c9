/** What leaves an actor, through crashes at the worst instants (the engine's list of demands, by number). */
import { expect, test, vi } from 'vitest';
import { seconds } from '../../src/kernel/time.ts';
import type { Doc } from '../../src/store/store.ts';
import type { Request } from '../support/simulated/store-sim-line.ts';
import { pause } from './client.ts';
import { everyWay, inWorld, killWhen, longStories, until, writesOf } from './directed.ts';
import { tallyAt } from './tally.ts';
import { tallyId, tallyScope } from './tally-work.ts';
import { entriesOf, opened, tell, tellUntilKnown } from './telling.ts';
import type { World } from './world.ts';

vi.setConfig(longStories);

const [a, b] = [tallyId(0), tallyId(1)];

const rowsOf = (request: Request, kind: string): number =>
  request.is === 'rows' ? request.rows.filter((row) => row.kind === kind).length : 0;

test('engine test 22: after a crash between commit and view rows nothing is sent before they are written', async () => {
  for (let seed = 1; seed <= 20; seed++) {
    await inWorld({ seed }, async (world) => {
      await opened(world, a, b);
      const killed = killWhen(world, 'before', (request) => rowsOf(request, 'tally_part') > 0, 50);
      expect((await tell(world, a, 'pass', { op: 'one', to: b })).is).toBe('unknown');
      expect(killed.done).toBe(true);
      expect(entriesOf(world, a)).toEqual(['one']);
      const part = (): unknown => world.store.disk.row('tally_part', `tlp_${a.slice(4)}a`)?.body['sequence'];
      expect(part()).toBe(0);
      // whoever meets it first - a read, a list, a scan, a command - writes them before it says a word
      await until(world, () => world.process?.serving === true);
      await Promise.all([
        world.read(tallyAt(a), tallyScope),
        world.list('tally', tallyScope),
        tell(world, a, 'addIfOdd', { op: 'two' }),
      ]);
      expect(part()).toBe(2);
    });
  }
});

/** Where a `once` effect can be interrupted, and how often its other side may have been called then. */
const ringing: readonly (readonly [string, (world: World) => unknown, readonly number[]])[] = [
  ['before it is begun', (world) => killWhen(world, 'before', (sent) => triesIn(sent, 1)), [1]],
  ['between the begin and the call', (world) => killWhen(world, 'after', (sent) => triesIn(sent, 1)), [0]],
  ['in the call, which never arrives', (world) => dieInTheCall(world, 'before'), [0]],
  ['in the call, which has arrived', (world) => dieInTheCall(world, 'after'), [1]],
  ['between the answer and its result', (world) => killWhen(world, 'before', (sent) => resultIn(sent)), [1]],
  ['after the result is committed', (world) => killWhen(world, 'after', (sent) => resultIn(sent)), [1]],
];

test.each(ringing)('engine test 23: a kill %s: one call at most', async (_when, strike, calls) => {
  await everyWay(20, async (world) => {
    await opened(world, a);
    strike(world);
    await tellUntilKnown(world, a, 'ring', { op: 'bell', mode: 'once' }, 'bell');
    await until(world, () => entriesOf(world, a).length === 2);
    await until(world, () => world.boots === 2);
    expect(calls).toContain(world.ledger.rings.get('bell')?.once ?? 0);
    expect(entriesOf(world, a).filter((entry) => entry.startsWith('rung:'))).toHaveLength(1);
  });
});

const triesIn = (request: Request, tries: number): boolean =>
  writesOf(request, 'tally').some(({ doc }) =>
    doc.out.some((row) => row.type === 'effect' && row.kind === 'bell.once' && row.tries === tries),
  );

const resultIn = (request: Request): boolean =>
  writesOf(request, 'tally').some(({ doc }) =>
    ((doc.body?.['entries'] ?? []) as readonly string[]).some((entry) => entry.startsWith('rung:')),
  );

/** The process dies while its call is on the wire: `before` it arrives at the other side, or after. */
function dieInTheCall(world: World, when: 'before' | 'after'): void {
  const outside = world.outside.bind(world);
  world.outside = (process, arrive) => {
    world.outside = outside;
    if (when === 'after') arrive();
    world.kill(100);
    return new Promise(() => undefined);
  };
}

test("engine test 24: a kill between a tell's answer and its clearing: it arrives once", async () => {
  for (const killAfterMs of [1, 3, 100, 900, 999, 1001, 1010]) {
    await everyWay(4, async (world) => {
      await opened(world, a, b);
      const arrived = new Promise<void>((resolve) => {
        world.store.interception.after = (request) => {
          if (writesOf(request, 'tally').some(({ doc }) => doc.id === b && doc.v === 2)) resolve();
        };
      });
      await tell(world, a, 'pass', { op: 'one', to: b });
      await tell(world, a, 'pass', { op: 'two', to: b });
      await arrived;
      await pause(world, killAfterMs);
      world.kill(100);
      await until(world, (doc) => isClear(doc('tally', a)) && entriesOf(world, b).length === 2);
      expect(entriesOf(world, b)).toEqual([`received:one:tally/${a}`, `received:two:tally/${a}`]);
    });
  }
});

const isClear = (doc: Doc | null): boolean => doc !== null && !doc.busy;

test('a target drops outcomes only when its senders have committed that they are settled', async () => {
  // a tell's answer, its clearing and the bare `done` after it each meet a kill; the laws watch `done`
  for (let seed = 1; seed <= 20; seed++) {
    await inWorld({ seed, rowsInCommit: seed % 2 === 0 }, async (world) => {
      await opened(world, a, b);
      for (const op of ['one', 'two', 'three', 'four']) {
        await tellUntilKnown(world, a, 'pass', { op, to: b }, op);
        await pause(world, (seed * 37) % 1300);
        world.kill(20);
        await pause(world, 100);
      }
      await until(world, (doc) => isClear(doc('tally', a)) && entriesOf(world, b).length === 4);
    });
  }
});

test('engine test 19: a wall clock that jumps loses no timer and no clearing', async () => {
  for (const jump of [-90, -10, 10, 90, 3600]) {
    await everyWay(4, async (world) => {
      await opened(world, a, b);
      await tell(world, a, 'wait', { op: 'alarm', ms: 5000 });
      await tell(world, a, 'pass', { op: 'one', to: b });
      await pause(world, 900);
      world.process?.scheduler.jump(seconds(jump));
      await tell(world, b, 'pass', { op: 'two', to: a });
      await until(world, (doc) => isClear(doc('tally', a)) && isClear(doc('tally', b)));
      await until(world, () => entriesOf(world, a).includes('woke:alarm'));
      expect(entriesOf(world, a)).toContain(`received:two:tally/${b}`);
    });
  }
});

test("engine test 11: a dead process's late commit is found: timer, event and effect", async () => {
  for (const known of [false, true]) {
    await everyWay(6, async (world) => {
      await opened(world, a);
      await until(world, (doc) => isClear(doc('tally', a)));
      let held = 0;
      world.store.interception.before = (request) =>
        request.is === 'commit' && writesOf(request, 'tally').length > 0 && ++held === 1
          ? seconds(30)
          : 'land';
      void tell(world, a, 'wait', { op: 'alarm', ms: 5000 });
      void tell(world, a, 'ring', { op: 'bell', mode: 'again' });
      await pause(world, 30);
      world.kill(100);
      await until(world, () => world.process?.serving === true);
      // once with the actor's older state in memory, once without
      if (known) expect((await tell(world, a, 'addIfOdd', { op: 'no' })).is).toBe('refused');
      await pause(world, seconds(20));
      expect(entriesOf(world, a)).toEqual([]);
      const landed = world.scheduler.now() + seconds(15);
      await until(world, () => entriesOf(world, a).length === 4);
      expect(world.scheduler.now()).toBeLessThan(landed + seconds(62));
      await until(world, () => world.store.disk.rows('journal').length === 4);
    });
  }
});

test('a new process sends at once what its predecessor had not sent', async () => {
  await everyWay(10, async (world) => {
    await opened(world, a, b);
    await pause(world, seconds(10));
    killWhen(world, 'after', (request) =>
      writesOf(request, 'tally').some(({ doc }) => doc.out.some((row) => row.type === 'tell')),
    );
    await tell(world, a, 'pass', { op: 'one', to: b });
    await until(world, () => world.process?.serving === true);
    const served = world.scheduler.now();
    await until(
      world,
      () => entriesOf(world, b).length === 1 && world.store.disk.rows('journal').length === 2,
    );
    expect(world.scheduler.now() - served).toBeLessThan(seconds(2));
  });
});
