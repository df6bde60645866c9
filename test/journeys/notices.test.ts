/** Live notices between two nodes, counted on the wire: only for what somebody watches. */
import { connect, type NatsConnection } from 'nats';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Follower, judged } from '../gateways/sse/follower.ts';
import { clusterMsMax, missingClusterToHurt, startCluster, type ClusterOfTest } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import type { Merchant } from '../support/merchant.ts';
import { code, phone, premium } from '../support/qr-shop.ts';

describe.skipIf(missingClusterToHurt('notices between two nodes'))('live notices of a cluster', () => {
  let cluster: ClusterOfTest;
  let shop: Merchant;
  let nats: NatsConnection;
  const notices: { readonly subject: string; readonly text: string }[] = [];

  beforeAll(async () => {
    cluster = await startCluster({ nodes: 2 });
    shop = await premium(cluster);
    nats = await connect({ servers: cluster.nats?.url ?? '' });
    nats.subscribe('live.>', {
      callback: (_err, { subject, data }) => {
        notices.push({ subject, text: Buffer.from(data).toString() });
      },
    });
    await nats.flush();
  }, clusterMsMax);
  afterAll(async () => {
    await nats?.close();
    await cluster?.stop();
  }, clusterMsMax);

  /** From a session's code to its payment. */
  async function paid(): Promise<string> {
    const session = await code(shop);
    await phone(shop, session.text('qr_message'), 'pay');
    await shop.untilStatus(session.text('id'), 'success');
    return session.text('id');
  }

  test('a payment that nobody watches sends none', async () => {
    await eventually(
      async () => {
        notices.length = 0;
        const id = await paid();
        return notices.every(({ subject }) => !subject.endsWith(id)) || null;
      },
      () => `no notices, once the nodes know each other: ${JSON.stringify(notices)}`,
    );
  });

  test('streams of a session at both nodes hear its scan and its payment, carried by the notices', async () => {
    for (let round = 0; round < 4; round++) {
      const session = await code(shop);
      const id = session.text('id');
      const followers = cluster.urls.map(
        (_, at) => new Follower({ places: () => cluster.urls, path: `/v1/qr/${id}/events`, haste: 10 }, at),
      );
      const allHear = (event: string): Promise<true> =>
        eventually(
          async () => followers.every(({ heard }) => heard.includes(event)) || null,
          () => `both to hear ${event}`,
        );
      await allHear('connected');
      await phone(shop, session.text('qr_message'), 'scan');
      await allHear('qr.scanned');
      await phone(shop, session.text('qr_message'), 'pay');
      await Promise.all(followers.map(({ over }) => over));
      for (const follower of followers) expect(judged(follower)).toEqual([]);
      const carried = notices.filter(({ subject }) => subject.endsWith(id)).map(({ text }) => text);
      expect(carried.length).toBeGreaterThan(0);
      expect(carried.every((text) => text.includes('"kind":"checkout_session"'))).toBe(true);
    }
  });
});
