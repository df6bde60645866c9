/** The frame of the dashboard: its bar at every width, and the titles of its tabs. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { logIn, operatorOf, ownerOf, paid, sightOf, type Owner } from './dashboard-rig.ts';
import { describeDashboard } from './dashboard-stories.ts';

const [narrowest, widest, step] = [390, 2560, 35];
const longName = 'Himalayan General Trading and Import Company of the Whole Valley';

/** What is wrong with the bar at this width; empty: nothing. */
const barFaults = `(() => {
  const links = [...document.querySelectorAll('.sections nav a')].map((each) => each.getBoundingClientRect());
  const all = document.querySelector('.all-sections');
  const top = [...document.querySelectorAll('.bar-in > :not(.sections)')].map((each) => each.getBoundingClientRect());
  const sections = document.querySelector('.sections').getBoundingClientRect();
  const isOneRow = new Set(links.map(({ top }) => Math.round(top))).size === 1;
  const topIsOneRow = top.every((each) => each.bottom <= sections.top + 1);
  const hidden = links.filter(({ right }) => right > document.documentElement.clientWidth).length;
  return [
    isOneRow ? '' : 'the sections wrap',
    topIsOneRow ? '' : 'the top wraps',
    hidden > 0 && all.offsetParent === null ? hidden + ' sections cannot be reached' : '',
    document.documentElement.scrollWidth > innerWidth ? 'the page scrolls sideways' : '',
  ].filter((each) => each !== '');
})()`;

async function widthsWithFaults(tab: Page): Promise<readonly string[]> {
  const found: string[] = [];
  for (let width = narrowest; width <= widest; width += step) {
    await tab.setViewportSize({ width, height: 800 });
    const faults = (await tab.evaluate(barFaults)) as readonly string[];
    found.push(...faults.map((fault) => `${width}: ${fault}`));
  }
  return found;
}

describeDashboard('the frame of the dashboard', (rig) => {
  const at = (owner: Owner, below: string): string =>
    `${rig.house.url}/dashboard/${owner.projectId}/sandbox/${below}`;

  test('the bar has one row of sections at every width, for an owner and for the operator', async () => {
    const owner = await ownerOf(rig.house, longName);
    const one = await sightOf(rig.browser, rig.house);
    await logIn(one.tab, owner);
    expect(await widthsWithFaults(one.tab)).toEqual([]);
    await one.close();
    const other = await sightOf(rig.browser, rig.house);
    await logIn(other.tab, operatorOf(rig.house));
    expect(await widthsWithFaults(other.tab)).toEqual([]);
    await other.tab.goto(`${rig.house.url}/dashboard/operator/merchants`);
    await other.tab.getByRole('heading', { name: 'Merchants', level: 1 }).waitFor();
    expect(await widthsWithFaults(other.tab)).toEqual([]);
    await other.close();
  });

  test('the title of a tab names the object, its kind where the name does not tell it, and the mode', async () => {
    const owner = await ownerOf(rig.house, 'Tab Pasal');
    const server = await rig.house.shop();
    await owner.endpoint(server, ['checkout.created']);
    await paid(owner, 'Asha Rai');
    const first = async (path: string) => (await owner.api.must('GET', path)).body.list('data')[0];
    const payment = (await first('/v1/payments'))?.text('id') ?? '';
    const endpoint = (await first('/v1/webhooks'))?.text('id') ?? '';
    const [event] = await owner.untilEvents(1, 'checkout.created');
    const eventId = event?.text('id') ?? '';
    const customer = (
      await owner.api.must('POST', '/v1/billing/customers', { name: 'Binod Karki', email: 'b@example.com' })
    ).body.text('id');
    const titles = [
      ['payments', 'Payments'],
      [`payments/${payment}`, payment],
      [`webhooks/${endpoint}`, `${server.url}/hooks · Webhook endpoint`],
      [`webhooks/${endpoint}/events/${eventId}`, `checkout.created ${eventId} · Delivery`],
      [`events/${eventId}`, `checkout.created ${eventId}`],
      [`billing/customers/${customer}`, 'Binod Karki · Customer'],
    ] as const;
    const { tab, close } = await sightOf(rig.browser, rig.house);
    await logIn(tab, owner);
    for (const [below, title] of titles) {
      await tab.goto(at(owner, below));
      await expect.poll(() => tab.title(), { timeout: 5000 }).toBe(`${title} · Sandbox · Galla`);
    }
    await close();
  });

  test('a payment whose buyer has no name is called by its description', async () => {
    const owner = await ownerOf(rig.house, 'Nameless Pasal');
    const session = await owner.checkout({ customer: null, description: 'Two sacks of rice' });
    await owner.simulate(session.text('id'), 'success');
    const { tab, complaints, close } = await sightOf(rig.browser, rig.house);
    await logIn(tab, owner);
    await tab.getByRole('row').getByRole('link', { name: 'Two sacks of rice' }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  test('a delivery in a list of a payment or of an event names its endpoint', async () => {
    const owner = await ownerOf(rig.house, 'Two Pasal');
    const [one, two] = [await rig.house.shop(), await rig.house.shop()];
    await owner.endpoint(one, ['payment.succeeded']);
    await owner.endpoint(two, ['payment.succeeded']);
    await paid(owner, 'Asha Rai');
    const [event] = await owner.untilEvents(1, 'payment.succeeded');
    const { tab, complaints, close } = await sightOf(rig.browser, rig.house);
    await logIn(tab, owner);
    for (const below of [`events/${event?.text('id')}`, `payments/${event?.text('data.id')}`]) {
      await tab.goto(at(owner, below));
      for (const { url } of [one, two]) await tab.getByText(`to ${url}/hooks`).waitFor();
    }
    // its provider answers a fee of 0, which says nothing
    expect(await tab.getByText('Provider’s fee').count()).toBe(0);
    expect(complaints).toEqual([]);
    await close();
  });
});
