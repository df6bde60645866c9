/** What buyers see of failing providers: on every node's pages, with plain HTML. */
import { expect, test } from 'vitest';
import { Api, type Body } from '../../src/testing/demo/api.ts';
import { buttonFor, open, press, type Page } from '../../src/testing/demo/buyer.ts';
import { eventually } from '../support/eventually.ts';
import type { House } from '../support/galla.ts';
import type { Merchant } from '../support/merchant.ts';
import { describeModes } from '../support/modes.ts';

const simulatedAtOnce = 5;

/** The same page, as each node shows it. */
const onEachNode = ({ urls }: House, session: Body): Promise<readonly Page[]> =>
  Promise.all(urls.map((url) => open(`${url}/pay/${session.text('id')}`)));

/** Those pages, once all of them are as said. */
const untilEach = (house: House, session: Body, what: string, are: (page: Page) => boolean) =>
  eventually(
    async () => {
      const pages = await onEachNode(house, session);
      return pages.every(are) ? pages : null;
    },
    () => `each node's page to ${what}`,
  );

/** The providers a page offers, the first one first; those that cannot be picked among them. */
const offered = (page: Page): readonly string[] =>
  [...page.html.matchAll(/<span class="name">([^<]+)<\/span>/g)].map(([, label]) => label ?? '');

async function attempts(shop: Merchant, count: number, outcome: string): Promise<void> {
  for (let made = 0; made < count; made += simulatedAtOnce)
    await Promise.all(
      Array.from({ length: Math.min(simulatedAtOnce, count - made) }, async () => {
        const id = (await shop.checkout()).text('id');
        await shop.simulate(id, outcome);
        await shop.untilStatus(id, outcome === 'success' ? 'success' : 'pending');
      }),
    );
}

/** One provider in the lists of each node, once all of them are as said. */
const untilListed = (house: House, { api }: Merchant, id: string, are: (listed: Body) => boolean) =>
  eventually(
    async () => {
      const lists = await Promise.all(
        house.urls.map(async (url) => (await new Api(url, api.key).must('GET', '/v1/providers')).body),
      );
      const listed = lists.map((list) => list.list('data').find((one) => one.at('id') === id));
      return listed.every((one) => one !== undefined && are(one)) ? listed : null;
    },
    () => `each node's list of providers to tell of ${id}`,
  );

describeModes('the health of providers', (galla) => {
  test('row 23: under half of twenty attempts paid, a provider moves last with a notice, for fifteen minutes', async () => {
    const shop = await galla().merchant();
    const seen = await shop.checkout();
    await attempts(shop, 9, 'success');
    await attempts(shop, 10, 'cancelled');
    // nineteen say nothing
    const unknown = await untilListed(galla(), shop, 'wallet_b', (one) => one.at('attempts15m') === 19);
    for (const one of unknown) expect([one?.at('health'), one?.at('successRate15m')]).toEqual(['up', null]);
    for (const page of await onEachNode(galla(), seen)) expect(page.html).not.toContain('Having trouble');
    await attempts(shop, 1, 'cancelled');
    // what a page knows of it may be ten seconds old
    await shop.advance(10);
    const pages = await untilEach(galla(), seen, 'warn', ({ html }) => html.includes('Having trouble'));
    for (const page of pages) {
      expect(offered(page)).toEqual(['Wallet A', 'QR A', 'Wallet B']);
      expect(page.html.match(/Having trouble/g)).toHaveLength(1);
      // it can still be picked
      expect(buttonFor(page, 'provider', 'wallet_b').disabled).toBe(false);
    }
    const listed = await untilListed(galla(), shop, 'wallet_b', (one) => one.at('attempts15m') === 20);
    for (const one of listed) {
      expect(one?.value).toEqual({
        id: 'wallet_b',
        label: 'Wallet B',
        configured: true,
        enabled: true,
        appIntent: false,
        health: 'degraded',
        successRate15m: 9 / 20,
        attempts15m: 20,
        checkedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      });
    }
    // a buyer who prefers it, or must leave an address, reads the same
    const asked = await shop.checkout({ provider: 'wallet_b', collectAddress: true });
    for (const page of await onEachNode(galla(), asked)) {
      expect(page.html).toContain('Having trouble');
      expect(offered(page).at(-1)).toBe('Wallet B');
    }
    // another merchant's buyers have nothing to do with it
    const stranger = await galla().merchant();
    await untilListed(galla(), stranger, 'wallet_b', (one) => one.at('attempts15m') === 0);
    const other = await stranger.checkout();
    for (const page of await onEachNode(galla(), other)) expect(page.html).not.toContain('Having trouble');

    await shop.advance(15 * 60);
    const later = await untilEach(galla(), seen, 'forget', ({ html }) => !html.includes('Having trouble'));
    for (const page of later) expect(offered(page)).toEqual(['Wallet A', 'Wallet B', 'QR A']);
  });

  test('row 23: while the breaker of a provider is open, it cannot be picked on any node', async () => {
    const shop = await galla().merchant();
    const seen = await shop.checkout();
    await shop.faults([{ call: 'start', kind: 'outage_200' }]);
    // five tries of one session, all by the node that owns it
    const vain = await shop.checkout();
    for (let tries = 0; tries < 5; tries++) {
      await press(buttonFor(await open(vain.text('checkout_url')), 'provider', 'wallet_b'));
    }
    expect((await shop.session(vain.text('id'))).at('status')).toBe('failed');
    const pages = await untilEach(galla(), seen, 'disable it', ({ html }) =>
      html.includes('Not available right now'),
    );
    for (const page of pages) {
      expect(offered(page).at(-1)).toBe('Wallet B');
      expect(() => buttonFor(page, 'provider', 'wallet_b')).toThrow('no form');
      expect(buttonFor(page, 'provider', 'wallet_a').disabled).toBe(false);
    }
    await untilListed(galla(), shop, 'wallet_b', (one) => one.at('health') === 'down');
    await untilListed(galla(), shop, 'wallet_a', (one) => one.at('health') === 'up');
    await shop.faults([]);
    await shop.advance(30);
    await untilEach(galla(), seen, 'offer it again', ({ html }) => !html.includes('Not available right now'));
    const wallet = await press(buttonFor(await open(seen.text('checkout_url')), 'provider', 'wallet_b'));
    expect(wallet.url).toContain('/sim/wallet_b/');
  });
});
