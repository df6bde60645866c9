/** Nothing on a screen or page moves by itself while it loads. */
import type { BrowserContext } from 'playwright-core';
import { expect, test } from 'vitest';
import { logIn, ownerOf, paid, sightOf } from './dashboard-rig.ts';
import { describeDashboard } from './dashboard-stories.ts';

/** Of all that moves without an input while a page loads, at most this (1: the whole window, by its height). */
const shiftMax = 0.02;
/** Longer than any answer takes here. */
const settledMs = 500;
const widths = [390, 1280];

const watch = `globalThis.shifts = [];
new PerformanceObserver((list) => {
  for (const { value, hadRecentInput, sources } of list.getEntries()) {
    const moved = sources.map(({ node }) => node?.className || node?.nodeName || '').join();
    if (!hadRecentInput) shifts.push([value, moved]);
  }
}).observe({ type: 'layout-shift', buffered: true });`;

interface Shift {
  readonly at: string;
  readonly sum: number;
  readonly moved: readonly unknown[];
}

/** The pages that move more than they may. */
async function movingOnes(context: BrowserContext, addresses: readonly string[]): Promise<readonly Shift[]> {
  await context.addInitScript(watch);
  const tab = await context.newPage();
  const found: Shift[] = [];
  for (const width of widths) {
    await tab.setViewportSize({ width, height: 844 });
    for (const address of addresses) {
      await tab.goto(address);
      await tab.waitForLoadState('networkidle');
      await tab.waitForTimeout(settledMs);
      const moved = (await tab.evaluate('shifts')) as readonly (readonly [number, string])[];
      const sum = moved.reduce((all, [value]) => all + value, 0);
      if (sum > shiftMax) found.push({ at: `${width} ${new URL(address).pathname}`, sum, moved });
    }
  }
  await tab.close();
  return found;
}

describeDashboard('while it loads', (rig) => {
  test('no screen of the dashboard moves', { timeout: 240_000 }, async () => {
    const owner = await ownerOf(rig.house, 'Still Pasal');
    const server = await rig.house.shop();
    await owner.endpoint(server, ['*']);
    for (const name of ['Asha Rai', 'Binod Karki', 'Chandra Thapa']) await paid(owner, name);
    await paid(owner, 'Deepa Gurung', 'declined');
    const customer = (
      await owner.api.must('POST', '/v1/billing/customers', { name: 'Binod Karki', email: 'b@example.com' })
    ).body.text('id');
    const plan = (
      await owner.api.must('POST', '/v1/billing/plans', {
        name: 'Monthly',
        amount: 50_000,
        intervalUnit: 'month',
      })
    ).body.text('id');
    const subscription = (
      await owner.api.must('POST', '/v1/billing/subscriptions', { customerId: customer, planId: plan })
    ).body.text('id');
    const link = (await owner.api.must('POST', '/v1/payment-links', { name: 'Tea', amount: 5000 })).body.text(
      'id',
    );
    const first = async (path: string) =>
      (await owner.api.must('GET', path)).body.list('data')[0]?.text('id') ?? '';
    // one that is over: another one changes when it is looked up again
    const [payment, endpoint] = [await first('/v1/payments?status=success'), await first('/v1/webhooks')];
    const [event] = await owner.untilEvents(1, 'payment.succeeded');
    const invoice = await first('/v1/billing/invoices');
    const below = [
      'payments',
      `payments/${payment}`,
      'reviews',
      'refunds',
      'reconciliation',
      'payment-links',
      'payment-links/new',
      `payment-links/${link}`,
      'billing/subscriptions',
      'billing/subscriptions/new',
      `billing/subscriptions/${subscription}`,
      'billing/invoices',
      ...(invoice === '' ? [] : [`billing/invoices/${invoice}`]),
      'billing/customers',
      'billing/customers/new',
      `billing/customers/${customer}`,
      'billing/plans',
      'billing/plans/new',
      `billing/plans/${plan}`,
      'webhooks',
      'webhooks/new',
      `webhooks/${endpoint}`,
      `webhooks/${endpoint}/events/${event?.text('id')}`,
      'events',
      `events/${event?.text('id')}`,
      'requests',
      'settings/keys',
      'settings/providers',
      'settings/business',
    ];
    const { tab, close } = await sightOf(rig.browser, rig.house);
    await logIn(tab, owner);
    const root = `${rig.house.url}/dashboard/${owner.projectId}/sandbox`;
    expect(
      await movingOnes(
        tab.context(),
        below.map((each) => `${root}/${each}`),
      ),
    ).toEqual([]);
    await close();
  });

  test("no buyer's page moves", { timeout: 120_000 }, async () => {
    const owner = await ownerOf(rig.house, 'Calm Pasal');
    const [open, over] = [await owner.checkout(), await owner.checkout()];
    await owner.api.must('POST', `/v1/checkout/${over.text('id')}/expire`);
    const paidOne = await paid(owner, 'Asha Rai');
    const link = await owner.api.must('POST', '/v1/payment-links', { name: 'Tea', amount: 5000 });
    const context = await rig.browser.newContext();
    const addresses = [
      open.text('checkout_url'),
      over.text('checkout_url'),
      `${rig.house.url}/pay/${paidOne}`,
      link.body.text('url'),
      `${rig.house.url}/status?query=${paidOne}`,
    ];
    expect(await movingOnes(context, addresses)).toEqual([]);
    await context.close();
  });
});
