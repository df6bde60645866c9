/** Deadlines, memories of senders, refused tells and full disks: what must hold at their limits. */
import { expect, test, vi } from 'vitest';
import { seconds } from '../../src/kernel/time.ts';
import type { Request } from '../support/simulated/store-sim-line.ts';
import { pause } from './client.ts';
import { everyWay, inWorld, killWhen, longStories, until, writesOf } from './directed.ts';
import { tallyId } from './tally-work.ts';
import { entriesOf, opened, tell, tellUntilKnown } from './telling.ts';
import type { World } from './world.ts';

vi.setConfig(longStories);

const [a, b] = [tallyId(0), tallyId(1)];

test('a command that waited past its deadline is never executed', async () => {
  await everyWay(10, async (world) => {
    await opened(world, a);
    await pause(world, seconds(20));
    // the first commit takes its time; what waits behind it is over before its turn comes
    let held = false;
    world.store.interception.before = (request) => {
      if (held || writesOf(request, 'tally').length === 0) return 'land';
      held = true;
      return 800;
    };
    const first = tell(world, a, 'add', { op: 'first' });
    await pause(world, 50);
    const late = await tell(world, a, 'add', { op: 'late' }, { waitMs: 100 });
    expect(late.is).toBe('unknown');
    expect(await first).toMatchObject({ is: 'ok' });
    expect(await tell(world, a, 'add', { op: 'next' })).toMatchObject({ is: 'ok' });
    expect(entriesOf(world, a)).toEqual(['first', 'next']);
  });
});

test('unsettled outcomes of a sender are kept, down to the first above `done`', async () => {
  await everyWay(10, async (world) => {
    await opened(world, a);
    const sent = (seq: number, done: number) =>
      tell(world, a, 'add', { op: `op${seq}` }, { identity: { from: 'k:many', seq, done } });
    const first = [await sent(1, 0), await sent(2, 0), await sent(3, 0)];
    expect(await sent(4, 1)).toMatchObject({ is: 'ok' });
    // the first is settled: its late copy meets nothing, the others their outcome
    expect(await sent(1, 0)).toEqual({ is: 'unknown' });
    expect(await sent(2, 1)).toEqual(first[1]);
    expect(await sent(3, 1)).toEqual(first[2]);
    expect(entriesOf(world, a)).toEqual(['op1', 'op2', 'op3', 'op4']);
  });
});

/** b refuses while it is empty. */
const passed = (world: World) => tellUntilKnown(world, a, 'passIfOdd', { op: 'one', to: b }, 'one');
const ends = (world: World): readonly string[] =>
  [...entriesOf(world, a), ...entriesOf(world, b)].filter((entry) =>
    /^(?:returned|received):one/.test(entry),
  );

/** Whether this is the commit of a refusal at the sender of the tell. */
const bringsBack = (request: Request): boolean =>
  writesOf(request, 'tally').some(({ doc }) =>
    ((doc.body?.['entries'] ?? []) as readonly string[]).some((entry) => entry.startsWith('returned:')),
  );

test('a refused tell returns to its sender, once', async () => {
  await everyWay(10, async (world) => {
    await opened(world, a, b);
    await passed(world);
    await until(world, () => ends(world).length === 1);
    expect(entriesOf(world, a)).toEqual(['one', 'returned:one:even']);
    await pause(world, seconds(5));
    expect(world.store.disk.doc('tally', a)?.out.some(({ type }) => type === 'tell')).toBe(false);
    expect(ends(world)).toHaveLength(1);
  });
});

test.each(['before', 'after'] as const)(
  'a kill %s the refusal is committed at its sender: the tell has one end',
  async (when) => {
    await everyWay(20, async (world) => {
      await opened(world, a, b);
      const killed = killWhen(world, when, bringsBack);
      await passed(world);
      await until(world, () => killed.done);
      // meanwhile the target would take it
      await tellUntilKnown(world, b, 'add', { op: 'odd' }, 'odd');
      await until(world, () => ends(world).length > 0);
      await pause(world, seconds(70));
      expect(ends(world)).toEqual(['returned:one:even']);
    });
  },
);

test('a refusal whose commit is applied late is not undone by a copy that succeeds', async () => {
  await everyWay(20, async (world) => {
    await opened(world, a, b);
    let late = false;
    world.store.interception.before = (request) => {
      if (late || !bringsBack(request)) return 'land';
      late = true;
      world.scheduler.after(0, () => world.kill(100));
      return 900;
    };
    await passed(world);
    await until(world, () => late);
    await tellUntilKnown(world, b, 'add', { op: 'odd' }, 'odd');
    await pause(world, seconds(70));
    expect(ends(world)).toEqual(['returned:one:even']);
  });
});

test('a write in doubt that meets a full disk is still in doubt', async () => {
  await everyWay(10, async (world) => {
    await opened(world, a);
    await pause(world, seconds(20));
    Object.assign(world.store.weather, { silent: 1, answerMsMax: 300 });
    const answer = tell(world, a, 'add', { op: 'one' });
    await until(world, () => entriesOf(world, a).length === 1);
    Object.assign(world.store.weather, { silent: 0, fullUntil: world.scheduler.now() + seconds(3) });
    expect(await answer).toMatchObject({ is: 'ok', detail: { place: 0 } });
    expect(entriesOf(world, a)).toEqual(['one']);
  });
});

test('while the disk is full gateways get that answer, and a timer waits for space', async () => {
  await everyWay(10, async (world) => {
    await opened(world, a);
    await tell(world, a, 'wait', { op: 'alarm', ms: seconds(21) });
    await pause(world, seconds(20));
    world.store.weather.fullUntil = world.scheduler.now() + seconds(5);
    const refused = await tell(world, a, 'add', { op: 'no' });
    expect(refused).toMatchObject({ is: 'not_executed', why: 'overloaded' });
    await until(world, () => entriesOf(world, a).length === 2);
    expect(world.scheduler.now()).toBeGreaterThanOrEqual(world.store.weather.fullUntil);
    expect(entriesOf(world, a)).toEqual(['alarm', 'woke:alarm']);
  });
});

test('a delayed event loop rejects gateway commands and completes the work in progress', async () => {
  const world = await inWorld({}, async (world) => {
    await opened(world, a, b);
    await tell(world, a, 'wait', { op: 'alarm', ms: 3000 });
    const after = world.scheduler.after.bind(world.scheduler);
    // every wait of the world ends a second late from here on
    world.scheduler.after = (delay, work) => after(delay + (delay > 0 ? 1000 : 0), work);
    for (let asked = 0; asked < 40; asked++) {
      void tell(world, a, 'add', { op: `busy${asked}` });
      await new Promise<void>((resolve) => void after(100, resolve));
    }
    expect(await tell(world, a, 'add', { op: 'no' })).toMatchObject({
      is: 'not_executed',
      why: 'overloaded',
    });
    await until(world, () => entriesOf(world, a).includes('woke:alarm'));
    world.scheduler.after = after;
    await pause(world, seconds(3));
    expect(await tell(world, a, 'add', { op: 'yes' })).toMatchObject({ is: 'ok' });
  });
  expect(entriesOf(world, a)).not.toContain('no');
});
