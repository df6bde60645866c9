/** Test clocks in a cluster: a node that caches a clock at rest never acts on the time before its walk. */
import { expect, test, vi } from 'vitest';
import type { Address } from '../../src/runtime/model/address.ts';
import { days, hours, seconds } from '../../src/kernel/time.ts';
import { projectAt } from '../../actors/project/messages.ts';
import { insist, pause } from './client.ts';
import { inWorld, longStories, until, type StoryOptions } from './directed.ts';
import { atHome, ownerOf } from './homes.ts';
import { shopProject, shopScope } from './shop-work.ts';
import { tallyAt } from './tally.ts';
import { entriesOf } from './telling.ts';
import type { World } from './world.ts';

vi.setConfig(longStories);

const merchant = { by: 'merchant', scope: shopScope } as const;
const system = { by: 'system', scope: 'system' } as const;
const keeper = projectAt(shopProject) as Address;
const many = Array.from('0123456789abcdefghjkmnpqrstvwxyz', (first) => `tly_${first.padEnd(24, '3')}`);
const timers = [hours(1), hours(2), hours(3), hours(4)];

/** The keeper's node walks the clock; another, which hears nothing of it, is asked all the time. */
async function walkUnheard(world: World): Promise<void> {
  const opened = { to: keeper, command: 'open', by: 'operator', scope: 'system' } as const;
  await insist(world, { ...opened, data: { merchantId: 'mer_bb', name: 'Shop', providers: [] } });
  const here = ownerOf(world, shopProject);
  const walked = many.find((id) => ownerOf(world, id) === here) ?? '';
  const asked = many.find((id) => ownerOf(world, id) !== here) ?? '';
  const there = ownerOf(world, asked);
  for (const id of [walked, asked])
    await insist(world, { ...merchant, to: tallyAt(id), command: 'open', data: {} });
  for (const ms of timers) await world.askFrom(here, tallyAt(walked), 'wait', { op: `${ms}`, ms }, merchant);
  // what all that caused is over, and would hold up the walk
  await pause(world, seconds(20));
  await until(world, () => atHome(world));
  world.cutBus(seconds(5), there);
  const say = (command: string, data: object) =>
    world.askFrom(there, tallyAt(asked), command, data as never, merchant);
  // answers that change nothing: only so the clock is read, again and again
  let over = false;
  const asking = (async () => {
    while (!over) await Promise.all([say('open', {}), pause(world, 10)]);
  })();
  const to = world.clockNow(shopScope) + days(1);
  void world.askFrom(here, keeper, 'advanceClock', { to }, system);
  while (entriesOf(world, walked).length === timers.length) await pause(world, 2);
  expect(await say('add', { op: 'first' })).toMatchObject({ is: 'ok' });
  over = true;
  await asking;
  await until(world, (doc) => doc('project', shopProject)?.body?.['status'] === 'ready');
  expect(await say('add', { op: 'last' })).toMatchObject({ is: 'ok' });
  expect(world.store.disk.doc('tally', asked)?.at).toBeGreaterThanOrEqual(to);
}

const times = async (count: number, more: StoryOptions = {}): Promise<number> => {
  let caught = 0;
  for (let seed = 1; seed <= count; seed++)
    await inWorld({ seed, nodes: 3, ...more }, walkUnheard).catch((thrown: unknown) => {
      if (more.broken === undefined) throw thrown;
      expect(String(thrown)).toContain('acted');
      caught += 1;
    });
  return caught;
};

test('no node acts on the time before a walk, although every broadcast was lost', async () => {
  expect(await times(8)).toBe(0);
});

test('a build whose walks start at once is caught', async () => {
  expect(await times(8, { broken: 'walksAtOnce' })).toBeGreaterThan(0);
});
