/** The API reference at /docs in a real browser: it is complete without any other site, and sends real requests. */
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { readViewer } from '../../gateways/front/viewer.ts';
import { gallaOfFile } from '../support/of-file.ts';
import { faintTexts, inScheme, scrollsSideways, widthsItDoesNotFit } from './looks.ts';
import { browserOfFile, describeInBrowser } from './in-browser.ts';

const listed = '[id="operations-Payments-listPayments"]';
const creating = '[id="operations-Checkout-createCheckout"]';

describeInBrowser('the API reference', { timeout: 120_000 }, () => {
  const galla = gallaOfFile();
  const browser = browserOfFile();
  beforeAll(async () => {
    if (readViewer().size === 0) throw new Error('dist/viewer is not built: npm run build');
  });
  /** `complaints`: what the browser reports, answers that are errors, and requests to any other site. */
  async function opened(path: string, origin = galla.url): Promise<[Page, string[]]> {
    const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
    const tab = await context.newPage();
    const complaints: string[] = [];
    tab.on('console', (line) => void (line.type() === 'error' && complaints.push(line.text())));
    tab.on('pageerror', (error) => void complaints.push(error.message));
    tab.on('response', (answer) => {
      if (answer.status() >= 400) complaints.push(`${answer.status()} ${answer.url()}`);
    });
    tab.on('request', (asked) => {
      const { protocol, origin: to } = new URL(asked.url());
      if (protocol !== 'data:' && to !== origin) complaints.push(`asked ${asked.url()}`);
    });
    await tab.goto(origin + path);
    await tab.locator('.opblock').first().waitFor();
    return [tab, complaints];
  }

  async function authorize(tab: Page, key: string): Promise<void> {
    await tab.getByRole('button', { name: 'Authorize' }).click();
    const dialog = tab.locator('.modal-ux');
    await dialog.locator('input').first().fill(key);
    await dialog
      .getByRole('button', { name: /^Apply/ })
      .first()
      .click();
    await dialog.getByRole('button', { name: 'Close', exact: true }).first().click();
  }

  async function tried(tab: Page, key: string): Promise<string> {
    await authorize(tab, key);
    await tab.locator(`${listed} .opblock-summary-control`).click();
    await tab.locator(`${listed} .execute`).click();
    const answer = tab.locator(`${listed} .live-responses-table .response`);
    await answer.waitFor();
    return await answer.innerText();
  }

  test('a request is sent with a pasted key, and its answer is shown; nothing is asked of another site', async () => {
    const [tab, complaints] = await opened('/docs');
    const answer = await tried(tab, galla.keys.secretKey);
    expect(answer).toMatch(/^200/);
    expect(answer).toContain('"total": 0');
    // no filter but those that were filled in
    expect(answer).not.toContain('x-ignored-params');
    expect(await tab.locator(`${listed} .request-url`).innerText()).toMatch(/\/v1\/payments$/);
    expect(complaints).toEqual([]);
    // a reload forgets the key
    await tab.reload();
    await tab.locator('.opblock').first().waitFor();
    expect(await tab.evaluate('JSON.stringify([localStorage, sessionStorage, document.cookie])')).toBe(
      '[{},{},""]',
    );
    await tab.context().close();
  });

  test('a checkout is created by pressing Execute, and another one by pressing it again', async () => {
    const [tab, complaints] = await opened('/docs');
    const ids: string[] = [];
    await authorize(tab, galla.keys.secretKey);
    await tab.locator(`${creating} .opblock-summary-control`).click();
    for (const _time of [1, 2]) {
      const answered = tab.waitForResponse((each) => each.url().endsWith('/v1/checkout'));
      await tab.locator(`${creating} .execute`).click();
      const answer = await answered;
      expect(answer.status()).toBe(201);
      ids.push(((await answer.json()) as { readonly id: string }).id);
      await tab
        .locator(`${creating} .live-responses-table`)
        .getByText(ids.at(-1) ?? '')
        .waitFor();
    }
    expect(new Set(ids).size).toBe(2);
    expect(complaints).toEqual([]);
    await tab.context().close();
  });

  test('it works under every name of the service, not only under BASE_URL', async () => {
    const [tab, complaints] = await opened('/docs', galla.url.replace('127.0.0.1', 'localhost'));
    expect(await tried(tab, galla.keys.secretKey)).toMatch(/^200/);
    expect(complaints).toEqual([]);
    await tab.context().close();
  });

  test('a wrong key shows the error of the API', async () => {
    const [tab] = await opened('/docs');
    expect(await tried(tab, 'sk_test_nobody')).toContain('api_key_invalid');
    await tab.context().close();
  });

  test.each(['/docs', '/docs/operator'])(
    '%s fits phones and desks, and is read in both schemes',
    async (path) => {
      const [tab, complaints] = await opened(path);
      await tab.locator('.opblock-summary-control').first().click();
      await tab.locator('.execute').first().waitFor();
      const found = {
        headings: await tab.getByRole('heading', { level: 1 }).count(),
        mains: await tab.getByRole('main').count(),
        tooWide: await widthsItDoesNotFit(tab, scrollsSideways),
        faint: [...(await inScheme(tab, 'dark', faintTexts)), ...(await inScheme(tab, 'light', faintTexts))],
        complaints,
      };
      expect(found).toEqual({ headings: 1, mains: 1, tooWide: [], faint: [], complaints: [] });
      await tab.context().close();
    },
  );

  test.each(['text/html', 'application/json', '*/*', ''])('it is a page for Accept: %s', async (accept) => {
    const reply = await fetch(`${galla.url}/docs`, { headers: { accept } });
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const policy = reply.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|script-src[^;]*\s(?!'self')/);
    const page = await reply.text();
    expect(page).toContain('href="/docs/guides/accept-a-payment.md"');
    expect(page).not.toMatch(/<script(?![^>]*\ssrc="\/)|\sstyle=|<style/);
  });

  test('its files come packed, for good, and none beside them', async () => {
    const page = await (await fetch(`${galla.url}/docs`)).text();
    const files = [...page.matchAll(/(?:src|href)="(\/(?:docs\/viewer|ui)\/[^"]+)"/g)].map(
      ([, at = '']) => at,
    );
    expect(files).toHaveLength(5);
    for (const file of files) {
      const { status, headers } = await fetch(galla.url + file, { headers: { 'accept-encoding': 'gzip' } });
      expect([status, headers.get('content-encoding')], file).toEqual([200, 'gzip']);
      expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    }
    for (const other of ['LICENSE', 'swagger-ui.css', '..%2f..%2fpackage.json', '__proto__'])
      expect((await fetch(`${galla.url}/docs/viewer/${other}`)).status, other).toBe(404);
  });
});
