/** `npm run screenshots`: takes the pictures of the README again, from the real service in a real browser.
 *  Boundary: docs/images only. The service, its data folder and the browser are gone when it ends. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { PNG } from 'pngjs';
import { assertBuilt } from '../browser/dashboard-rig.ts';
import { openBrowser } from '../browser/rig.ts';
import { Api, type Body } from '../../src/cli/demo/api.ts';
import { Billing, threeSeven } from './billing.ts';
import { startGalla, type Galla } from './galla.ts';
import { Merchant } from './merchant.ts';
import { root } from './house.ts';

/** A page of the README loads several of these. */
const bytesMax = 200 * 1024;
const folder = join(root, 'docs/images');
/** Chromium compresses fast, not well: these settings save a fifth. */
const smallest = { colorType: 2, deflateLevel: 9, deflateStrategy: 0, filterType: 0 } as const;
const firstOrder = 1001;
const secondsBetweenOrders = 430;
const phone = { width: 390, height: 800 };
const desktopTimeline = { width: 1160, height: 690 };
/** Of the card over the timeline, in pixels. */
const aboveTimeline = 90;
const scrollMs = 300;
const desktopSubscription = { width: 1060, height: 600 };
const desktop = { width: 1060, height: 760 };

/** What a small shop sells in an hour: buyer, paisa, what, how it ends, by which provider. */
const orders = [
  ['Asha Rai', 125_050, 'The Book', 'success', 'wallet_b'],
  ['Bikash Gurung', 89_900, 'Notebook, three pieces', 'success', 'wallet_a'],
  ['Kiran Tamang', 45_000, 'Postcards', 'success', 'wallet_b'],
  ['Nirmala Thapa', 312_575, 'Cookbook and apron', 'success', 'wallet_a'],
  ['Gita Adhikari', 52_000, 'Calendar', 'success', 'wallet_a'],
  ['Sita Shrestha', 240_000, 'Atlas of Nepal', 'cancelled', 'wallet_b'],
  ['Pooja Maharjan', 198_000, 'Poems, signed', 'success', 'wallet_b'],
  ['Dorje Sherpa', 154_025, 'Trekking map', 'lost_redirect', 'wallet_b'],
  ['Ramesh KC', 67_500, 'Pocket dictionary', 'declined', 'wallet_a'],
  ['Suman Lama', 275_000, 'Photo book', 'success', 'wallet_b'],
] as const;

interface Owner {
  readonly merchant: Merchant;
  readonly email: string;
  readonly password: string;
}

/** A merchant on the premium plan, so that the hosted page offers the code, too. */
async function ownerOf({ admin, key, url, nobody }: Galla): Promise<Owner> {
  const email = 'asha@example.com';
  const made = { name: 'Asha Books', email, plan: 'premium' };
  const { body } = await admin.must('POST', '/admin/v1/merchants', made);
  const projectId = body.text('project.id');
  const secret = await key(projectId, { kind: 'secret', mode: 'sandbox' });
  return {
    merchant: new Merchant(projectId, new Api(url, secret), nobody),
    email,
    password: body.text('password'),
  };
}

/** One order, made and brought to its end. */
async function sell(merchant: Merchant, at: number, order: (typeof orders)[number]): Promise<Body> {
  const [name, amount, description, outcome, provider] = order;
  const session = await merchant.checkout({
    amount,
    description,
    customer: { name },
    metadata: { order_id: `${firstOrder + at}` },
  });
  const id = session.text('id');
  await merchant.api.must('POST', `/v1/test/checkout/${id}/simulate`, { outcome, provider });
  // the provider's answers come in real time, polls on the test clock
  await merchant.advance(secondsBetweenOrders);
  return session;
}

async function windowOf(
  browser: Browser,
  url: string,
  viewport: { readonly width: number; readonly height: number },
): Promise<Page> {
  const context = await browser.newContext({
    viewport,
    deviceScaleFactor: 2,
    colorScheme: 'light',
    reducedMotion: 'reduce',
    timezoneId: 'Asia/Kathmandu',
  });
  const tab = await context.newPage();
  await tab.goto(url);
  return tab;
}

async function take(tab: Page, name: string): Promise<void> {
  const path = join(folder, `${name}.png`);
  await tab.evaluate('document.activeElement?.blur()');
  await tab.mouse.move(0, 0);
  const picture = PNG.sync.write(PNG.sync.read(await tab.screenshot()), smallest);
  if (picture.length > bytesMax) throw new Error(`${name}.png has ${picture.length} of ${bytesMax} bytes`);
  writeFileSync(path, picture);
  process.stdout.write(`docs/images/${name}.png  ${Math.ceil(picture.length / 1024)} KiB\n`);
}

/** The buyer's page on a phone: the choice of a provider, and a code to scan. */
async function hosted(browser: Browser, { merchant }: Owner): Promise<void> {
  const session = await merchant.checkout({
    amount: 125_050,
    description: 'The Book, second edition',
    customer: { name: 'Asha Rai', email: 'asha.rai@example.com', phone: '9800000000' },
    metadata: { order_id: `${firstOrder + orders.length}` },
  });
  const tab = await windowOf(browser, session.text('checkout_url'), phone);
  await tab.getByRole('button', { name: /Wallet B/ }).waitFor();
  await take(tab, 'hosted-page');
  await tab.getByRole('button', { name: /QR/ }).click();
  await tab.getByRole('img', { name: /code/i }).waitFor();
  await take(tab, 'hosted-qr');
  await tab.context().close();
}

/** The merchant's dashboard: the payments of today, and one with its timeline. */
async function dashboard(browser: Browser, url: string, owner: Owner, shown: string): Promise<void> {
  const tab = await windowOf(browser, `${url}/dashboard`, desktop);
  await tab.getByLabel('E-mail').fill(owner.email);
  await tab.getByLabel('Password', { exact: true }).fill(owner.password);
  await tab.keyboard.press('Enter');
  await tab.getByText('Up to date', { exact: true }).waitFor();
  await take(tab, 'dashboard');
  await tab.getByRole('row').filter({ hasText: shown }).getByRole('link').press('Enter');
  await tab.getByText(/payment\.succeeded, try 1/).waitFor();
  await tab.setViewportSize(desktopTimeline);
  await tab.getByRole('region', { name: 'Timeline' }).evaluate((each) => each.scrollIntoView());
  await tab.mouse.wheel(0, -aboveTimeline);
  await tab.waitForTimeout(scrollMs);
  await take(tab, 'dashboard-payment');
  await tab.context().close();
}

/** A subscription that is not paid yet and changes its plan: everything that comes next. */
async function subscribed(merchant: Merchant): Promise<string> {
  const billing = new Billing(merchant);
  const plan = await billing.plan({ ...threeSeven, name: 'Book club, monthly', defaultProvider: 'bank_a' });
  const yearly = await billing.plan({
    ...threeSeven,
    name: 'Book club, yearly',
    amount: 1_500_000,
    intervalUnit: 'year',
  });
  const customer = await billing.customer({ name: 'Nirmala Thapa', email: 'nirmala@example.com' });
  const made = await billing.subscribe(plan, { customerId: customer.text('id') });
  await billing.act(made.text('id'), 'change-plan', { planId: yearly.text('id') });
  return made.text('id');
}

/** A subscription in the dashboard, with its next steps as a line in time. */
async function billed(browser: Browser, url: string, owner: Owner): Promise<void> {
  const id = await subscribed(owner.merchant);
  const tab = await windowOf(browser, `${url}/dashboard`, desktopSubscription);
  await tab.getByLabel('E-mail').fill(owner.email);
  await tab.getByLabel('Password', { exact: true }).fill(owner.password);
  await tab.keyboard.press('Enter');
  await tab.getByText('Up to date', { exact: true }).waitFor();
  await tab.goto(`${url}/dashboard/${owner.merchant.projectId}/sandbox/billing/subscriptions/${id}`);
  await tab.getByText('The plan changes to').waitFor();
  await tab.getByText('is to be paid').waitFor();
  // below the bar, which stays
  await tab.mouse.wheel(0, aboveTimeline);
  await tab.waitForTimeout(scrollMs);
  await take(tab, 'dashboard-subscription');
  await tab.context().close();
}

/** The next day at ten in the morning in Nepal: the totals of the day are those of one whole morning. */
function nextMorning(): string {
  const day = new Date(Date.now() + 24 * 3600 * 1000).toISOString().slice(0, 10);
  return `${day}T04:15:00.000Z`;
}

assertBuilt();
mkdirSync(folder, { recursive: true });
const galla = await startGalla();
const browser = await openBrowser();
try {
  const owner = await ownerOf(galla);
  const shop = await galla.shop();
  await owner.merchant.endpoint(shop, ['*'], '/webhooks');
  await owner.merchant.advance(nextMorning());
  for (const [at, order] of orders.entries()) await sell(owner.merchant, at, order);
  await hosted(browser, owner);
  await dashboard(browser, galla.url, owner, 'Dorje Sherpa');
  await billed(browser, galla.url, owner);
} finally {
  await browser.close();
  await galla.stop();
}
