/** A buyer who has lost the tab finds the payment again, in a real browser. */
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { gallaOfFile } from '../support/of-file.ts';
import type { Merchant } from '../support/merchant.ts';
import { faintTexts, inScheme, notReachedByTab, smallTargets, widthsItDoesNotFit } from './looks.ts';
import { browserOfFile, describeInBrowser } from './in-browser.ts';

describeInBrowser('the status page', { timeout: 60_000 }, () => {
  const galla = gallaOfFile();
  let shop: Merchant;
  const browser = browserOfFile();
  beforeAll(async () => {
    shop = await galla.merchant();
  });
  async function phone(script: boolean): Promise<[Page, string[]]> {
    const context = await browser.newContext({
      viewport: { width: 390, height: 844 },
      javaScriptEnabled: script,
    });
    const tab = await context.newPage();
    const complaints: string[] = [];
    tab.on('console', (line) => void (line.type() === 'error' && complaints.push(line.text())));
    tab.on('pageerror', (error) => void complaints.push(error.message));
    return [tab, complaints];
  }
  const asked = (query: string): string => `${galla.url}/status?${new URLSearchParams({ query }).toString()}`;
  const headingOf = (tab: Page): Promise<string> => tab.getByRole('heading', { level: 1 }).innerText();
  const refreshOf = async (tab: Page): Promise<string | null> => {
    const refresh = tab.locator('meta[http-equiv=refresh]');
    return (await refresh.count()) === 0 ? null : refresh.getAttribute('content');
  };

  test.each([
    ['with script', true],
    ['without script', false],
  ])('%s an order number typed in shows where the payment stands', async (_how, script) => {
    const [tab, complaints] = await phone(script);
    const orderId = `<b>&"${script ? 'अर्डर' : 'order'} 1`;
    const session = await shop.checkout({ metadata: { orderId } });
    await tab.goto(`${galla.url}/status`);
    await tab.getByRole('textbox').fill(`  ${orderId} `);
    await tab.getByRole('button', { name: 'Show the payment' }).click();
    await tab.getByRole('heading', { name: 'Awaiting payment' }).waitFor();
    expect(new URL(tab.url()).searchParams.get('query')?.trim()).toBe(orderId);
    expect(await tab.getByText(orderId, { exact: true }).count()).toBe(1);
    expect(await refreshOf(tab)).toBe('5');
    // a number can be guessed: it does not lead to the payment page
    expect(await tab.getByRole('link', { name: 'Open the payment page' }).count()).toBe(0);

    await shop.simulate(session.text('id'), 'success');
    await shop.untilStatus(session.text('id'), 'success');
    // the page finds out by itself, which takes 5 s: seen once
    if (script) await tab.reload();
    await tab.getByRole('heading', { name: 'Paid' }).waitFor({ timeout: 10_000 });
    expect(await refreshOf(tab)).toBeNull();
    await tab.getByRole('link', { name: 'Find another payment' }).click();
    expect(await headingOf(tab)).toBe('Find your payment');
    expect(complaints).toEqual([]);
    await tab.context().close();
  });

  test('the buyer who names the session can go on to pay', async () => {
    const [tab, complaints] = await phone(true);
    const session = await shop.checkout();
    await tab.goto(asked(session.text('id')));
    await tab.getByRole('link', { name: 'Open the payment page' }).click();
    expect(new URL(tab.url()).pathname).toBe(`/pay/${session.text('id')}`);
    expect(complaints).toEqual([]);
    await tab.context().close();
  });

  test('where nothing is shown, the form says why and keeps what was typed', async () => {
    const metadata = { order_id: 'shared' };
    for (const each of [shop, await galla.merchant()]) await each.checkout({ metadata });
    const [tab] = await phone(false);
    for (const [query, status, why] of [
      ['ab', 400, 'That is too short.'],
      ['x'.repeat(121), 400, 'That is too long.'],
      ['nobody', 404, 'We found no payment with this reference.'],
      ['shared', 404, 'More than one shop uses this reference.'],
    ] as const) {
      const answer = await tab.goto(asked(query));
      expect(answer?.status()).toBe(status);
      expect(answer?.headers()).toMatchObject({
        'content-security-policy': expect.stringContaining("default-src 'none'"),
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-store',
      });
      expect(await tab.getByRole('alert').innerText()).toContain(why);
      expect(await tab.getByRole('textbox').inputValue()).toBe(query);
      expect(await tab.locator('meta[name=robots]').getAttribute('content')).toBe('noindex, nofollow');
    }
    await tab.context().close();
  });

  test('fits, is read and reached, in both colours: the form, its refusals and the results', async () => {
    const paid = await shop.checkout({
      metadata: { order_id: 'a-rather-long-order-number-'.repeat(4) },
      referenceId: 'A-1001',
    });
    await shop.simulate(paid.text('id'), 'success');
    await shop.untilStatus(paid.text('id'), 'success');
    const pending = await shop.checkout({ amount: 100_000_000 });
    const [tab, complaints] = await phone(true);
    for (const address of [
      `${galla.url}/status`,
      asked('ab'),
      asked(paid.text('id')),
      asked(pending.text('id')),
    ]) {
      await tab.goto(address);
      expect(await widthsItDoesNotFit(tab), address).toEqual([]);
      for (const scheme of ['light', 'dark'] as const) {
        expect(await inScheme(tab, scheme, faintTexts), `${address} ${scheme}`).toEqual([]);
        expect(await inScheme(tab, scheme, smallTargets), address).toEqual([]);
      }
      expect(await notReachedByTab(tab), address).toEqual([]);
    }
    // the browser itself notes the 400
    expect(complaints.filter((line) => !line.includes('400'))).toEqual([]);
    await tab.context().close();
  });
});
