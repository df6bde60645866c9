/** Many actors, and one that many talk to (the engine's list of demands, by number). */
import { expect, test, vi } from 'vitest';
import { slotCount } from '../../src/kernel/id.ts';
import { minutes, seconds } from '../../src/kernel/time.ts';
import { slotOfActor } from '../../src/runtime/model/address.ts';
import { sessionLifeMs } from '../../src/runtime/cluster/membership.ts';
import { pause } from './client.ts';
import { inWorld, until } from './directed.ts';
import { ownerOf } from './homes.ts';
import { tallyId } from './tally-work.ts';
import { entriesOf, opened, tell } from './telling.ts';
import type { World } from './world.ts';

/** A busy machine takes its time; nothing here depends on how much. */
vi.setConfig({ testTimeout: 240_000 });

/** As ids are written: the first two characters after the prefix are the slot. */
const letters = '0123456789abcdefghjkmnpqrstvwxyz';

/** So many ids of actors that this process owns. */
function idsOf(world: World, process: ReturnType<typeof ownerOf>, count: number): readonly string[] {
  const slots = Array.from(
    { length: slotCount },
    (_, slot) => `${letters[slot >> 5] ?? ''}${letters[slot & 31] ?? ''}`,
  );
  const theirs = slots.filter((slot) => ownerOf(world, `tly_${slot}${'0'.repeat(22)}`) === process);
  return Array.from(
    { length: count },
    (_, n) => `tly_${theirs[n % theirs.length] ?? ''}${String(n).padStart(22, '0')}`,
  );
}

test('engine test 10: a process dies with 5,000 actors and 500 due timers: all fire, once, in its session and 2 s', async () => {
  await inWorld({ nodes: 3, withinMs: minutes(20) }, async (world) => {
    const [victim] = world.processes;
    if (victim === undefined) throw new Error('three processes');
    const ids = idsOf(world, victim, 5000);
    expect(new Set(ids.map(slotOfActor)).size).toBeGreaterThan(100);
    const armed = ids.slice(0, 500);
    for (let at = 0; at < ids.length; at += 250) {
      await Promise.all(ids.slice(at, at + 250).map((id) => opened(world, id)));
    }
    const due = world.scheduler.now() + seconds(30);
    for (let at = 0; at < armed.length; at += 100) {
      const ring = (id: string) => tell(world, id, 'wait', { op: 'alarm', ms: due - world.scheduler.now() });
      const answers = await Promise.all(armed.slice(at, at + 100).map(ring));
      expect(answers.every(({ is }) => is === 'ok')).toBe(true);
    }
    await pause(world, due - world.scheduler.now() - 100);
    world.kill(minutes(1), victim);
    const killedAt = world.scheduler.now();
    await until(world, () => armed.every((id) => entriesOf(world, id).includes('woke:alarm')));
    expect(world.scheduler.now() - killedAt).toBeLessThanOrEqual(sessionLifeMs + seconds(2));
  });
});

/** How long the slowest but one in a hundred of them waited. */
async function p99Of(world: World, ids: readonly string[], asks: number): Promise<number> {
  const waits: number[] = [];
  const ask = async (id: string): Promise<void> => {
    for (let n = 0; n < asks; n++) {
      const asked = world.scheduler.now();
      expect(await tell(world, id, 'add', { op: `${id}.${asked}` })).toMatchObject({ is: 'ok' });
      waits.push(world.scheduler.now() - asked);
      await pause(world, 5);
    }
  };
  await Promise.all(ids.map(ask));
  return waits.toSorted((a, b) => a - b)[Math.floor(waits.length * 0.99)] ?? 0;
}

test('engine test 18: an actor that gets 5,000 commands a second does not double the latency of others', async () => {
  const [hot, ...others] = [0, 1, 2, 3, 4].map(tallyId) as [string, ...string[]];
  await inWorld({}, async (world) => {
    await opened(world, hot, ...others);
    const alone = await p99Of(world, others, 100);
    let [over, asked, done] = [false, 0, 0];
    const storm = async (): Promise<void> => {
      for (; !over; await pause(world, 1)) {
        for (let n = 0; n < 5; n++) {
          asked++;
          void tell(world, hot, 'open', {}).then(({ is }) => void (is === 'ok' && done++));
        }
      }
    };
    const storms = storm();
    const beside = await p99Of(world, others, 100);
    over = true;
    await storms;
    expect(asked).toBeGreaterThan(2000);
    expect(done).toBeGreaterThan(500);
    expect(beside).toBeLessThan(2 * alone);
  });
});
