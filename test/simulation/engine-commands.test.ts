/** Commands through crashes, late writes and poison (the engine's own list of demands, by number). */
import { expect, test, vi } from 'vitest';
import { seconds } from '../../src/kernel/time.ts';
import { pause } from './client.ts';
import { everyWay, inWorld, killWhen, longStories, until, writesOf } from './directed.ts';
import { poison, tallyAt } from './tally.ts';
import { tallyId, tallyScope } from './tally-work.ts';
import { entriesOf, keyed, opened, tell, tellUntilKnown } from './telling.ts';
import type { World } from './world.ts';

vi.setConfig(longStories);

const [a, b, c] = [tallyId(0), tallyId(1), tallyId(2)];

test('engine test 1: a process dies before the store applies: the retry executes exactly once', async () => {
  await everyWay(20, async (world) => {
    await opened(world, a);
    const killed = killWhen(world, 'before', (request) => writesOf(request, 'tally').length > 0);
    expect((await tell(world, a, 'add', { op: 'one' }, { identity: keyed('one') })).is).toBe('unknown');
    expect(killed.done).toBe(true);
    expect(entriesOf(world, a)).toEqual([]);
    const answer = await tellUntilKnown(world, a, 'add', { op: 'one' }, 'one');
    expect(answer).toMatchObject({ is: 'ok', detail: { place: 0 } });
    expect(entriesOf(world, a)).toEqual(['one']);
  });
});

test('engine test 2: a process dies between commit and reply: stored outcome, one event', async () => {
  await everyWay(20, async (world) => {
    await opened(world, a);
    const killed = killWhen(world, 'after', (request) => writesOf(request, 'tally').length > 0);
    expect((await tell(world, a, 'add', { op: 'one' }, { identity: keyed('one') })).is).toBe('unknown');
    expect(killed.done).toBe(true);
    const { v } = world.store.disk.doc('tally', a) ?? { v: 0 };
    expect(entriesOf(world, a)).toEqual(['one']);
    const answer = await tellUntilKnown(world, a, 'add', { op: 'one' }, 'one');
    expect(answer).toMatchObject({ is: 'ok', v, detail: { place: 0 } });
    await pause(world, seconds(10));
    expect(world.store.disk.rows('journal').map((row) => row.body['event'])).toEqual(['tally.appended']);
  });
});

test('engine test 3: a batch of 200 is cut in the middle: every operation gets one result', async () => {
  const ids = Array.from({ length: 200 }, (_, n) => `tly_c${String(n).padStart(23, '0')}`);
  for (const seed of [1, 2]) {
    let landed = 0;
    const world = await inWorld({ seed }, async (world) => {
      for (const id of ids) await opened(world, id);
      await pause(world, seconds(20));
      Object.assign(world.store.weather, { cut: 1, answerMsMax: 400 });
      world.store.interception.after = (request) => {
        if (writesOf(request, 'tally').length !== ids.length) return;
        landed += 1;
        world.store.weather.cut = 0;
      };
      const results = await Promise.all(
        ids.map((id) => tellUntilKnown(world, id, 'add', { op: `add.${id}` }, id)),
      );
      expect(results.every((result) => result.is === 'ok')).toBe(true);
    });
    expect(landed).toBeGreaterThan(0);
    expect(landed).toBeLessThan(ids.length);
    for (const id of ids) expect(entriesOf(world, id)).toEqual([`add.${id}`]);
  }
});

test('engine test 4: a write delayed by 30 s matches nothing, its sender alive or dead', async () => {
  for (const dies of [true, false]) {
    await everyWay(10, async (world) => {
      await opened(world, a);
      let delayed: string | null = null;
      world.store.interception.before = (request) => {
        const write = writesOf(request, 'tally')[0];
        if (write === undefined || delayed !== null) return 'land';
        delayed = write.doc.tok;
        return seconds(30);
      };
      const first = tell(world, a, 'add', { op: 'one' }, { identity: keyed('one') });
      if (dies) world.scheduler.after(50, () => world.kill(100));
      await first;
      await pause(world, 500);
      expect(await tellUntilKnown(world, a, 'add', { op: 'one' }, 'one')).toMatchObject({ is: 'ok' });
      expect(await tellUntilKnown(world, a, 'add', { op: 'two' }, 'two')).toMatchObject({ is: 'ok' });
      const before = world.store.disk.doc('tally', a)?.v ?? 0;
      await pause(world, seconds(40));
      expect(delayed).not.toBeNull();
      expect(world.store.disk.doc('tally', a)?.v).toBeLessThanOrEqual(before + 2);
      expect(entriesOf(world, a)).toEqual(['one', 'two']);
    });
  }
});

test('engine test 7: a deleted actor is not inserted again by a late create', async () => {
  await everyWay(20, async (world) => {
    let creates = 0;
    world.store.interception.before = (request) =>
      writesOf(request, 'tally').length > 0 && ++creates === 1 ? seconds(30) : 'land';
    const first = tell(world, a, 'open', {}, { identity: keyed('open') });
    world.scheduler.after(50, () => world.kill(100));
    expect((await first).is).toBe('unknown');
    await pause(world, 500);
    expect(await tellUntilKnown(world, a, 'open', {}, 'open')).toMatchObject({ is: 'ok' });
    expect(await tellUntilKnown(world, a, 'remove', {}, 'remove')).toMatchObject({ is: 'ok' });
    await pause(world, seconds(60));
    expect(creates).toBeGreaterThan(1);
    expect(world.store.disk.doc('tally', a)?.gone).toBe(true);
    expect(await tell(world, a, 'open', {})).toMatchObject({ is: 'refused', code: 'not_found' });
    expect(await world.read(tallyAt(a), tallyScope)).toBeNull();
  });
});

test('engine test 14: the same identity 1,000 times: one effect', async () => {
  for (const seed of [1, 2]) {
    const world = await inWorld({ seed, rowsInCommit: seed === 2 }, async (world) => {
      await opened(world, a);
      world.scheduler.after(30, () => world.kill(50));
      const results = await Promise.all(
        Array.from({ length: 1000 }, () =>
          tellUntilKnown(world, a, 'ring', { op: 'bell', mode: 'once' }, 'bell'),
        ),
      );
      // what is shown beside it goes on
      const outcomes = results.map((result) => JSON.stringify({ ...result, shown: null }));
      expect(new Set(outcomes).size).toBe(1);
      await until(world, () => entriesOf(world, a).length === 2);
    });
    expect(entriesOf(world, a)[0]).toBe('bell');
    expect(world.ledger.rings.get('bell')?.once ?? 0).toBeLessThanOrEqual(1);
  }
});

test('engine test 17: commands that throw do not affect others in their turn', async () => {
  await everyWay(10, async (world) => {
    await opened(world, a, b);
    const results = await Promise.all(
      ['one', 'explode', 'two', 'explode2', 'three'].map((op) =>
        op.startsWith('explode') ? tell(world, a, 'explode', { op }) : tell(world, a, 'add', { op }),
      ),
    );
    expect(results.map((result) => result.is)).toEqual(['ok', 'internal', 'ok', 'internal', 'ok']);
    expect(entriesOf(world, a)).toEqual(['one', 'two', 'three']);
    expect(await tell(world, b, 'add', { op: 'four' })).toMatchObject({ is: 'ok' });
  });
});

test('engine test 17: a tell, a result and a timer that keep throwing are parked; the next go on', async () => {
  const world = await inWorld({}, async (world) => {
    await opened(world, a, b);
    await tell(world, a, 'pass', { op: `tell-${poison}`, to: b });
    await tell(world, a, 'pass', { op: 'tell', to: b });
    await tell(world, a, 'ring', { op: `bell-${poison}`, mode: 'again' });
    await tell(world, a, 'ring', { op: 'bell', mode: 'again' });
    await tell(world, a, 'wait', { op: `alarm-${poison}`, ms: 1000 });
    await tell(world, a, 'wait', { op: 'alarm', ms: 1000 });
    await pause(world, seconds(60));
  });
  expect(entriesOf(world, b)).toEqual([`received:tell:tally/${a}`]);
  expect(entriesOf(world, a).slice(-2).sort()).toEqual(['rung:bell:rung 1', 'woke:alarm']);
  expect(world.store.disk.rows('dead')).toHaveLength(3);
});

test('engine test 17: an unreadable document quarantines only its actor', async () => {
  await inWorld({}, async (world) => {
    await opened(world, a, b, c);
    await pause(world, seconds(20));
    fromTheFuture(world, a);
    world.kill(10);
    await pause(world, 1000);
    expect(await tell(world, a, 'add', { op: 'one' })).toEqual({ is: 'internal' });
    expect(await tell(world, b, 'add', { op: 'two' })).toMatchObject({ is: 'ok' });
    expect(await tell(world, c, 'pass', { op: 'three', to: b })).toMatchObject({ is: 'ok' });
    await until(world, () => entriesOf(world, b).length === 2);
  });
});

/** A newer node has written it. */
function fromTheFuture(world: World, id: string): void {
  const doc = world.store.disk.doc('tally', id);
  if (doc === null) throw new Error(`${id} exists`);
  const item = { ...doc, v: doc.v + 1, sv: 99, tok: 'future', out: [], busy: false };
  world.store.disk.landWrite(doc.v, { item, text: JSON.stringify(item) });
}
