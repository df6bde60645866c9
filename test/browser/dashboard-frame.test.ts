/** The frame of the dashboard: its bar at every width, the titles of its tabs, and what things are called. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { Body } from '../../src/cli/demo/api.ts';
import { comparedFrom, paidPayment } from '../support/statements.ts';
import { madeFor } from './dashboard-objects.ts';
import {
  logIn,
  operatorOf,
  ownerOf,
  paid,
  paidWith,
  sightOf,
  waitingFor,
  type Owner,
} from './dashboard-rig.ts';
import { describeDashboard } from './dashboard-stories.ts';
import { faultsOf, noFaults } from './looks.ts';

const [narrowest, widest, step] = [390, 2560, 35];
/** Beside each other at the width from which the sections are not scrolled (css/sections.css), and where they begin. */
const edges = [1264, 1265];
/** Longer than a look-up takes. */
const countedMs = 15_000;
const longName = 'Himalayan General Trading and Import Company of the Whole Valley';

/** What is wrong with the bar at this width; empty: nothing. */
const barFaults = `(() => {
  const isThere = (each) => each.checkVisibility() && each.getClientRects().length > 0;
  const boxOf = (each) => each.getBoundingClientRect();
  const links = [...document.querySelectorAll('.sections nav a')].map(boxOf);
  const all = document.querySelector('.all-sections');
  const scrolls = all !== null && isThere(all);
  const top = [...document.querySelectorAll('.bar-in > :not(.sections)')].filter(isThere).map(boxOf);
  const bar = document.querySelector('.bar-in');
  const end = boxOf(bar).right - parseFloat(getComputedStyle(bar).paddingRight);
  const isOneRow = new Set(links.map(({ top }) => Math.round(top))).size === 1;
  // in one row each is beside each other one: they share a height, and no width
  const topIsOneRow = Math.max(...top.map(({ top }) => top)) < Math.min(...top.map(({ bottom }) => bottom));
  const byLeft = top.toSorted((a, b) => a.left - b.left);
  const isCovered = byLeft.some((each, at) => at > 0 && each.left < byLeft[at - 1].right - 1);
  return [
    isOneRow ? '' : 'the sections wrap',
    topIsOneRow ? '' : 'the top wraps',
    isCovered ? 'one part of the top covers another' : '',
    byLeft.at(-1).right > end + 1 ? 'the top leaves the bar' : '',
    !scrolls && links.at(-1).right > end + 1 ? 'the sections leave the bar' : '',
    document.documentElement.scrollWidth > innerWidth ? 'the page scrolls sideways' : '',
  ].filter((each) => each !== '');
})()`;

/** No queue is longer. */
const widestCount = "document.querySelector('.sections .count').firstChild.data = '1,234'";

async function widthsWithFaults(tab: Page): Promise<readonly string[]> {
  const found: string[] = [];
  const widths = [...edges];
  for (let width = narrowest; width <= widest; width += step) widths.push(width);
  for (const width of widths) {
    await tab.setViewportSize({ width, height: 800 });
    const faults = (await tab.evaluate(barFaults)) as readonly string[];
    found.push(...faults.map((fault) => `${width}: ${fault}`));
  }
  return found;
}

describeDashboard('the frame of the dashboard', (rig) => {
  const at = (owner: Owner, below: string): string =>
    `${rig.house.url}/dashboard/${owner.projectId}/sandbox/${below}`;

  test('the bar has one row of sections at every width, for an owner with a count and for the operator', async () => {
    const owner = await ownerOf(rig.house, longName);
    await waitingFor(owner, await rig.house.shop());
    const one = await sightOf(rig.browser, rig.house);
    await logIn(one.tab, owner);
    await expect.poll(() => one.tab.locator('.sections .count').count(), { timeout: countedMs }).toBe(1);
    await one.tab.evaluate(widestCount);
    expect(await widthsWithFaults(one.tab)).toEqual([]);
    // a fault would be seen
    await one.tab.setViewportSize({ width: 1280, height: 800 });
    await one.tab.evaluate("document.querySelector('.account').style.gridRow = 3");
    expect(await one.tab.evaluate(barFaults)).toEqual(['the top wraps']);
    await one.close();
    const other = await sightOf(rig.browser, rig.house);
    await logIn(other.tab, operatorOf(rig.house));
    await other.tab.goto(at(owner, 'payments'));
    await expect.poll(() => other.tab.locator('.sections .count').count(), { timeout: countedMs }).toBe(1);
    await other.tab.evaluate(widestCount);
    expect(await widthsWithFaults(other.tab)).toEqual([]);
    await other.tab.goto(`${rig.house.url}/dashboard/operator/merchants`);
    await other.tab.getByRole('heading', { name: 'Merchants', level: 1 }).waitFor();
    expect(await widthsWithFaults(other.tab)).toEqual([]);
    await other.close();
  });

  test('the title of a tab names the object, its kind where the name does not tell it, and the mode', async () => {
    const owner = await ownerOf(rig.house, 'Tab Pasal');
    const { payment, plan, customer, subscription, link, endpointId, delivery, statement } = await madeFor(
      owner,
      rig.house,
    );
    const id = (of: Body): string => of.text('id');
    const named = await paidWith(owner, 'wallet_b', 'Asha Rai');
    const { url } = (await owner.api.must('GET', `/v1/webhooks/${endpointId}`)).body.value as {
      url: string;
    };
    const [eventId, name] = [delivery.text('eventId'), customer.text('name')];
    const invoice = subscription.text('latestInvoice.id');
    const { body } = await owner.api.must('GET', `/v1/billing/invoices/${invoice}`);
    const titles = [
      ['payments', 'Payments'],
      ['checkouts?status=open', 'Checkouts'],
      [`payments/${named}`, 'Asha Rai · NPR 1,250.50 · Payment'],
      [`payments/${id(payment)}`, `${id(payment)} · NPR 1,250.50 · Payment`],
      [`billing/plans/${id(plan)}`, `${plan.text('name')} · Plan`],
      [`billing/subscriptions/${id(subscription)}`, `${name} · Subscription`],
      [`billing/invoices/${invoice}`, `${body.text('invoiceNumber')} · Invoice`],
      [`billing/customers/${id(customer)}`, `${name} · Customer`],
      [`payment-links/${id(link)}`, 'Tea · Payment link'],
      [`reconciliation/${id(statement)}`, 'first.csv · Statement'],
      [`webhooks/${endpointId}`, `${url} · Webhook endpoint`],
      [`webhooks/${endpointId}/events/${eventId}`, `payment.succeeded ${eventId} · Delivery`],
      [`events/${eventId}`, `payment.succeeded ${eventId}`],
    ] as const;
    const { tab, close } = await sightOf(rig.browser, rig.house);
    await logIn(tab, owner);
    for (const [below, title] of titles) {
      await tab.goto(at(owner, below));
      await expect.poll(() => tab.title(), { timeout: 5000 }).toBe(`${title} · Sandbox · Galla`);
    }
    await close();
  });

  test('the title of a tab names what the socket has brought, also while the API has not answered', async () => {
    const owner = await ownerOf(rig.house, 'Silent Pasal');
    const id = await paidWith(owner, 'wallet_b', 'Asha Rai');
    const { tab, close } = await sightOf(rig.browser, rig.house);
    await logIn(tab, owner);
    await tab.route(`**/payments/${id}`, (route) =>
      route.request().resourceType() === 'document' ? route.continue() : route.abort(),
    );
    await tab.goto(at(owner, `payments/${id}`));
    await expect.poll(() => tab.title()).toBe('Asha Rai · NPR 1,250.50 · Payment · Sandbox · Galla');
    await close();
  });

  test('a payment whose buyer has no name is called by its description: in the list, on its own screen, and in the review queue', async () => {
    const owner = await ownerOf(rig.house, 'Nameless Pasal');
    const begun = async (description: string, outcome: string): Promise<string> => {
      const session = await owner.checkout({ customer: null, description });
      await owner.simulate(session.text('id'), outcome);
      return (await owner.session(session.text('id'))).text('paymentId');
    };
    const rice = await begun('Two sacks of rice', 'success');
    await begun('A crate of tea', 'ambiguous');
    const { tab, complaints, close } = await sightOf(rig.browser, rig.house);
    await logIn(tab, owner);
    await tab.getByRole('row').getByRole('link', { name: 'Two sacks of rice' }).waitFor();
    await tab.goto(at(owner, `payments/${rice}`));
    await tab.getByRole('region', { name: 'What it is' }).getByText('Two sacks of rice').waitFor();
    await expect.poll(() => tab.title()).toBe('Two sacks of rice · NPR 1,250.50 · Payment · Sandbox · Galla');
    await tab.goto(at(owner, 'reviews'));
    const reviews = tab.getByRole('region', { name: 'Reviews' });
    await reviews.getByRole('heading', { name: 'A crate of tea' }).waitFor();
    await reviews.getByRole('button', { name: 'Dismiss' }).press('Enter');
    await reviews.getByLabel('Reason').fill('Settled by phone.');
    await reviews.getByRole('button', { name: 'Dismiss' }).press('Enter');
    await tab.getByRole('link', { name: 'Ended' }).press('Enter');
    await reviews.getByRole('heading', { name: 'A crate of tea' }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  test('the number of open checkouts leads to all of them, also to those that nobody has begun to pay', async () => {
    const owner = await ownerOf(rig.house, 'Open Pasal');
    await paid(owner, 'Paid Rai');
    await owner.checkout({ customer: null, description: 'Not begun' });
    const begun = await owner.checkout({ customer: { name: 'Asha Rai' } });
    await owner.start(begun);
    const { tab, complaints, close } = await sightOf(rig.browser, rig.house);
    await logIn(tab, owner);
    const figure = tab.locator('.figure').filter({ hasText: 'Open now' });
    await figure.getByRole('link', { name: '2', exact: true }).press('Enter');
    await tab.getByRole('heading', { name: 'Checkouts', level: 1 }).waitFor();
    const listed = tab.getByRole('region', { name: 'List of checkouts' }).getByRole('listitem');
    await listed.filter({ hasText: 'Asha Rai' }).getByText('Buyer is paying').waitFor();
    const idle = listed.filter({ hasText: 'Not begun' });
    await idle.getByText('Open', { exact: true }).waitFor();
    expect(await listed.count()).toBe(2);
    const page = await idle.getByRole('link').getAttribute('href');
    expect(page).toMatch(/\/pay\/cs_/);
    // one that ends is not called open any longer
    await owner.api.must('POST', `/v1/checkout/${begun.text('id')}/expire`);
    await listed.filter({ hasText: 'Asha Rai' }).getByText('Expired', { exact: true }).waitFor();
    await tab.getByRole('link', { name: 'All', exact: true }).press('Enter');
    await listed.filter({ hasText: 'Paid Rai' }).waitFor();
    expect(await faultsOf(tab)).toEqual(noFaults);
    await listed.filter({ hasText: 'Paid Rai' }).getByRole('link').press('Enter');
    await tab.getByRole('heading', { name: 'Payment', level: 1 }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  test('a fee that a statement names is shown, and one of 0 by a wallet that names it later is not', async () => {
    const owner = await ownerOf(rig.house, 'Fee Pasal');
    const payment = await paidPayment(owner);
    const csv = `reference,amount,fee\n${payment.text('providerRef')},1250.50,12.50\n`;
    const { tab, complaints, close } = await sightOf(rig.browser, rig.house);
    await logIn(tab, owner);
    await tab.goto(at(owner, `payments/${payment.text('id')}`));
    const facts = tab.getByRole('region', { name: 'What it is' });
    await facts.getByText('Wallet B').waitFor();
    expect(payment.at('fee')).toBe(0);
    expect(await facts.getByText('Provider’s fee').count()).toBe(0);
    const { value } = await comparedFrom(owner, csv);
    expect(value).toMatchObject({ status: 'done', matched: 1 });
    await facts.getByText('Provider’s fee').locator('..').getByText('NPR 12.50').waitFor();
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
    expect(complaints).toEqual([]);
    await close();
  });
});
