import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page, Route } from 'playwright-core';
import { expect, test } from 'vitest';
import { buttonFor, press } from '../../src/cli/demo/buyer.ts';
import { logIn, ownerOf, paid, row, rows, sightOf, type Owner } from './dashboard-rig.ts';
import { describeDashboard } from './dashboard-stories.ts';
import { faultsOf, noFaults } from './looks.ts';
import { browserIsHere } from './rig.ts';

if (!browserIsHere()) console.warn('SKIPPED: the browser tests need /usr/bin/chromium (or CHROMIUM=path)');

describeDashboard('the dashboard in a real browser', (rig) => {
  const headingWithKeyboard = (tab: Page) => tab.locator('h1:focus');

  test('a merchant logs in by keyboard, and a payment is shown and announced while the list is open', async () => {
    const owner = await ownerOf(rig.house, 'Live Pasal');
    const { tab, complaints, origins, close } = await sightOf(rig.browser, rig.house);
    await logIn(tab, owner);
    await tab.getByRole('heading', { name: 'No payment yet' }).waitFor();
    await paid(owner, 'Asha Rai');
    await row(tab, 'Asha Rai').getByText('Paid', { exact: true }).waitFor();
    const today = tab.getByRole('region', { name: /Paid today/ });
    await today.getByText('NPR 1,250.50', { exact: true }).first().waitFor();
    await today.getByRole('link', { name: '1 payment' }).waitFor();
    await tab.getByRole('status').getByText('Payment received: NPR 1,250.50 from Asha Rai.').waitFor();
    await paid(owner, 'Bikash Gurung', 'declined');
    await row(tab, 'Bikash Gurung').getByText('The buyer cancelled').waitFor();
    expect(complaints).toEqual([]);
    expect([...origins]).toEqual([new URL(rig.house.url).origin]);
    await close();
  });

  test('a wrong password says what to do, keeps the e-mail, and gives nothing away', async () => {
    const owner = await ownerOf(rig.house, 'Wrong Pasal');
    const { tab, close } = await sightOf(rig.browser, rig.house);
    await tab.getByLabel('E-mail').fill(owner.email);
    await tab.getByLabel('Password', { exact: true }).fill('no');
    await tab.keyboard.press('Enter');
    await tab.getByRole('alert').getByText('E-mail and password do not belong together.').waitFor();
    expect(await tab.getByLabel('E-mail').inputValue()).toBe(owner.email);
    await tab.getByLabel('Password', { exact: true }).fill(owner.password);
    await tab.keyboard.press('Enter');
    await tab.getByText('Up to date', { exact: true }).waitFor();
    await close();
  });

  test('the page of a payment shows its timeline and updates while it is open', async () => {
    const owner = await ownerOf(rig.house, 'Story Pasal');
    const shop = await rig.house.shop();
    await owner.endpoint(shop);
    const session = await owner.checkout({ customer: { name: 'Kiran Tamang' } });
    const page = await owner.startAndLogIn(session);
    const { tab, complaints, close } = await sightOf(rig.browser, rig.house);
    await logIn(tab, owner);
    await rows(tab).getByRole('link').press('Enter');
    await tab.getByText('Goes on by itself').waitFor();
    const what = tab.getByRole('region', { name: 'What it is' });
    expect(await what.getByText('Paid', { exact: true }).count()).toBe(0);
    await press(buttonFor(page, 'do', 'pay'));
    await what.getByText('Paid', { exact: true }).waitFor();
    const story = tab.getByRole('region', { name: 'Timeline' });
    await story.getByText('Lookup: paid, amount and reference equal').waitFor();
    await story.getByText('payment.succeeded, try 1: answered 200').waitFor();
    await story.getByText('Lookup: paid, amount and reference equal').click();
    await story.locator('dt:visible', { hasText: 'amountPaisa' }).waitFor();
    const its = tab.getByRole('region', { name: 'Checkout session' });
    await its.getByText(session.text('id')).waitFor();
    await its.getByText('Paid', { exact: true }).waitFor();
    await tab.getByRole('region', { name: 'Webhooks' }).getByText('Delivered').waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  test('a refused delivery is sent again by a button, and its request and answer are shown', async () => {
    const owner = await ownerOf(rig.house, 'Webhook Pasal');
    const shop = await rig.house.shop();
    shop.answering = () => ({ status: 500 });
    await owner.endpoint(shop, ['payment.succeeded']);
    await paid(owner, 'Sita Shrestha');
    const { tab, complaints, close } = await sightOf(rig.browser, rig.house);
    await logIn(tab, owner);
    await tab.getByRole('link', { name: 'Webhooks' }).click();
    await tab.getByRole('link', { name: /\/hooks$/ }).click();
    await tab.getByRole('link', { name: 'payment.succeeded', exact: true }).click();
    await tab.getByText('Trying again').waitFor();
    await tab.getByText(/Status 500/).waitFor();
    await tab.getByRole('region', { name: 'Body of the request' }).getByText('"payment.succeeded"').waitFor();
    shop.answering = () => ({ status: 200 });
    await tab.getByRole('button', { name: 'Send again now' }).press('Enter');
    await tab.getByText('Delivered', { exact: true }).waitFor();
    await tab.getByText(/Status 200/).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  test('an endpoint is tested by a button, which leads to the result', async () => {
    const owner = await ownerOf(rig.house, 'Test Pasal');
    const shop = await rig.house.shop();
    await owner.endpoint(shop, ['payment.succeeded']);
    const { tab, complaints, close } = await sightOf(rig.browser, rig.house);
    await logIn(tab, owner);
    await tab.getByRole('link', { name: 'Webhooks' }).click();
    await tab.getByRole('link', { name: /\/hooks$/ }).click();
    await tab.getByRole('button', { name: 'Send a test' }).press('Enter');
    await tab.getByRole('heading', { name: 'test.ping' }).waitFor();
    await tab.getByText('A test: what it tells of has not happened.').waitFor();
    await tab.getByText(/Status 200/).waitFor();
    expect(shop.webhooks.map(({ type }) => type)).toEqual(['test.ping']);
    await tab.getByRole('link', { name: 'Endpoint', exact: true }).click();
    await tab.getByText('a test', { exact: true }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  test('without its connection the page says so, and has missed nothing after the reconnect', async () => {
    const owner = await ownerOf(rig.house, 'Lost Pasal');
    const { tab, line, close } = await sightOf(rig.browser, rig.house);
    await logIn(tab, owner);
    await line.cut();
    await tab
      .getByText(/^Not connected\. The totals are those of/)
      .first()
      .waitFor();
    await paid(owner, 'Nirmala Thapa');
    line.on();
    await tab.getByRole('button', { name: 'Try now' }).click();
    await row(tab, 'Nirmala Thapa').getByText('Paid', { exact: true }).waitFor();
    await tab.getByText('Up to date', { exact: true }).waitFor();
    await close();
  });

  test('row 104: every screen of a suspended merchant says why and still loads, without talk of a lost connection', async () => {
    const owner = await ownerOf(rig.house, 'Held Pasal');
    await paid(owner, 'Gita Magar');
    const { tab, complaints, close } = await sightOf(rig.browser, rig.house);
    await logIn(tab, owner);
    const { body } = await rig.house.admin.must('GET', `/admin/v1/merchants?email=${owner.email}`);
    const merchant = `/admin/v1/merchants/${body.text('data.0.id')}`;
    await rig.house.admin.must('POST', `${merchant}/suspend`, { reason: 'Documents are overdue.' });
    const why = tab.getByRole('note').getByText('Suspended: Documents are overdue.');
    await why.waitFor();
    await tab.reload();
    const today = tab.getByRole('region', { name: /Paid today/ });
    await today.getByText('NPR 1,250.50', { exact: true }).first().waitFor({ timeout: 5_000 });
    await row(tab, 'Gita Magar').waitFor();
    const sections = [
      ['Refunds', 'Nothing was refunded yet'],
      ['Payment links', 'No payment link yet'],
      ['Webhooks', 'No endpoint yet'],
      ['API keys', 'Revoke'],
    ] as const;
    for (const [section, content] of sections) {
      await tab.getByRole('link', { name: section }).first().click();
      await tab.getByText(content).first().waitFor();
      await why.waitFor();
      expect(await tab.getByText(/Not connected|Try now|Not live/).count()).toBe(0);
    }
    await rig.house.admin.must('POST', `${merchant}/unsuspend`, {});
    await tab.evaluate('window.dispatchEvent(new Event("online"))');
    await tab.getByText('Up to date', { exact: true }).waitFor();
    await why.waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
    await close();
  });

  test('sandbox and live are separate, and the address shows which one is open', async () => {
    const owner = await ownerOf(rig.house, 'Two Books');
    await paid(owner, 'Ramesh KC');
    const { tab, close } = await sightOf(rig.browser, rig.house);
    await logIn(tab, owner);
    await row(tab, 'Ramesh KC').waitFor();
    await tab.getByText('Sandbox: no real money moves').waitFor();
    await headingWithKeyboard(tab).waitFor();
    await tab.getByRole('link', { name: 'Live', exact: true }).press('Enter');
    await tab.getByRole('heading', { name: 'No live payment yet' }).waitFor();
    await headingWithKeyboard(tab).waitFor();
    await tab.getByRole('status').getByText('Two Books, live.').waitFor();
    expect(new URL(tab.url()).pathname).toBe(`/dashboard/${owner.projectId}/live/payments`);
    expect(await tab.getByText('Sandbox: no real money moves').count()).toBe(0);
    await tab.goBack();
    await row(tab, 'Ramesh KC').waitFor();
    await tab.reload();
    await row(tab, 'Ramesh KC').waitFor();
    expect(await headingWithKeyboard(tab).count()).toBe(0);
    await close();
  });

  test('an answer slower than the refresh interval is still shown', async () => {
    const owner = await ownerOf(rig.house, 'Slow Pasal');
    await owner.startAndLogIn(await owner.checkout({ customer: { name: 'Kiran Tamang' } }));
    const { tab, close } = await sightOf(rig.browser, rig.house);
    await tab.clock.install();
    await logIn(tab, owner);
    const held: Route[] = [];
    await tab.route(/\/timeline\?/, (route) => void held.push(route));
    await rows(tab).getByRole('link').press('Enter');
    await tab.getByText('Loading the timeline').waitFor();
    await expect.poll(() => held.length).toBeGreaterThan(0);
    // three times the time between two questions, and less than an answer may take
    await tab.clock.runFor(14_000);
    const story = tab.getByRole('region', { name: 'Timeline' });
    expect(await story.locator('.entry').count()).toBe(0);
    // what is asked by the clock waits for what is under way; it would be three more. A change that is still heard of is
    // a reason to ask, at once and a moment later.
    expect(held.length).toBeLessThanOrEqual(3);
    await Promise.all(held.map((route) => route.continue()));
    await story.locator('.entry').first().waitFor();
    await close();
  });

  test('an operator opens a project that is too old to be in the list', async () => {
    const owner = await ownerOf(rig.house, 'Oldest Pasal');
    await paid(owner, 'Asha Rai');
    const { tab, close } = await sightOf(rig.browser, rig.house);
    await tab.route('**/dashboard/api/me', async (route) => {
      const response = await route.fetch();
      if (response.status() !== 200) return route.fulfill({ response });
      const me = (await response.json()) as { readonly projects: readonly { readonly id: string }[] };
      const projects = me.projects.filter(({ id }) => id !== owner.projectId);
      return route.fulfill({ response, json: { ...me, projects } });
    });
    const password = (await readFile(join(rig.house.dataDir, 'admin-token'), 'utf8')).trim();
    await logIn(tab, { email: 'operator', password });
    await tab.goto(`${rig.house.url}/dashboard/${owner.projectId}/sandbox/payments`);
    await row(tab, 'Asha Rai').waitFor();
    expect(await tab.getByLabel('Project').inputValue()).toBe(owner.projectId);
    await close();
  });

  test('a failed log-out is reported and can be repeated', async () => {
    const owner = await ownerOf(rig.house, 'Leaving Pasal');
    const { tab, close } = await sightOf(rig.browser, rig.house);
    await logIn(tab, owner);
    await tab.route('**/dashboard/logout', (route) => route.abort());
    await tab.getByLabel('Account').click();
    await tab.getByRole('button', { name: 'Log out' }).press('Enter');
    await tab.getByRole('alert').getByText('You may still be logged in.').waitFor();
    await tab.unroute('**/dashboard/logout');
    await tab.getByRole('button', { name: 'Try again to log out' }).press('Enter');
    await tab.getByText('You are logged out.').waitFor();
    await close();
  });

  test('another merchant’s project shows nothing, and an ended login leads back to the login page', async () => {
    const [owner, other] = [await ownerOf(rig.house, 'Mine'), await ownerOf(rig.house, 'Not Mine')];
    const { tab, close } = await sightOf(rig.browser, rig.house);
    await logIn(tab, owner);
    await tab.goto(`${rig.house.url}/dashboard/${other.projectId}/sandbox/payments`);
    await tab.getByRole('heading', { name: 'This project is not one of yours' }).waitFor();
    await tab.getByRole('link', { name: 'To your payments' }).click();
    await tab.getByText('Up to date', { exact: true }).waitFor();
    // what is still asked for would end the login before the click does
    await tab.waitForLoadState('networkidle');
    await tab.context().clearCookies();
    await tab.getByRole('link', { name: 'Webhooks' }).click();
    await tab.getByText('Your login has ended.').waitFor();
    await logOutIsWhole(tab, owner);
    await close();
  });

  /** Logs in on the same page, and out by the menu. */
  async function logOutIsWhole(tab: Page, { email, password }: Owner): Promise<void> {
    await tab.getByLabel('E-mail').fill(email);
    await tab.getByLabel('Password', { exact: true }).fill(password);
    await tab.keyboard.press('Enter');
    await tab.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor();
    await tab.getByLabel('Account').click();
    await tab.getByRole('button', { name: 'Log out' }).click();
    await tab.getByText('You are logged out.').waitFor();
    await tab.reload();
    await tab.getByRole('heading', { name: 'Log in to Galla' }).waitFor();
  }

  test('every screen fits phone and desktop widths, is readable in both colour schemes, and works by keyboard', async () => {
    const owner = await ownerOf(rig.house, 'A Shop With A Name That Is Rather Long');
    const shop = await rig.house.shop();
    const { id: endpointId } = await owner.endpoint(shop);
    await paid(owner, 'Somebody With A Very Long Name Indeed, Of Kathmandu');
    await paid(owner, 'सीता श्रेष्ठ', 'ambiguous');
    const { body } = await owner.api.must('GET', '/v1/payments');
    const ids = body.list('data').map((payment) => payment.text('id'));
    const event = await shop.webhook(({ type }) => type === 'payment.succeeded');
    const { tab, complaints, close } = await sightOf(rig.browser, rig.house);
    await logIn(tab, owner);
    const base = `${rig.house.url}/dashboard/${owner.projectId}/sandbox`;
    const screens: readonly (readonly [path: string, ready: string])[] = [
      ['/payments', '.book .row'],
      ['/payments?status=refunded', '.empty'],
      ...ids.map((id) => [`/payments/${id}`, '.timeline .entry'] as const),
      ['/webhooks', '.endpoints .row'],
      [`/webhooks/${endpointId}`, '.deliveries .row'],
      [`/webhooks/${endpointId}/events/${event.id}`, '.code-block'],
      ['/nowhere', 'h1'],
    ];
    for (const [path, ready] of screens) {
      await tab.goto(`${base}${path}`);
      await tab.locator(ready).first().waitFor();
      await tab.getByText('Up to date', { exact: true }).waitFor();
      const found = { path, ...(await faultsOf(tab)), complaints: [...complaints] };
      expect(found).toEqual({ path, ...noFaults, complaints: [] });
    }
    await close();
  }, 120_000);
});
