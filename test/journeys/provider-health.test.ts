/** What buyers see of failing providers: on every node's pages, with plain HTML; and what a merchant reads of it
 *  later. */
import { expect, test } from 'vitest';
import { Api, type Body } from '../../src/cli/demo/api.ts';
import { buttonFor, open, press, type Page } from '../../src/cli/demo/buyer.ts';
import { ownerOf, type Owner } from '../browser/dashboard-rig.ts';
import type { ClusterOfTest } from '../support/cluster.ts';
import { Page as Dashboard } from '../support/dashboard.ts';
import { providers } from '../../src/providers/registry.ts';
import { eventually } from '../support/eventually.ts';
import type { House } from '../support/galla.ts';
import type { Merchant } from '../support/merchant.ts';
import { describeModesAlone } from '../support/modes.ts';
import { numbersOf } from '../support/numbers.ts';

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

/** A gauge of wallet_b on each node, once all of them say so: other stories of this service may move it, too. */
const untilGauged = (house: House, name: string, is: (value: number) => boolean) =>
  eventually(
    async () => {
      const numbers = await Promise.all(house.urls.map(numbersOf));
      const values = numbers.map((each) => each.get(`${name}{provider="wallet_b"}`) ?? 0);
      return values.every(is) ? true : null;
    },
    () => `${name} of each node to follow`,
  );
const above0 = (value: number): boolean => value > 0;
const isZero = (value: number): boolean => value === 0;

/** A password costs a third of a second each time. */
const logins = new Map<Owner, Promise<Dashboard>>();

function dashboardOf({ url }: House, owner: Owner): Promise<Dashboard> {
  const known = logins.get(owner);
  if (known !== undefined) return known;
  const page = new Dashboard(url);
  const login = page.logIn(owner).then(() => page);
  logins.set(owner, login);
  return login;
}

/** The incidents of a project as each node lists them, once all of them are as said. */
async function untilIncidents(
  house: House,
  owner: Owner,
  what: string,
  are: (of: { readonly open: readonly Body[]; readonly data: readonly Body[] }) => boolean,
): Promise<readonly Body[]> {
  const page = await dashboardOf(house, owner);
  const pages = house.urls.map((url) => new Dashboard(url, page));
  const path = `/dashboard/api/${owner.projectId}/sandbox/provider-incidents`;
  return eventually(
    async () => {
      const bodies = await Promise.all(pages.map(async (page) => (await page.get(path)).body));
      const lists = bodies.map((body) => ({ open: body.list('open'), data: body.list('data') }));
      return lists.every(are) ? (lists[0]?.data ?? null) : null;
    },
    () => `each node's list of incidents to ${what}`,
  );
}

async function withCredentials(house: House, owner: Owner, credentials: object): Promise<void> {
  const page = await dashboardOf(house, owner);
  const path = `/dashboard/api/${owner.projectId}/sandbox/provider-settings/wallet_b`;
  expect((await page.change('PUT', path, { body: { credentials } })).status).toBe(200);
}

/** The node whose calls for this project had no readable answer: each says so in its log. */
const callerAmong = ({ cluster }: ClusterOfTest, projectId: string) =>
  eventually(
    () =>
      Promise.resolve(
        cluster.nodes.find(({ service }) =>
          service.output
            .split('\n')
            .some((line) => line.includes(projectId) && line.includes('of a provider is not readable')),
        ) ?? null,
      ),
    () => 'a node to say that an answer is not readable',
  );

/** Twenty attempts, and a clock that goes through fifteen minutes. */
const storyOf = (mode: string) => ({ timeout: mode === 'cluster' ? 90_000 : 30_000 });

type Incidents = Parameters<Parameters<typeof untilIncidents>[3]>[0];
const oneOpen = ({ open, data }: Incidents): boolean => open.length === 1 && data.length === 1;
const over = ({ open, data }: Incidents): boolean =>
  open.length === 0 && data.every((one) => one.at('closedAt') !== null);

describeModesAlone('the health of providers', (galla, mode) => {
  test(
    'row 23: under half of twenty attempts paid, a provider moves last with a notice, for fifteen minutes',
    storyOf(mode),
    async () => {
      const shop = await ownerOf(galla(), `Degraded Pasal ${mode}`);
      const seen = await shop.checkout();
      await Promise.all([attempts(shop, 9, 'success'), attempts(shop, 10, 'cancelled')]);
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
      // each node counts what it serves
      if (mode === 'embedded') await untilGauged(galla(), 'galla_provider_degraded', above0);
      // the incident says since when, and why
      const [incident] = await untilIncidents(galla(), shop, 'have one', oneOpen);
      expect(incident?.value).toMatchObject({
        id: expect.stringMatching(/^inc_/),
        provider: 'wallet_b',
        kind: 'degraded',
        attempts: 20,
        paid: 9,
        closedAt: null,
        openings: 1,
      });
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
      if (mode === 'embedded') await untilGauged(galla(), 'galla_provider_degraded', isZero);
      const [ended] = await untilIncidents(galla(), shop, 'have none open', over);
      const lasted = Date.parse(ended?.text('closedAt') ?? '') - Date.parse(ended?.text('openedAt') ?? '');
      // the attempts leave the window one by one
      expect(lasted).toBeGreaterThan(14 * 60_000);
      expect(lasted).toBeLessThan(15.5 * 60_000);
    },
  );

  test('row 23: while the breaker of a provider is open, it cannot be picked on any node', async () => {
    const shop = await ownerOf(galla(), `Down Pasal ${mode}`);
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
    await untilGauged(galla(), 'galla_provider_circuits_open', above0);
    const [incident] = await untilIncidents(galla(), shop, 'have one', oneOpen);
    expect(incident?.value).toMatchObject({
      provider: 'wallet_b',
      kind: 'down',
      failed: [{ call: 'start', why: 'unreadable', count: 5 }],
      closedAt: null,
    });
    await shop.faults([]);
    await shop.advance(30);
    const [ended] = await untilIncidents(galla(), shop, 'have none open', over);
    expect(Date.parse(ended?.text('closedAt') ?? '') - Date.parse(ended?.text('openedAt') ?? '')).toBe(
      30_000,
    );
    await untilEach(galla(), seen, 'offer it again', ({ html }) => !html.includes('Not available right now'));
    await untilGauged(galla(), 'galla_provider_circuits_open', isZero);
    const wallet = await press(buttonFor(await open(seen.text('checkout_url')), 'provider', 'wallet_b'));
    expect(wallet.url).toContain('/sim/wallet_b/');
  });

  test('row 23: a provider that refuses our requests says so until it takes one, while its health is up', async () => {
    const shop = await ownerOf(galla(), `Refused Pasal ${mode}`);
    const ours = providers.get('wallet_b')?.sandboxCredentials ?? {};
    await withCredentials(galla(), shop, { secretKey: 'revoked-by-the-provider' });
    const session = await shop.checkout();
    await press(buttonFor(await open(session.text('checkout_url')), 'provider', 'wallet_b'));
    const [incident] = await untilIncidents(galla(), shop, 'have one', oneOpen);
    expect(incident?.value).toMatchObject({ provider: 'wallet_b', kind: 'refused', call: 'start' });
    await shop.advance(3600);
    await untilListed(galla(), shop, 'wallet_b', (one) => one.at('health') === 'up');
    await untilIncidents(galla(), shop, 'have it still', oneOpen);
    await withCredentials(galla(), shop, ours);
    const paid = await shop.checkout();
    await shop.simulate(paid.text('id'), 'success');
    await shop.untilStatus(paid.text('id'), 'success');
    await untilIncidents(galla(), shop, 'have none open', over);
  });

  test.runIf(mode === 'cluster')(
    'row 23: an incident is one, and it ends, although the node that opened the circuit is killed',
    async () => {
      const house = galla() as ClusterOfTest;
      const shop = await ownerOf(house, 'Killed Pasal');
      await shop.faults([{ call: 'start', kind: 'outage_200' }]);
      const vain = await shop.checkout();
      for (let tries = 0; tries < 5; tries++)
        await press(buttonFor(await open(vain.text('checkout_url')), 'provider', 'wallet_b'));
      const opener = await callerAmong(house, shop.projectId);
      await opener.kill();
      const others = { ...house, urls: house.urls.filter((url) => url !== opener.url) };
      await untilListed(others, shop, 'wallet_b', (one) => one.at('health') === 'down');
      await untilIncidents(others, shop, 'have one', oneOpen);
      await opener.restart();
      await shop.advance(30);
      const incidents = await untilIncidents(house, shop, 'have ended it', over);
      expect(incidents.map((one) => one.at('openings'))).toEqual([1]);
    },
  );
});
