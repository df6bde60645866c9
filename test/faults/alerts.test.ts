/** What alerts of a cluster are about, played: MongoDB refuses, is slow, or cuts connections; a node is killed; NATS
 *  stands still, or is gone. The rules are evaluated by promtool on what the node says that is concerned;
 *  test/journeys/alerts.test.ts has the other causes.
 *  1. The tests hurt one cluster one after the other: the last ones leave little of it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Api } from '../../src/cli/demo/api.ts';
import { mailboxMax } from '../../src/runtime/activation/mailbox.ts';
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
        // a node that is busy may close a connection
        const numbers = await seen().catch(() => null);
        return numbers !== null && is(numbers) ? numbers : null;
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
        const after = await each().catch(() => []);
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

  test('MongoDB cuts the connections of writes', { timeout: stillMsMax }, async () => {
    const before = await each();
    const data = { failCommands: writes, namespace: ofSessions(), closeConnection: true };
    await withFault('failCommand', data, async () => {
      void checkouts(4);
      const unknown = rises('galla_commits_total{outcome="unknown"}');
      expectFires('GallaWritesUnknown', ...(await untilOne(before, unknown, 'a write without an answer')));
      const asks = ['local', 'remote'].map((way) =>
        rises(`galla_asks_total{outcome="unknown",way="${way}"}`),
      );
      const unanswered = await untilOne(
        before,
        (numbers, then) => asks.some((rise) => rise(numbers, then)),
        'a command without an answer',
        storyMsMax,
      );
      expectFires('GallaAnswersUnknown', ...unanswered);
    });
    await eventually(
      async () => ((await merchant.api.post('/v1/checkout', order)).status === 201 ? true : null),
      () => 'a checkout after it',
      storyMsMax / 2,
    );
  });

  test('one actor is asked by too many while its write has no answer', { timeout: stillMsMax }, async () => {
    const path = `/v1/checkout/${(await merchant.checkout()).text('id')}/expire`;
    const before = await each();
    const data = { failCommands: writes, namespace: ofSessions(), closeConnection: true };
    await withFault('failCommand', data, async () => {
      // over both nodes: the one that has it may soon ask its store for nothing more, and still takes what the other sends
      const doors = [0, 1].map((at) => new Api(house.node(at).url, merchant.api.key));
      const asked = Promise.all(
        doors.flatMap((door) =>
          Array.from({ length: 2 * mailboxMax }, () => door.post(path).catch(() => null)),
        ),
      );
      const isFull = (numbers: Numbers): boolean => value(numbers, 'galla_mailbox_deepest') >= mailboxMax;
      expectFires('GallaOverloaded', ...(await untilOne(before, isFull, 'a full mailbox')));
      await asked;
    });
    const rejected = (numbers: Numbers): number =>
      [...numbers]
        .filter(([series]) => /^galla_http_requests_total.*code="503"/.test(series))
        .reduce((sum, [, count]) => sum + count, 0);
    const more = (now: Numbers, then: Numbers): boolean => rejected(now) > rejected(then);
    expectFires('GallaRequestsRejected', ...(await untilOne(before, more, 'requests to be rejected')));
  });

  test('MongoDB is slow', { timeout: storyMsMax }, async () => {
    await withFault('latency', { ms: 1500, commands: writes }, async () => {
      const before = await each();
      const made = checkouts(4);
      const slow = rises('galla_commit_duration_seconds_count');
      await made;
      expectFires('GallaStoreSlow', ...(await untilOne(before, slow, 'a commit')));
    });
  });

  test('NATS stands still: nodes do not hear each other', { timeout: 2 * stillMsMax }, async () => {
    const merchants = await Promise.all(Array.from({ length: 12 }, () => house.merchant()));
    const before = await each();
    house.nats?.pause();
    try {
      // the event logs of some of them are on the other node
      void Promise.all(merchants.map(({ api }) => api.post('/v1/checkout', order).catch(() => null)));
      const unheard = rises('galla_bus_unheard_nodes');
      expectFires('GallaNodesUnheard', ...(await untilOne(before, unheard, 'a node not to be heard')));
      const stuck = (numbers: Numbers): boolean => value(numbers, 'galla_outbox_oldest_seconds') > 60;
      const waits = await untilOne(before, stuck, 'something to wait for a minute', stillMsMax);
      expectFires('GallaOutboxStuck', ...waits);
    } finally {
      house.nats?.resume();
    }
    const isEmpty = (numbers: Numbers): boolean => value(numbers, 'galla_outbox_oldest_seconds') < 1;
    await eventually(
      async () => {
        const all = await each().catch(() => []);
        return all.length > 0 && all.every(isEmpty) ? true : null;
      },
      () => 'what waited to leave',
      storyMsMax,
    );
  });

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
