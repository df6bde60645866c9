/** What stays on one line of the dashboard on a phone, and what is said of an invoice that is over. */
import { expect, test } from 'vitest';
import { madeFor } from './dashboard-objects.ts';
import { logIn, ownerOf, sightOf, type Owner } from './dashboard-rig.ts';
import { describeDashboard } from './dashboard-stories.ts';

const phone = { width: 390, height: 844 };

/** The texts of these elements that have more than one line. */
const brokenIn = (selector: string): string => `[...document.querySelectorAll('${selector}')]
  .filter((each) => {
    const range = document.createRange();
    range.selectNodeContents(each);
    return new Set([...range.getClientRects()].map(({ bottom }) => Math.round(bottom))).size > 1;
  })
  .map((each) => each.textContent)`;

describeDashboard('lines of the dashboard', (rig) => {
  const at = (owner: Owner, below: string): string =>
    `${rig.house.url}/dashboard/${owner.projectId}/sandbox/${below}`;

  test('on a phone prices, addresses, ids and event types are not broken, and every tab of billing is seen', async () => {
    const owner = await ownerOf(rig.house, 'Phone Owner');
    const made = await madeFor(owner, rig.house);
    const { tab, close } = await sightOf(rig.browser, rig.house, { viewport: phone });
    await logIn(tab, owner);
    const eventId = made.delivery.text('eventId');
    const wanted = [
      ['billing/subscriptions', '.billed .sum'],
      [`events/${eventId}`, '.sent .whole'],
      [`webhooks/${made.endpointId}/events/${eventId}`, '.facts dd > a, .facts .id code'],
      ['requests', '.logged .id code'],
    ] as const;
    for (const [below, selector] of wanted) {
      await tab.goto(at(owner, below));
      await tab.locator(selector).first().waitFor();
      expect([below, await tab.evaluate(brokenIn(selector))]).toEqual([below, []]);
    }
    for (const below of ['subscriptions', 'invoices', 'customers', 'plans']) {
      await tab.goto(at(owner, `billing/${below}`));
      const tabs = tab.getByRole('navigation', { name: 'Billing' });
      await tabs.waitFor();
      expect([below, await tabs.evaluate((each) => each.scrollWidth - each.clientWidth)]).toEqual([below, 0]);
    }
    await close();
  });

  test('the arrows of a provider stand beside its name at every width', async () => {
    const owner = await ownerOf(rig.house, 'Moving Owner');
    const { tab, close } = await sightOf(rig.browser, rig.house);
    await logIn(tab, owner);
    await tab.goto(at(owner, 'settings/providers'));
    const card = tab.getByRole('region', { name: 'Wallet A' });
    const middleOf = async (selector: string): Promise<number> => {
      const box = await card.locator(selector).boundingBox();
      return (box?.y ?? 0) + (box?.height ?? 0) / 2;
    };
    await card.waitFor();
    for (const width of [390, 1000, 1280, 1920]) {
      await tab.setViewportSize({ width, height: 860 });
      expect(Math.abs((await middleOf('h2')) - (await middleOf('.mover'))), `${width}`).toBeLessThan(8);
    }
    await close();
  });

  test('the bounds of a link’s amount are on one line on a desktop', async () => {
    const owner = await ownerOf(rig.house, 'Donated Owner');
    await owner.api.must('POST', '/v1/payment-links', { name: 'Donation', minAmount: 10_000 });
    const { tab, close } = await sightOf(rig.browser, rig.house);
    await logIn(tab, owner);
    await tab.goto(at(owner, 'payment-links'));
    await tab.getByText('NPR 100.00 to NPR 10,00,000.00').waitFor();
    expect(await tab.evaluate(brokenIn('.links .sum'))).toEqual([]);
    await close();
  });

  test('of a voided invoice nothing is due: its screen says when it was voided', async () => {
    const owner = await ownerOf(rig.house, 'Voiding Owner');
    const { subscription } = await madeFor(owner, rig.house);
    const invoice = subscription.text('latestInvoice.id');
    await owner.api.must('POST', `/v1/billing/invoices/${invoice}/void`);
    const { tab, close } = await sightOf(rig.browser, rig.house);
    await logIn(tab, owner);
    await tab.goto(at(owner, `billing/invoices/${invoice}`));
    const what = tab.getByRole('region', { name: 'What it is' });
    await what
      .locator('.until')
      .getByText(/^Voided \d/)
      .waitFor();
    await what.getByText('Was due', { exact: true }).waitFor();
    expect(await what.getByText(/^Due /).count()).toBe(0);
    await close();
  });
});
