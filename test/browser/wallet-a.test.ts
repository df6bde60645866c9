/** wallet_a in a real browser against the whole service: the form is handed over by the script, or by the buyer. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Merchant } from '../support/merchant.ts';
import { gallaOfFile } from '../support/of-file.ts';
import { browserOfFile, describeInBrowser } from './in-browser.ts';
import { listen, plainPage, type Served } from './rig.ts';

const startMsMax = 30_000;

describeInBrowser('wallet_a in a browser', () => {
  const [browser, galla] = [browserOfFile(), gallaOfFile()];
  let [shop, place]: [Merchant?, Served?] = [];
  beforeAll(async () => {
    place = await listen((_method, path) => Promise.resolve(plainPage('Example Store', path)));
    shop = await galla.merchant();
  }, startMsMax);
  afterAll(() => place?.close());

  /** A page at phone or desktop width, and the errors in its console. */
  async function screen(width: number, script: boolean): Promise<[Page, string[]]> {
    const context = await browser.newContext({
      viewport: { width, height: 844 },
      javaScriptEnabled: script,
    });
    const tab = await context.newPage();
    const complaints: string[] = [];
    tab.on('console', (line) => void (line.type() === 'error' && complaints.push(line.text())));
    return [tab, complaints];
  }
  const merchant = (): Merchant => {
    if (shop === undefined) throw new Error('no shop');
    return shop;
  };
  const noSidewaysScroll = (tab: Page): Promise<boolean> =>
    tab.evaluate('document.documentElement.scrollWidth <= innerWidth');

  test.each([
    [390, true],
    [390, false],
    [1280, true],
  ])('row 24: pays with wallet_a at %i pixels, script: %s', async (width, script) => {
    const server = `${place?.origin ?? ''}/return`;
    const session = await merchant().checkout({ returnUrl: server });
    const [tab, complaints] = await screen(width, script);
    await tab.goto(session.text('checkout_url'));
    await tab.getByRole('button', { name: /^Wallet A/ }).click();
    if (!script) await tab.getByRole('button', { name: 'Continue to Wallet A' }).click();
    await tab.getByRole('heading', { name: 'Log in' }).waitFor();
    if (script) expect(await noSidewaysScroll(tab)).toBe(true);
    await tab.getByRole('button', { name: 'Log in' }).click();
    await tab.getByRole('button', { name: 'Pay', exact: true }).click();
    await tab.waitForURL(`${server}?session_id=${session.text('id')}&status=success`);
    expect((await merchant().session(session.text('id'))).value).toMatchObject({ provider: 'wallet_a' });
    expect(complaints).toEqual([]);
    await tab.context().close();
  });

  test('row 2: the redirect flow reaches the wallet without a click, and cancelling ends it', async () => {
    const server = `${place?.origin ?? ''}/return`;
    const session = await merchant().checkout({ flow: 'redirect', provider: 'wallet_a', returnUrl: server });
    const [tab, complaints] = await screen(390, true);
    await tab.goto(session.text('checkout_url'), { waitUntil: 'commit' });
    await tab.getByRole('heading', { name: 'Log in' }).waitFor();
    await tab.getByRole('button', { name: 'Log in' }).click();
    await tab.getByRole('button', { name: 'Cancel' }).click();
    await tab.waitForURL(`${server}?session_id=${session.text('id')}&status=cancelled`);
    expect(complaints).toEqual([]);
    await tab.context().close();
  });
});
