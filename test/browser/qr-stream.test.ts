/** A shop's page follows the stream of the real service with EventSource; in a cluster, through the death of every
 *  node. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import type { House } from '../support/galla.ts';
import type { ClusterOfTest } from '../support/cluster.ts';
import { describeModesAlone } from '../support/modes.ts';
import { code, paymentOf, phone, premium } from '../support/qr-shop.ts';
import { closed, watching } from './event-source.ts';
import { browserOfFile, describeInBrowser } from './in-browser.ts';
import { listen, plainPage, type Served } from './rig.ts';

const storyMsMax = 180_000;
/** A dead node's partitions are taken over, and a browser comes back after 3 s. */
const patienceMs = 60_000;
/** Longer than a browser waits before it connects again. */
const quietMs = 4000;

const isCluster = (house: House): house is ClusterOfTest => 'cluster' in house;

describeInBrowser('an EventSource at the real service', () => {
  const browser = browserOfFile();
  let page: Served;
  beforeAll(async () => {
    page = await listen(() => Promise.resolve(plainPage('shop', '')));
  });
  afterAll(async () => {
    await page.close();
  });

  describeModesAlone('a shop page with EventSource', (galla) => {
    test(
      'row 78: it receives the scan, the money, the replay, then 204, and does not reconnect',
      async () => {
        const house = galla();
        const shop = await premium(house);
        const session = await code(shop);
        const watched = await watching(browser, page.origin, session.text('events_url'));
        await watched.until((seen) => seen.heard.length === 1);
        await phone(shop, session.text('qr_message'), 'scan');
        await watched.until((seen) => seen.heard.some(({ type }) => type === 'qr.scanned'), patienceMs);
        if (isCluster(house))
          for (const node of house.cluster.nodes) {
            await node.kill();
            await node.restart();
          }
        await eventually(
          () =>
            phone(shop, session.text('qr_message'), 'pay').then(
              () => true,
              () => null,
            ),
          () => 'the phone to pay',
          patienceMs,
        );
        await watched.until((seen) => seen.state === 2, patienceMs);
        const { heard, state } = await watched.heard();
        expect(state).toBe(closed);
        const payment = await paymentOf(shop, session);
        const news = heard.filter(({ type }) => type !== 'connected');
        expect(news.filter(({ type }) => type === 'qr.scanned').map(({ id }) => id)).toEqual(['1']);
        const ends = news.filter(({ type }) => type === 'qr.paid');
        // paid during the reconnect: it receives this only as the replay
        expect(ends.at(-1)).toMatchObject({
          id: '2-replay',
          data: { paymentId: payment.text('id'), sessionId: session.text('id'), replay: true },
        });
        expect(ends.slice(0, -1).map(({ id }) => id)).toEqual(
          isCluster(house) ? ends.slice(0, -1).map(() => '2') : ['2'],
        );
        expect(ends.length).toBeLessThanOrEqual(2);
        const asked = watched.answers.length;
        expect(watched.answers.at(-1)).toBe(204);
        await new Promise((resolve) => setTimeout(resolve, quietMs));
        expect(watched.answers).toHaveLength(asked);
        await watched.tab.close();
      },
      storyMsMax,
    );
  });
});
