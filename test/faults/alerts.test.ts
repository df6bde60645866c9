/** What alerts of a cluster are about, played: MongoDB refuses, is slow, or cuts connections; a node stands still or is
 *  killed; NATS stands still, or is gone. The rules are evaluated by promtool on what the node says that is concerned;
 *  test/journeys/alerts.test.ts has the other causes.
 *  1. The tests hurt one cluster one after the other: the last ones leave little of it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { alerts } from '../support/alerts.ts';
import { clusterMsMax, missingClusterToHurt, startCluster, type ClusterOfTest } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import type { Merchant } from '../support/merchant.ts';
import { numbersOf, type Numbers } from '../support/numbers.ts';
import { disagreement, noPromtool } from '../support/promtool.ts';
import { withAdmin } from '../support/servers.ts';

const skips = missingClusterToHurt('alerts of a cluster') || noPromtool('the alerts of a cluster');
const storyMsMax = 60_000;
/** More than two alerts want to see. */
const stillMsMax = 120_000;
/** Of what is written in one commit: documents, and rows of lists. */
const writes = ['insert', 'update', 'delete'];
const order = { amount: 1000, returnUrl: 'https://shop.example/return' };

const sumOf = (numbers: Numbers, label: RegExp): number =>
  [...numbers].reduce(
    (sum, [series, count]) =>
      /^galla_http_requests_total/.test(series) && label.test(series) ? sum + count : sum,
    0,
  );

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
  /** What a node said before, and says once it is as said: the first of which it is. */
  async function untilOne(
    before: readonly Numbers[],
    is: (numbers: Numbers, before: Numbers) => boolean,
    what: string,
    waitMs = storyMsMax / 2,
  ): Promise<readonly [before: Numbers, after: Numbers]> {
    return eventually(
      async () => {
        const after = await each();
        const at = after.findIndex((numbers, node) => is(numbers, before[node] ?? new Map()));
        const [then, now] = [before[at], after[at]];
        return then === undefined || now === undefined ? null : [then, now];
      },
      () => what,
      waitMs,
    );
  }
  const each = (): Promise<readonly Numbers[]> =>
    Promise.all([0, 1].map((at) => numbersOf(house.node(at).url)));
  const rises =
    (series: string) =>
    (numbers: Numbers, before: Numbers): boolean =>
      value(numbers, series) > value(before, series);
  const checkouts = (count: number): Promise<readonly unknown[]> =>
    Promise.all(
      Array.from({ length: count }, () => merchant.api.post('/v1/checkout', order).catch(() => null)),
    );
  /** MongoDB is so while `work` runs. */
  async function withFault<Result>(name: string, data: object, work: () => Promise<Result>): Promise<Result> {
    const set = (mode: 'alwaysOn' | 'off'): Promise<unknown> =>
      withAdmin(house.mongo.server?.url ?? '', (admin) =>
        admin({ configureFailPoint: name, mode, ...(mode === 'off' ? {} : { data }) }),
      );
    await set('alwaysOn');
    try {
      return await work();
    } finally {
      await set('off');
    }
  }
  /** Of checkout sessions only: heartbeats go on. */
  const ofSessions = (): string => `${new URL(house.mongodbUrl).pathname.slice(1)}.checkout_session`;
  const expectFires = (alert: string, before: Numbers, after: Numbers): void => {
    const rule = alerts().find((one) => one.alert === alert);
    expect(disagreement({ before, after }, alert, rule?.expr ?? ''), alert).toBeNull();
  };

  test('MongoDB refuses the writes of documents', { timeout: storyMsMax }, async () => {
    const before = await each();
    const data = { failCommands: writes, namespace: ofSessions(), errorCode: 13 };
    const refused = await withFault('failCommand', data, async () => {
      const made = checkouts(4);
      const seenOnce = await untilOne(
        before,
        rises('galla_commits_total{outcome="error"}'),
        'a refused write',
      );
      await made;
      return seenOnce;
    });
    expectFires('GallaWritesRefused', ...refused);
  });

  test('MongoDB cuts the connections of writes', { timeout: storyMsMax }, async () => {
    const before = await each();
    const data = { failCommands: writes, namespace: ofSessions(), closeConnection: true };
    const unknown = await withFault('failCommand', data, async () => {
      void checkouts(4);
      return untilOne(before, rises('galla_commits_total{outcome="unknown"}'), 'a write without an answer');
    });
    expectFires('GallaWritesUnknown', ...unknown);
    await eventually(
      async () => ((await merchant.api.post('/v1/checkout', order)).status === 201 ? true : null),
      () => 'a checkout after it',
    );
  });

  test(
    'MongoDB is slow: one actor is asked by too many, and events wait',
    { timeout: stillMsMax },
    async () => {
      const before = await each();
      const session = await merchant.checkout();
      await withFault('latency', { ms: 1500, commands: writes }, async () => {
        const asked = Promise.all([
          checkouts(200),
          ...Array.from({ length: 400 }, () =>
            merchant.api.post(`/v1/checkout/${session.text('id')}/expire`),
          ),
        ]);
        const deep = 'galla_mailbox_deepest';
        const full = await untilOne(before, (numbers) => value(numbers, deep) >= 128, 'a full mailbox');
        expectFires('GallaOverloaded', ...full);
        const late = await untilOne(
          before,
          (numbers) => value(numbers, 'galla_events_to_dispatch') > 100,
          'webhooks to wait',
        );
        expectFires('GallaWebhooksLate', ...late);
        await asked;
        const slow = await untilOne(before, rises('galla_commit_duration_seconds_count'), 'a commit');
        expectFires('GallaStoreSlow', ...slow);
        const rejected = await untilOne(
          before,
          (numbers, then) => sumOf(numbers, /code="503"/) > sumOf(then, /code="503"/),
          'requests to be rejected',
        );
        expectFires('GallaRequestsRejected', ...rejected);
      });
    },
  );

  test('a node stands still: nobody knows what became of commands', { timeout: storyMsMax }, async () => {
    const before = await each();
    house.node(1).pause();
    try {
      void checkouts(40);
      const after = await eventually(
        async () => {
          const numbers = await seen();
          const [then] = before;
          return rises('galla_asks_total{outcome="unknown",way="remote"}')(numbers, then ?? new Map())
            ? numbers
            : null;
        },
        () => 'a command without an answer',
        storyMsMax / 2,
      );
      expectFires('GallaAnswersUnknown', before[0] ?? new Map(), after);
    } finally {
      house.node(1).resume();
    }
    const shares = (): Promise<readonly number[]> =>
      each().then((all) => all.map((numbers) => value(numbers, 'galla_partitions_owned')));
    await eventually(
      async () => ((await shares()).every((owned) => owned > 0 && owned < 256) ? true : null),
      () => 'both nodes to have their share again',
    );
  });

  test(
    'NATS stands still: nodes do not hear each other, and what follows waits',
    { timeout: stillMsMax },
    async () => {
      const before = await each();
      house.nats?.pause();
      try {
        await checkouts(20);
        const unheard = await untilOne(
          before,
          rises('galla_bus_unheard_nodes'),
          'nodes not to hear each other',
        );
        expectFires('GallaNodesUnheard', ...unheard);
        const oldest = 'galla_outbox_oldest_seconds';
        const stuck = await untilOne(
          before,
          (numbers) => value(numbers, oldest) > 60,
          'the outbox to wait for a minute',
          stillMsMax - storyMsMax / 2,
        );
        expectFires('GallaOutboxStuck', ...stuck);
      } finally {
        house.nats?.resume();
      clearInterval(dbg);
      }
      await eventually(
        async () =>
          (await each()).every((all) => value(all, 'galla_outbox_oldest_seconds') < 1) ? true : null,
        () => 'what waited to leave',
      );
    },
  );

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
        const made = Array.from({ length: 30 }, () => merchant.api.post('/v1/checkout', order));
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
