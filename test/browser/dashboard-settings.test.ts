/** The dashboard's settings, as a merchant uses them: API keys, providers, the business. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { pngOf, svgLogo, svgOf } from '../support/pictures.ts';
import { logIn, ownerOf, sightOf, type Owner } from './dashboard-rig.ts';
import { describeDashboard } from './dashboard-stories.ts';
import { faintTexts, inScheme, scrollsSideways, smallTargets } from './looks.ts';

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true };

async function expectItFits(tab: Page): Promise<void> {
  expect(await tab.evaluate(scrollsSideways)).toBe(false);
  expect(await tab.evaluate(smallTargets)).toEqual([]);
  for (const scheme of ['light', 'dark'] as const)
    expect(await inScheme(tab, scheme, faintTexts)).toEqual([]);
}

/** The form that was opened has the focus in its first field. */
const focused = (tab: Page): Promise<void> => tab.locator('form input:focus').waitFor();

/** Drops this file on the place for it. As text: this side knows no DOM. */
const dropOf = (png: Buffer): string => `(() => {
  const held = new DataTransfer();
  held.items.add(new File([new Uint8Array(${JSON.stringify([...png])})], 'b.png', { type: 'image/png' }));
  const dropped = new DragEvent('drop', { dataTransfer: held, bubbles: true, cancelable: true });
  document.querySelector('.drop').dispatchEvent(dropped);
})()`;

describeDashboard('the settings of the dashboard', (rig) => {
  /** A logged-in merchant at one of its settings. */
  async function at(name: string, section: string, mode = 'sandbox', options = {}) {
    const owner = await ownerOf(rig.house, name);
    const sight = await sightOf(rig.browser, rig.house, options);
    await logIn(sight.tab, owner);
    await sight.tab.goto(`${rig.house.url}/dashboard/${owner.projectId}/${mode}/settings/${section}`);
    return { ...sight, owner };
  }

  const hostedWays = async (owner: Owner, tab: Page): Promise<string[]> => {
    const page = await tab.context().newPage();
    await page.goto((await owner.checkout()).text('checkout_url'));
    const ways = await page.locator('.way .name').allTextContents();
    await page.close();
    return ways;
  };

  test('row 104: API keys: a merchant creates one by keyboard, sees it once, uses it, and revokes it', async () => {
    const { tab, owner, complaints, close } = await at('Key Pasal', 'keys');
    await tab.getByRole('button', { name: 'Create a key' }).press('Enter');
    await focused(tab);
    await tab.getByRole('button', { name: 'Create the sandbox key' }).press('Enter');
    await tab.getByText('Write a name, to know the key again.').waitFor();
    await focused(tab);
    await tab.keyboard.type('Shop server');
    await tab.getByLabel('Secret, read only').press('Space');
    await tab.getByLabel('Works until').fill('2099-12-31');
    await tab.getByText('It can read all your test payments').waitFor();
    await tab.getByLabel('Name').press('Enter');
    await tab.getByText('Copy the key now: it is not shown again').waitFor();
    const text = (await tab.getByText(/^sk_test_\w{32}$/).textContent()) ?? '';
    expect((await rig.house.with(text).get('/v1/payments')).status).toBe(200);
    expect((await rig.house.with(text).post('/v1/checkout', {})).body.at('error.code')).toBe(
      'key_access_insufficient',
    );
    const key = tab.getByRole('listitem').filter({ has: tab.getByRole('heading', { name: 'Shop server' }) });
    await key.getByText('Secret, read only').waitFor();
    await key.getByText(/works until 31 Dec 2099/).waitFor();
    await tab.getByRole('button', { name: 'I have copied it' }).press('Enter');
    await tab.getByText(text).waitFor({ state: 'detached' });
    await tab.reload();
    await key.getByText(/last used/).waitFor();
    expect(await tab.content()).not.toContain(text.slice(8, -4));
    await key.getByRole('button', { name: 'Revoke Shop server' }).press('Enter');
    await key.getByRole('form', { name: 'Revoke this key' }).and(tab.locator(':focus')).waitFor();
    await tab.keyboard.press('Tab');
    await tab.keyboard.press('Enter');
    await key.getByText('Revoked', { exact: true }).waitFor();
    expect((await rig.house.with(text).get('/v1/payments')).body.at('error.code')).toBe('api_key_revoked');
    // the place decides the mode
    await tab.getByRole('link', { name: 'Live', exact: true }).press('Enter');
    await tab.getByRole('heading', { name: 'No key yet' }).waitFor();
    await tab.getByRole('button', { name: 'Create a key' }).press('Enter');
    await tab.getByLabel('Name').fill('Live server');
    await tab.getByRole('button', { name: 'Create the live key' }).press('Enter');
    await tab.getByText(/^sk_live_\w{32}$/).waitFor();
    expect((await owner.api.get('/v1/payments')).status).toBe(200);
    expect(complaints).toEqual([]);
    await close();
  });

  test('row 104: API keys: an answer that was lost leaves one key, and the same form shows it', async () => {
    const { tab, close } = await at('Lossy Key Pasal', 'keys');
    await tab.getByRole('button', { name: 'Create a key' }).press('Enter');
    await tab.getByLabel('Name').fill('Till');
    let sent = 0;
    await tab.route('**/keys', async (route) => {
      if (route.request().method() !== 'POST' || ++sent > 1) return route.continue();
      await route.fetch();
      return route.abort();
    });
    const button = tab.getByRole('button', { name: 'Create the sandbox key' });
    await button.press('Enter');
    await tab.getByText('Press the button again: it is executed once.').waitFor();
    expect(await tab.getByLabel('Name').isEditable()).toBe(false);
    await button.press('Enter');
    await tab.getByText(/^sk_test_\w{32}$/).waitFor();
    await tab.getByRole('heading', { name: 'Till' }).waitFor();
    expect([sent, await tab.getByRole('heading', { name: 'Till' }).count()]).toEqual([2, 1]);
    await close();
  });

  test('row 104: providers: switched off, moved and set up; a value that was stored never comes back', async () => {
    const { tab, owner, complaints, close } = await at('Provider Pasal', 'providers');
    const card = (name: string) => tab.getByRole('region', { name, exact: true });
    await card('QR A').getByText('Offered to buyers', { exact: true }).waitFor();
    expect(await hostedWays(owner, tab)).toEqual(['Wallet A', 'Wallet B', 'QR A']);
    await card('QR A').getByRole('switch', { name: 'Offer QR A to buyers' }).press('Space');
    await card('QR A').getByText('Switched off', { exact: true }).waitFor();
    await tab.getByRole('button', { name: 'Move Wallet B up' }).press('Enter');
    await tab.getByRole('group', { name: /^Place of Wallet B, 1 of \d$/ }).waitFor();
    expect(await hostedWays(owner, tab)).toEqual(['Wallet B', 'Wallet A']);
    const needs = card('Wallet B').getByRole('switch', { name: 'Refunds need the buyer’s mobile number' });
    expect(await needs.isChecked()).toBe(false);
    await needs.press('Space');
    const intent = card('Wallet A').getByRole('switch', { name: 'Let buyers pay in its app' });
    expect(await intent.isChecked()).toBe(false);
    await intent.press('Space');
    await tab.reload();
    await card('Wallet B').waitFor();
    expect([await needs.isChecked(), await intent.isChecked()]).toEqual([true, true]);

    await tab.getByRole('link', { name: 'Live', exact: true }).press('Enter');
    await card('Wallet B').getByText('Enter the credentials that the provider issued to you.').waitFor();
    await card('Wallet B').getByText('The operator of this service must set its live address').waitFor();
    expect(await intent.isDisabled()).toBe(true);
    await card('Wallet B').getByRole('button', { name: 'Enter the credentials of Wallet B' }).press('Enter');
    await focused(tab);
    await tab.keyboard.type('live_secret_key_of_provider_pasal');
    await tab.keyboard.press('Enter');
    await card('Wallet B').getByText('Set', { exact: true }).waitFor();
    await card('Wallet B').getByText('One thing is missing').waitFor();
    await card('Wallet B')
      .getByRole('button', { name: 'Replace the credentials of Wallet B' })
      .press('Enter');
    expect(await card('Wallet B').getByLabel('Secret key').inputValue()).toBe('');
    expect(await tab.content()).not.toContain('live_secret_key');
    await card('Wallet B').getByRole('button', { name: 'Back' }).press('Enter');
    await card('Wallet B').getByRole('button', { name: 'Remove the credentials of Wallet B' }).press('Enter');
    await card('Wallet B').getByText('Buyers are not offered Wallet B any more in live.').waitFor();
    await card('Wallet B').getByRole('button', { name: 'Remove the credentials of Wallet B' }).press('Enter');
    await card('Wallet B').getByText('Not set', { exact: true }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  test('row 104: business: name, shop and logo are changed, and the payment page shows them', async () => {
    const { tab, owner, complaints, close } = await at('Logo Pasal', 'business');
    await tab.getByLabel('Name').fill('Asha Books');
    await tab.getByLabel('Address of your shop').fill('http://asha.example');
    await tab.getByRole('button', { name: 'Save' }).press('Enter');
    await tab.getByText('The address of your shop must be a URL we may use: it must be https.').waitFor();
    await tab.getByLabel('Address of your shop').fill('https://asha.example');
    await tab.getByText('it must be https').waitFor({ state: 'detached' });
    await tab.getByRole('button', { name: 'Save' }).press('Enter');
    await tab.getByRole('status').getByText('Saved. Buyers see it within 5 seconds.').waitFor();
    await tab.getByRole('banner').getByText('Asha Books').waitFor();
    await tab.getByText('Not included', { exact: true }).waitFor();
    expect(await tab.getByText(/qr_a|wallet_a/).count()).toBe(0);
    const file = tab.getByLabel('Logo file');
    const choose = (name: string, mimeType: string, content: string | Buffer) =>
      file.setInputFiles({ name, mimeType, buffer: Buffer.from(content) });
    await choose('a.jpg', 'image/jpeg', 'x');
    await tab.getByText('This is neither a PNG nor an SVG.').waitFor();
    await choose('a.png', 'image/png', Buffer.alloc(256 * 1024 + 1));
    await tab.getByText('This file has 257 KiB; at most 256 KiB are accepted.').waitFor();
    await choose('a.svg', 'image/svg+xml', svgOf('<script>alert(1)</script>'));
    await tab.getByText('logo must be an SVG without <script>.').waitFor();
    await choose('a.svg', 'image/svg+xml', svgLogo);
    const shown = tab.getByAltText('Logo of Asha Books');
    await shown.waitFor();
    const drawn =
      'document.querySelector("img.logo").decode().then(() => document.querySelector("img.logo").naturalWidth)';
    expect(await tab.evaluate(drawn)).toBeGreaterThan(0);
    const first = await shown.getAttribute('src');
    // dropped, as people do who have the file before them
    await tab.evaluate(dropOf(pngOf()));
    await tab.locator(`img.logo:not([src="${first}"])`).waitFor();
    const hosted = await tab.context().newPage();
    await hosted.goto((await owner.checkout()).text('checkout_url'));
    await hosted.getByRole('strong').getByText('Asha Books').waitFor();
    expect(await hosted.evaluate(drawn)).toBe(64);
    await hosted.close();
    await tab.getByRole('button', { name: 'Remove the logo' }).press('Enter');
    await tab.getByText('None: pages show the first letter of your name.').waitFor();
    // each refused request is a line of the browser's own
    expect(complaints.filter((line) => !line.includes('400 (Bad Request)'))).toEqual([]);
    await close();
  });

  test('row 104: on a phone every setting fits, also while the merchant is suspended', async () => {
    const { tab, owner, complaints, close } = await at('Phone Pasal', 'keys', 'sandbox', phone);
    await tab.getByRole('button', { name: 'Create a key' }).tap();
    await tab.getByRole('button', { name: /^Revoke/ }).tap();
    await expectItFits(tab);
    await tab.goto(`${rig.house.url}/dashboard/${owner.projectId}/live/settings/providers`);
    await tab.getByRole('button', { name: 'Enter the credentials of Bank A' }).tap();
    await expectItFits(tab);
    const { body } = await rig.house.admin.must('GET', '/admin/v1/merchants?limit=1');
    await rig.house.admin.must('POST', `/admin/v1/merchants/${body.text('data.0.id')}/suspend`, {
      reason: 'Review.',
    });
    await tab.goto(`${rig.house.url}/dashboard/${owner.projectId}/sandbox/settings/business`);
    await tab.getByText('Suspended: Review.').waitFor();
    await expectItFits(tab);
    await tab.getByLabel('Name').fill('Other');
    await tab.getByRole('button', { name: 'Save' }).tap();
    await tab.getByText('Nothing can be changed until the operator lifts the suspension.').waitFor();
    expect(complaints.filter((line) => !line.includes('403 (Forbidden)'))).toEqual([]);
    await close();
  });
});
