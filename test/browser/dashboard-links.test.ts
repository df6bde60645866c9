/** Payment links in the dashboard: create, copy, QR code, uses as they happen, switch and limits. */
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { buys, pageOf, sessionOn } from '../support/link-buyer.ts';
import { logIn, ownerOf, sightOf, type Owner, type Sight } from './dashboard-rig.ts';
import { describeDashboard } from './dashboard-stories.ts';
import { faultsOf, noFaults } from './looks.ts';

/** Inputs that are wider than their field. As text: this side knows no DOM. */
const beyondTheirField = `[...document.querySelectorAll('.field input')]
  .filter((input) => input.getBoundingClientRect().right > input.closest('.field').getBoundingClientRect().right + 0.5)
  .map(({ name }) => name)`;

describeDashboard('payment links in the dashboard', (rig) => {
  let owner: Owner;
  /** One login for all tests: each begins where the one before has left. */
  let sight: Sight;

  beforeAll(async () => {
    owner = await ownerOf(rig.house, 'Linking Pasal');
    sight = await sightOf(rig.browser, rig.house, { permissions: ['clipboard-read', 'clipboard-write'] });
    await logIn(sight.tab, owner);
  }, 60_000);

  const create = (tab: Page) => tab.getByRole('button', { name: 'Create the link' }).press('Enter');

  test('row 104: a link is created by keyboard; each wrong field is named, and the amount is rupees', async () => {
    const { tab, complaints } = sight;
    await tab.getByRole('link', { name: 'Payment links' }).press('Enter');
    await tab.getByRole('heading', { name: 'No payment link yet' }).waitFor();
    await tab.getByRole('link', { name: 'New link' }).press('Enter');
    await tab.getByLabel('Amount in rupees').waitFor();
    expect(await tab.evaluate(beyondTheirField)).toEqual([]);
    await tab.getByLabel('Amount in rupees').fill('9.99');
    await tab.getByRole('textbox', { name: /^Uses/ }).fill('none');
    await tab.getByLabel('Open until').fill('2020-01-01T10:00');
    await tab.getByLabel('Return address').fill('javascript:alert(1)');
    await create(tab);
    for (const wrong of [
      'Write what is sold.',
      'At least NPR 10.00.',
      'from 1 to 100,000',
      'still to come',
      'Write a whole address',
    ])
      await tab.getByText(wrong).waitFor();
    // the first wrong field has the focus
    await tab.keyboard.type('Workshop seat');
    await tab.getByLabel('Amount in rupees').fill('1,250.50');
    await tab.getByRole('textbox', { name: /^Uses/ }).fill('2');
    await tab.getByLabel('Open until').fill('2099-01-01T10:00');
    // the service refuses it; that is said until a field is changed, not beside another error
    await tab.getByLabel('Return address').fill('https://shop.example:99999/thanks');
    await create(tab);
    const refused = tab.getByRole('alert').getByText('Correct it, then press the button again.');
    await refused.waitFor();
    await tab.getByLabel('Return address').fill('');
    await refused.waitFor({ state: 'detached' });
    await create(tab);
    await tab.getByRole('heading', { name: 'Workshop seat', level: 1 }).waitFor();
    const { body } = await owner.api.must('GET', '/v1/payment-links');
    expect(body.list('data').map(({ value }) => value)).toMatchObject([
      { name: 'Workshop seat', amount: 125_050, maxUses: 2, expiresAt: '2099-01-01T04:15:00.000Z' },
    ]);
    await tab.getByRole('button', { name: 'Copy address of the link' }).press('Enter');
    const url = body.list('data')[0]?.text('url') ?? '';
    expect(await tab.evaluate('navigator.clipboard.readText()')).toBe(url);
    // the refused request is a line of the browser's own
    expect(complaints.splice(0).filter((line) => !line.includes('400 (Bad Request)'))).toEqual([]);
  });

  test('row 104: the QR code is shown and saved as PNG and SVG, and uses are shown as they happen', async () => {
    const { body: link } = await owner.api.must('POST', '/v1/payment-links', {
      name: 'Tea',
      amount: 5_000,
      maxUses: 1,
    });
    const { tab, complaints } = sight;
    await tab.goto(`${rig.house.url}/dashboard/${owner.projectId}/sandbox/payment-links/${link.text('id')}`);
    await tab.getByText('0 of 1 uses').first().waitFor();
    await tab.getByText('Up to date', { exact: true }).waitFor();
    await tab.waitForFunction('document.querySelector("img.code").naturalWidth > 0');
    for (const format of ['PNG', 'SVG']) {
      const [saved] = await Promise.all([
        tab.waitForEvent('download'),
        tab.getByRole('link', { name: format }).click(),
      ]);
      expect(saved.suggestedFilename()).toBe(`${link.text('referenceId')}.${format.toLowerCase()}`);
      expect(await saved.failure()).toBeNull();
    }
    const session = sessionOn(await buys(link, rig.house.url)) ?? '';
    await owner.simulate(session, 'success');
    await tab.getByText('1 of 1 uses').first().waitFor();
    await tab.getByRole('row').getByText('Paid').waitFor();
    await tab.locator('.facts').getByText('Used up').waitFor();
    await tab.getByRole('button', { name: 'Allow more uses' }).press('Enter');
    await tab.getByRole('textbox', { name: /^Uses/ }).fill('5');
    await tab.getByRole('button', { name: 'Save' }).press('Enter');
    await tab.getByText('1 of 5 uses').first().waitFor();
    await tab.locator('.facts').getByText('Active').waitFor();
    expect(complaints).toEqual([]);
  });

  test('row 104: a link is switched off and on, and found by its state', async () => {
    const { body: link } = await owner.api.must('POST', '/v1/payment-links', { name: 'Momo', amount: 5_000 });
    const { tab, complaints } = sight;
    await tab.getByRole('link', { name: 'Payment links' }).first().click();
    await tab.getByRole('link', { name: 'Momo' }).first().click();
    await tab.getByRole('button', { name: 'Switch off' }).press('Enter');
    await tab.getByText('Whoever opens the link is told that it is not available.').waitFor();
    expect((await owner.api.must('GET', `/v1/payment-links/${link.text('id')}`)).body.text('status')).toBe(
      'active',
    );
    await tab.getByRole('button', { name: 'Switch it off' }).press('Enter');
    await tab.getByRole('button', { name: 'Switch on' }).waitFor();
    expect((await pageOf(link, rig.house.url)).title).toMatch(/^This link is not available/);
    await tab.getByRole('link', { name: 'Payment links' }).first().click();
    await tab.getByRole('link', { name: 'Switched off' }).click();
    await tab.getByRole('link', { name: 'Tea' }).waitFor({ state: 'detached' });
    await tab.getByRole('link', { name: 'Momo' }).first().click();
    await tab.getByRole('button', { name: 'Switch on' }).press('Enter');
    await tab.getByRole('button', { name: 'Switch it on' }).press('Enter');
    await tab.locator('.facts').getByText('Active').waitFor();
    expect(complaints).toEqual([]);
  });

  test('every screen of links fits phone and desktop widths, is readable in both colour schemes, and works by keyboard', async () => {
    const { body: link } = await owner.api.must('POST', '/v1/payment-links', {
      name: 'A seat in a workshop with a name that is rather long, for a title',
      minAmount: 1_000,
      maxAmount: 100_000_000,
      maxUses: 100_000,
      description: 'Saturday. '.repeat(40),
      returnUrl: `https://shop.example/${'thanks'.repeat(20)}`,
    });
    const { tab, complaints } = sight;
    for (const [path, ready] of [
      ['payment-links', '.links .row'],
      ['payment-links?status=expired', '.empty'],
      ['payment-links/new', 'form'],
      [`payment-links/${link.text('id')}`, '.empty'],
    ] as const) {
      await tab.goto(`${rig.house.url}/dashboard/${owner.projectId}/sandbox/${path}`);
      await tab.locator(ready).first().waitFor();
      await tab.getByText('Up to date', { exact: true }).waitFor();
      const found = { path, ...(await faultsOf(tab)), complaints: [...complaints] };
      expect(found).toEqual({ path, ...noFaults, complaints: [] });
    }
  });
});
