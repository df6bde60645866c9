/** Subscriptions under crashes, takeovers and clock walks, while every call races every timer. The laws are in
 *  checkers/billing.ts; here are the builds that break them. */
import { expect, test, vi } from 'vitest';
import { minutes, seconds } from '../../src/kernel/time.ts';
import { billing } from './billing-work.ts';
import { climateOf, clusterClimateOf, heal, trouble } from './chaos.ts';
import { pause } from './client.ts';
import type { BreakOfActors } from './breaks.ts';
import { withBrokenActors } from './broken-actors.ts';
import { inWorld, longStories } from './directed.ts';
import { parts } from './parts.ts';
import type { Parts } from './process.ts';
import { between } from './random.ts';
import type { World } from './world.ts';

vi.setConfig(longStories);

const seeds = 4;
const troubleMs = minutes(1);

interface Months {
  readonly seed: number;
  readonly broken?: BreakOfActors;
}

/** Weeks and months of some subscriptions; a broken build only has nodes that die. */
async function months({ seed, broken }: Months): Promise<number> {
  const nodes = seed % 2 === 0 ? 1 : 3;
  const partsOf = (): Parts => withBrokenActors(parts, broken);
  const world = await inWorld({ seed, nodes, partsOf, withinMs: minutes(30) }, async (world) => {
    const { chance } = world;
    let over = false;
    if (broken === undefined)
      trouble(world, nodes === 1 ? climateOf(chance) : clusterClimateOf(chance), () => over);
    else void deaths(world, () => over);
    // as long as the trouble of a long run; what is under way then comes to its end
    void pause(world, troubleMs).then(() => {
      over = true;
      heal(world);
    });
    const pauseMsMax = between(chance, 100, seconds(6));
    await billing(world, { subscriptions: between(chance, 1, 3), calls: 10, walks: 6, pauseMsMax });
  });
  return world.store.disk.rows('invoice').length;
}

async function deaths(world: World, over: () => boolean): Promise<void> {
  while (!over()) {
    await pause(world, between(world.chance, seconds(2), seconds(6)));
    world.kill(between(world.chance, 0, seconds(1)));
  }
}

test('each period is billed once, none is skipped and numbers have no gap, whoever dies', async () => {
  let invoices = 0;
  for (let seed = 1; seed <= seeds; seed++) invoices += await months({ seed });
  expect(invoices).toBeGreaterThan(3 * seeds);
});

test.each([
  ['billsAgain', /one valid invoice for each period/],
  ['skipsPeriods', /each period it is in was billed/],
  ['numbersAgain', /given once each/],
] as const)('a build that %s after a takeover is caught', async (broken, law) => {
  const outcomes: string[] = [];
  for (let seed = 1; seed <= 4 * seeds && outcomes.length === 0; seed++)
    await months({ seed, broken }).catch((error: unknown) => outcomes.push(String(error)));
  expect(outcomes[0]).toMatch(law);
});
