/** Finding a payment in the dashboard, and reading it in a row: filters, search, states, amounts. */
import { expect, test } from 'vitest';
import { buttonFor, open, press } from '../../src/cli/demo/buyer.ts';
import { eventually } from '../support/eventually.ts';
import { logIn, ownerOf, paid, row, rows, sightOf } from './dashboard-rig.ts';
import { describeDashboard } from './dashboard-stories.ts';

describeDashboard('rows of the dashboard', (rig) => {
  test('filters are part of the address: they survive a reload, and the back button undoes them', async () => {
    const owner = await ownerOf(rig.house, 'Filter Pasal');
    await paid(owner, 'Asha');
    await paid(owner, 'Bina', 'ambiguous');
    const { tab, close } = await sightOf(rig.browser, rig.house);
    await logIn(tab, owner);
    await tab.getByRole('link', { name: 'Needs review' }).click();
    await row(tab, 'Asha').waitFor({ state: 'detached' });
    await tab.reload();
    await row(tab, 'Bina').waitFor();
    expect(await rows(tab).count()).toBe(1);
    await tab.getByRole('searchbox').fill('of-Asha');
    await tab.keyboard.press('Enter');
    await tab.getByRole('heading', { name: 'No payment matches' }).waitFor();
    await tab.getByRole('link', { name: 'Show all payments' }).click();
    await row(tab, 'Asha').waitFor();
    for (const _ of ['all', 'found']) await tab.goBack();
    await row(tab, 'Bina').waitFor();
    expect(await rows(tab).count()).toBe(1);
    await close();
  });

  test('on a phone a search is submitted by its button, and its result is visible at once', async () => {
    const owner = await ownerOf(rig.house, 'Searching Pasal');
    await paid(owner, 'Asha');
    await paid(owner, 'Bina');
    const { tab, complaints, close } = await sightOf(rig.browser, rig.house, {
      viewport: { width: 390, height: 844 },
      hasTouch: true,
    });
    await logIn(tab, owner);
    const finds = async (text: string): Promise<void> => {
      await tab.getByRole('searchbox').fill(text);
      await tab.getByRole('button', { name: 'Find' }).tap();
    };
    const isSeen = 'document.querySelector(".empty").getBoundingClientRect().bottom <= innerHeight + 1';
    const findsNothing = async (): Promise<void> => {
      await finds('of-Nobody');
      await tab.getByText('Every word must be there, and whole: no beginnings of words.').waitFor();
      await eventually(
        async () => ((await tab.evaluate(isSeen)) === true ? true : null),
        () => 'the answer to be seen',
      );
    };
    await findsNothing();
    for (const text of ['of-Bina', 'bina']) {
      await finds(text);
      await row(tab, 'Bina').waitFor();
      await eventually(
        async () => ((await rows(tab).count()) === 1 ? true : null),
        () => `${text} to find one payment`,
      );
      await findsNothing();
    }
    await finds('BINA of-bina');
    await row(tab, 'Bina').waitFor();
    expect(await rows(tab).count()).toBe(1);
    // by now the answer is remembered, and after that it is there already
    for (const _ of ['again', 'once more']) await findsNothing();
    expect(complaints).toEqual([]);
    await close();
  });

  test('every provider can be selected, those of invoices too', async () => {
    const owner = await ownerOf(rig.house, 'Choosing Pasal');
    const { tab, close } = await sightOf(rig.browser, rig.house);
    await logIn(tab, owner);
    const provider = tab.getByLabel('Provider');
    const offered = ['All providers', 'Wallet A', 'Wallet B', 'QR A', 'Bank A', 'Wallet C'];
    expect(await provider.locator('option').allInnerTexts()).toEqual(offered);
    await provider.selectOption('QR A');
    await tab.waitForURL(/provider=qr_a$/);
    await tab.goto(`${rig.house.url}/dashboard/${owner.projectId}/sandbox/payments?provider=bank_a`);
    await tab.getByText('Up to date', { exact: true }).waitFor();
    expect(await provider.inputValue()).toBe('bank_a');
    await close();
  });

  test('the payments of a day on which they were paid are the ones that its sum counts', async () => {
    const owner = await ownerOf(rig.house, 'Midnight Pasal');
    const session = await owner.checkout({ customer: { name: 'Late Asha' } });
    await owner.simulate(session.text('id'), 'never');
    await owner.advance(86_400);
    await owner.simulate(session.text('id'), 'success');
    await owner.checkout({ customer: { name: 'Nobody' } });
    await paid(owner, 'Bina');
    const { tab, complaints, close } = await sightOf(rig.browser, rig.house);
    await logIn(tab, owner);
    await tab.getByRole('link', { name: '2 payments' }).press('Enter');
    await tab.waitForURL(/period=paid_today$/);
    await tab.getByRole('columnheader', { name: 'Paid' }).waitFor();
    await row(tab, 'Late Asha').waitFor();
    expect((await rows(tab).allInnerTexts()).map((text) => /Late Asha|Bina/.exec(text)?.[0])).toEqual([
      'Bina',
      'Late Asha',
    ]);
    await tab.getByLabel('Days').selectOption('Begun today');
    await row(tab, 'Late Asha').waitFor({ state: 'detached' });
    await tab.getByLabel('Days').selectOption('Paid yesterday');
    await tab.getByText('No payment matches').waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  test('a hovered row keeps its state visible', async () => {
    const owner = await ownerOf(rig.house, 'Hovering Pasal');
    await paid(owner, 'Asha');
    const { tab, close } = await sightOf(rig.browser, rig.house, { reducedMotion: 'reduce' });
    await logIn(tab, owner);
    await row(tab, 'Asha').getByText('Paid', { exact: true }).waitFor();
    await row(tab, 'Asha').hover();
    const groundOf = (selector: string): Promise<number[]> =>
      tab.evaluate(
        `getComputedStyle(document.querySelector(${JSON.stringify(selector)})).backgroundColor.match(/\\d+/g).map(Number)`,
      );
    for (const colorScheme of ['light', 'dark'] as const) {
      await tab.emulateMedia({ colorScheme });
      const [under, state] = [await groundOf('.book .row:hover'), await groundOf('.book .row .tag.good')];
      const apart = under.reduce((sum, value, at) => sum + Math.abs(value - (state[at] ?? 0)), 0);
      expect(apart, colorScheme).toBeGreaterThanOrEqual(20);
    }
    await close();
  });

  test('other attempts of a buyer are shown beside their amounts, each on one line', async () => {
    const owner = await ownerOf(rig.house, 'Trying Pasal');
    const session = await owner.checkout({ amount: 149_380, customer: { name: 'Kiran Tamang' } });
    for (const provider of ['wallet_b', 'qr_a', 'wallet_b']) {
      await press(buttonFor(await open(session.text('checkout_url')), 'provider', provider));
    }
    const { tab, close } = await sightOf(rig.browser, rig.house);
    await logIn(tab, owner);
    await rows(tab).first().getByRole('link').press('Enter');
    const its = tab.getByRole('region', { name: 'Checkout session' });
    await its.getByText('Other tries of this buyer').waitFor();
    for (const width of [1920, 1280, 390, 360]) {
      await tab.setViewportSize({ width, height: 844 });
      const amounts = its.locator('.sent').getByRole('link', { name: 'NPR 1,493.80' });
      expect(await amounts.count()).toBe(2);
      for (const amount of await amounts.all()) {
        expect((await amount.boundingBox())?.height, `at ${width}`).toBeLessThan(30);
      }
    }
    await close();
  });
});
