/** A new user's first minutes in a real browser: start page, test payment, thank-you page, simulator, dashboard. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { gallaOfFile } from '../support/of-file.ts';
import {
  faintTexts,
  inScheme,
  notReachedByTab,
  scrollsSideways,
  smallTargets,
  widthsItDoesNotFit,
} from './looks.ts';
import { browserOfFile, describeInBrowser } from './in-browser.ts';

describeInBrowser('the first minutes', { timeout: 60_000 }, () => {
  const galla = gallaOfFile();
  const browser = browserOfFile();
  /** A phone; what the browser complains about, and every answer that is an error, are collected. */
  async function phone(script: boolean): Promise<[Page, string[]]> {
    const context = await browser.newContext({
      viewport: { width: 390, height: 844 },
      javaScriptEnabled: script,
    });
    const tab = await context.newPage();
    const complaints: string[] = [];
    tab.on('console', (line) => void (line.type() === 'error' && complaints.push(line.text())));
    tab.on('pageerror', (error) => void complaints.push(error.message));
    tab.on('response', (answer) => {
      if (answer.status() >= 400) complaints.push(`${answer.status()} ${answer.url()}`);
    });
    return [tab, complaints];
  }

  async function payByClicks(tab: Page): Promise<void> {
    await tab.goto(`${galla.url}/`);
    await tab.getByRole('button', { name: 'Make a test payment' }).click();
    await tab.getByRole('button', { name: /Wallet B/ }).click();
    await tab.getByRole('button', { name: 'Log in' }).click();
    await tab.getByRole('button', { name: 'Pay', exact: true }).click();
    await tab.getByRole('heading', { name: 'Thank you, it is paid' }).waitFor();
  }

  test.each([
    ['with script', true],
    ['without script', false],
  ])('%s a test payment ends on the thank-you page, in four clicks', async (_how, script) => {
    const [tab, complaints] = await phone(script);
    await payByClicks(tab);
    expect(new URL(tab.url()).pathname).toBe('/sim/thanks');
    await tab.getByRole('button', { name: 'Make another test payment' }).click();
    await tab.getByRole('button', { name: /^Cancel/ }).click();
    await tab.getByRole('heading', { name: 'The payment was cancelled' }).waitFor();
    expect(complaints).toEqual([]);
    await tab.context().close();
  });

  test('the payment is a click away in the dashboard, with the login the service printed', async () => {
    const [tab] = await phone(true);
    await payByClicks(tab);
    await tab.getByRole('link', { name: /See it in the dashboard/ }).click();
    const { email, password } = galla.keys as unknown as {
      readonly email: string;
      readonly password: string;
    };
    await tab.getByLabel('E-mail').fill(email);
    await tab.getByLabel('Password', { exact: true }).fill(password);
    await tab.getByRole('button', { name: 'Log in' }).click();
    await tab.getByText('NPR 1,250.50').first().waitFor();
    expect(tab.url()).toMatch(/\/sandbox\/payments\/pay_/);
    await tab.context().close();
  });

  test('every page fits phone and desktop widths, works by keyboard, and passes the accessibility checks', async () => {
    const [tab, complaints] = await phone(true);
    await payByClicks(tab);
    const thanks = tab.url().slice(galla.url.length);
    const lie = thanks.replace('status=success', 'status=cancelled');
    for (const path of [
      '/',
      thanks,
      lie,
      '/sim/thanks',
      '/sim',
      '/docs/guides',
      '/docs/guides/sandbox.md',
      '/docs/reference/api.md',
    ]) {
      await tab.goto(galla.url + path);
      const found = {
        path,
        headings: await tab.getByRole('heading', { level: 1 }).count(),
        mains: await tab.getByRole('main').count(),
        // a wide table scrolls within itself
        tooWide: await widthsItDoesNotFit(tab, ...(path.endsWith('.md') ? [scrollsSideways] : [])),
        unreached: await notReachedByTab(tab),
        complaints: [...complaints],
        faint: [...(await inScheme(tab, 'dark', faintTexts)), ...(await inScheme(tab, 'light', faintTexts))],
        // a link within a sentence is as high as its line
        small: path.endsWith('.md') ? [] : await tab.evaluate(smallTargets),
      };
      const fine = {
        headings: 1,
        mains: 1,
        tooWide: [],
        unreached: [],
        complaints: [],
        faint: [],
        small: [],
      };
      expect(found).toEqual({ path, ...fine });
    }
    await tab.context().close();
  });
});
