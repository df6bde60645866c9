/** What alerts of a cluster are about, played: a node is killed, NATS is gone. The rules are
 *  evaluated by promtool on what the node that is left says; test/journeys/alerts.test.ts has the other causes. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { alerts } from '../support/alerts.ts';
import { clusterMsMax, missingClusterToHurt, startCluster, type ClusterOfTest } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import type { Merchant } from '../support/merchant.ts';
import { numbersOf, type Numbers } from '../support/numbers.ts';
import { disagreement, noPromtool } from '../support/promtool.ts';

const skips = missingClusterToHurt('alerts of a cluster') || noPromtool('the alerts of a cluster');
const storyMsMax = 60_000;

describe.skipIf(skips)('row 123: alerts of a cluster', () => {
  let house: ClusterOfTest;
  let merchant: Merchant;
  beforeAll(async () => {
    house = await startCluster({ nodes: 2, behind: [0] });
    merchant = await house.merchant();
  }, clusterMsMax);
  afterAll(() => house.stop());

  const seen = (): Promise<Numbers> => numbersOf(house.node(0).url);
  const value = (numbers: Numbers, name: string): number => numbers.get(name) ?? 0;
  const until = (is: (numbers: Numbers) => boolean, what: string): Promise<Numbers> =>
    eventually(
      async () => {
        const numbers = await seen();
        return is(numbers) ? numbers : null;
      },
      () => what,
    );
  const expectFires = (alert: string, before: Numbers, after: Numbers): void => {
    const rule = alerts().find((one) => one.alert === alert);
    expect(disagreement({ before, after }, alert, rule?.expr ?? ''), alert).toBeNull();
  };

  test('a node that is killed leaves partitions that nobody serves', { timeout: storyMsMax }, async () => {
    const owned = (numbers: Numbers): number => value(numbers, 'galla_partitions_owned');
    const before = await until(
      (numbers) => owned(numbers) > 0 && owned(numbers) < 256,
      'a share of the partitions',
    );
    await house.node(1).kill();
    // the other one takes them over some seconds later
    expectFires('GallaPartitionsUnowned', before, await seen());
    expect(owned(await until((numbers) => owned(numbers) === 256, 'a takeover'))).toBe(256);
  });

  test('events wait while NATS is gone', { timeout: storyMsMax }, async () => {
    const before = await seen();
    await house.nats?.kill();
    const waiting = (numbers: Numbers): number => value(numbers, 'galla_events_to_publish');
    const after = await eventually(
      async () => {
        const made = Array.from({ length: 30 }, () =>
          merchant.api.post('/v1/checkout', { amount: 1000, returnUrl: 'https://shop.example/return' }),
        );
        await Promise.all(made);
        const numbers = await seen();
        return waiting(numbers) > 100 ? numbers : null;
      },
      () => 'events to wait',
      storyMsMax / 2,
    );
    expectFires('GallaEventsUnpublished', before, after);
  });
});
