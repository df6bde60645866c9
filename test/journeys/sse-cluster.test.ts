/** Streams in a cluster whose nodes die and are restarted: each reader reconnects, as a browser does, and
 *  receives everything once and one end. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Body } from '../../src/cli/demo/api.ts';
import { Follower, judged } from '../gateways/sse/follower.ts';
import { clusterMsMax, missingCluster, startCluster, type ClusterOfTest } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import type { Merchant } from '../support/merchant.ts';
import { code, phone, premium } from '../support/qr-shop.ts';

const nodes = 3;
const sessions = 6;
/** Browsers wait 3 s, after a restart 5 to 15: nothing here depends on how long. */
const haste = 10;
/** A dead node's partitions are taken over in 8 s on a quiet machine. */
const movedMsMax = 40_000;
const storyMsMax = 240_000;

describe.skipIf(missingCluster('streams through the death of nodes'))('streams in a cluster', () => {
  let cluster: ClusterOfTest;
  let shop: Merchant;

  beforeAll(async () => {
    cluster = await startCluster({ nodes });
    shop = await premium(cluster);
  }, clusterMsMax);
  afterAll(() => cluster?.stop(), clusterMsMax);
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') process.stdout.write(cluster.output());
  });

  /** A node that has just restarted takes partitions: requests meanwhile may be told to retry. */
  const codes = (): Promise<readonly Body[]> =>
    Promise.all(
      Array.from({ length: sessions }, () =>
        eventually(
          () => code(shop).catch(() => null),
          () => 'a code',
          movedMsMax,
        ),
      ),
    );

  /** One at each node. */
  const followed = (session: Body): readonly Follower[] =>
    cluster.urls.map(
      (_, at) =>
        new Follower({ places: () => cluster.urls, path: `/v1/qr/${session.text('id')}/events`, haste }, at),
    );

  const allHear = (followers: readonly Follower[], event: string): Promise<true> =>
    eventually(
      async () => followers.every(({ heard }) => heard.includes(event)) || null,
      () => `everybody to hear ${event}: ${followers.map(({ heard }) => heard.join(' ')).join(' | ')}`,
      movedMsMax,
    );

  /** Repeats until it is accepted: the session's owner may have died. */
  const pressed = (session: Body, button: string): Promise<true> =>
    eventually(
      () =>
        phone(shop, session.text('qr_message'), button).then(
          () => true,
          () => null,
        ),
      () => `the phone to ${button}`,
      movedMsMax,
    );

  function expectOneEnd(followers: readonly Follower[]): void {
    for (const follower of followers) {
      const { told, done } = follower;
      expect([judged(follower), done], JSON.stringify(told)).toEqual([[], true]);
      const ends = told.flatMap(({ frames }) => frames).filter(({ event }) => event === 'qr.paid');
      // as news, if it was there in that moment, and once as a replay
      expect(ends.length, JSON.stringify(told)).toBeGreaterThanOrEqual(1);
      expect(new Set(ends.map(({ data }) => JSON.stringify({ ...data, replay: 0 }))).size).toBe(1);
    }
  }

  test(
    'a node dies (kill -9): its readers reconnect elsewhere; those of others notice nothing, whoever owned the session',
    async () => {
      const all = await codes();
      const byNode = all.map(followed);
      const followers = byNode.flat();
      await allHear(followers, 'connected');
      for (const session of all.slice(0, sessions / 2)) await phone(shop, session.text('qr_message'), 'scan');
      await allHear(byNode.slice(0, sessions / 2).flat(), 'qr.scanned');
      const victim = cluster.node(1);
      await victim.kill();
      await Promise.all(all.map((session) => pressed(session, 'pay')));
      await Promise.all(followers.map(({ over }) => over));
      expectOneEnd(followers);
      for (const [first, second, third] of byNode) {
        // one stream to its end, the replay, and 204; a browser that meets the dead node counts nothing
        for (const follower of [first, third]) {
          const answers = follower?.told.flatMap(({ status }) => (status === 0 ? [] : [status]));
          expect(answers, JSON.stringify(follower?.told)).toEqual([200, 200, 204]);
          expect(follower?.told[0]?.frames.at(-1)?.event).toBe('qr.paid');
        }
        expect([second?.told[0]?.ended, second?.told[0]?.place]).toEqual([false, victim.url]);
      }
      await victim.restart();
    },
    storyMsMax,
  );

  test(
    'each node is restarted in turn: every stream ends with a reconnect time, and nothing is missed or doubled',
    async () => {
      const all = await codes();
      const byNode = all.map(followed);
      const followers = byNode.flat();
      const key = await cluster.key(shop.projectId, { kind: 'secret', mode: 'sandbox' });
      // a reader without an event has no id to resume from: it sends the time instead
      const since = new Date().toISOString();
      const log = new Follower({
        places: () => cluster.urls,
        path: `/v1/events/stream?types=payment.succeeded&since=${since}`,
        headers: [`Authorization: Bearer ${key}`],
        haste,
      });
      await allHear([...followers, log], 'connected');
      for (const [at, node] of cluster.cluster.nodes.entries()) {
        const stopping = node.stop();
        await pressed(all[2 * at] ?? expect.unreachable(), 'pay');
        expect((await stopping).code).toBe(0);
        await pressed(all[2 * at + 1] ?? expect.unreachable(), 'pay');
        await node.restart();
      }
      await Promise.all(followers.map(({ over }) => over));
      expectOneEnd(followers);
      for (const { told } of followers)
        for (const { status, ended } of told)
          expect([0, status], JSON.stringify(told)).toContain(ended ? status : 0);
      const restarted = followers.flatMap(({ told }) =>
        told.flatMap(({ frames }) =>
          frames.filter(({ event, retryMs }) => event === null && retryMs !== null),
        ),
      );
      expect(restarted.length).toBeGreaterThan(0);
      const paid = await Promise.all(all.map((session) => shop.untilStatus(session.text('id'), 'success')));
      const told = await eventually(
        async () => (log.heard.length - log.told.length - 1 >= sessions ? log : null),
        () => `the log to tell of ${sessions} payments: ${log.heard.join(' ')}`,
        movedMsMax,
      );
      log.leave();
      await log.over;
      const ids = told.told
        .flatMap(({ frames }) => frames)
        .flatMap(({ data }) => (typeof data['data'] === 'object' ? [data['data'] as { id?: unknown }] : []))
        .map(({ id }) => String(id));
      expect(ids.toSorted()).toEqual(paid.map((session) => session.text('paymentId')).toSorted());
    },
    storyMsMax,
  );
});
