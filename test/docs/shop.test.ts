/** The shop of the guide, as its visitor sees it: what becomes of an order shows without a reload. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { browserOfFile, describeInBrowser } from '../browser/in-browser.ts';
import { gallaOfFile } from '../support/of-file.ts';
import { runGuide, type Guide } from '../support/guide.ts';

describeInBrowser('the shop of the guide', { timeout: 30_000 }, () => {
  const galla = gallaOfFile();
  let shop: Guide;
  let shopUrl: string;
  const browser = browserOfFile();
  beforeAll(async () => {
    shop = runGuide('shop.mjs', [galla.url], { GALLA_DATA_DIR: galla.dataDir });
    shopUrl = (await shop.heard(/the shop is open: (http:\/\/127\.0\.0\.1:\d+)/))[1] ?? '';
  });
  afterAll(async () => {
    await shop.end('SIGKILL');
  });

  async function visit(buys: string): Promise<Page> {
    const tab = await (await browser.newContext()).newPage();
    await tab.goto(shopUrl);
    await tab.getByRole('button', { name: buys }).click();
    return tab;
  }

  const says = (tab: Page, words: string): Promise<void> =>
    tab.locator('#state', { hasText: words }).waitFor();

  test('shows a cancelled order as cancelled', async () => {
    const tab = await visit('Buy, choose a wallet');
    await tab.getByRole('button', { name: /^Cancel/ }).click();
    await tab.waitForURL(`${shopUrl}/thanks?**`);
    await says(tab, 'cancelled, nothing was paid');
    await tab.context().close();
  });

  test('shows a paid order as paid, after a failed attempt', async () => {
    const tab = await visit('Buy, choose a wallet');
    await tab.getByRole('button', { name: /Wallet B/ }).click();
    await tab.getByRole('button', { name: 'Log in' }).click();
    await tab.getByRole('button', { name: 'Cancel' }).click();
    await tab.getByRole('button', { name: /Wallet B/ }).click();
    await tab.getByRole('button', { name: 'Log in' }).click();
    await tab.getByRole('button', { name: 'Pay', exact: true }).click();
    await tab.waitForURL(`${shopUrl}/thanks?**`);
    await says(tab, 'paid, thank you');
    await tab.context().close();
  });

  test("shows a code as scanned and then as paid, while the buyer's phone is elsewhere", async () => {
    const tab = await visit('Buy, scan a code');
    const [phone] = await Promise.all([
      tab.waitForEvent('popup'),
      tab.getByRole('link', { name: 'open a simulated phone' }).click(),
    ]);
    await phone.getByRole('button', { name: 'Scan', exact: true }).click();
    await says(tab, 'Scanned. Confirm it on your phone.');
    await phone.getByRole('button', { name: 'Pay', exact: true }).click();
    await says(tab, 'Paid. Thank you!');
    await tab.context().close();
  });

  test('deletes its endpoint on SIGTERM', async () => {
    const merchant = galla.with(galla.keys.secretKey);
    expect((await merchant.get('/v1/webhooks')).body.list('data')).toHaveLength(1);
    expect(await shop.end('SIGTERM')).toBe(0);
    expect((await merchant.get('/v1/webhooks')).body.list('data')).toEqual([]);
  });
});
