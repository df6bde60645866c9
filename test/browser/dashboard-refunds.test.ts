/** Giving money back in the dashboard: the form of a payment, and the list of those that require action. */
import { expect, test } from 'vitest';
import { logIn, ownerOf, paidWith, row, sightOf, type Owner } from './dashboard-rig.ts';
import { describeDashboard } from './dashboard-stories.ts';
import { faintTexts, inScheme, scrollsSideways, smallTargets } from './looks.ts';

const refundsOf = async (owner: Owner, paymentId: string) =>
  (await owner.api.must('GET', `/v1/refunds?paymentId=${paymentId}`)).body.list('data');

describeDashboard('refunds in the dashboard', (rig) => {
  test('a merchant gives back a part of a payment, sees what is left, and makes a receipt', async () => {
    const owner = await ownerOf(rig.house, 'Refund Pasal');
    const paymentId = await paidWith(owner, 'wallet_b', 'Asha Rai');
    const { tab, complaints, close } = await sightOf(rig.browser, rig.house);
    await logIn(tab, owner);
    await row(tab, 'Asha Rai').getByText('Paid', { exact: true }).waitFor();
    await row(tab, 'Asha Rai').getByRole('link').press('Enter');
    const card = tab.getByRole('region', { name: 'Refunds' });
    await card.getByText('Nothing was refunded yet. NPR 1,250.50 can be refunded.').waitFor();
    await card.getByRole('button', { name: 'Refund', exact: true }).press('Enter');
    const amount = card.getByLabel('Amount in rupees');
    await amount.fill('1250.51');
    await card.getByText('Only NPR 1,250.50 can still be refunded.').waitFor();
    expect(await card.getByRole('button', { name: /^Refund NPR/ }).isDisabled()).toBe(true);
    await amount.fill('250.50');
    await card.getByLabel('Notes').fill('Returned one item');
    // twice in a row, as impatient people do
    await card.getByRole('button', { name: 'Refund NPR 250.50' }).dblclick();
    await card.getByText('Refunded', { exact: true }).waitFor();
    await card.getByText('NPR 1,000.00 can be refunded.').waitFor();
    await tab.getByRole('region', { name: 'What it is' }).getByText('NPR 250.50').waitFor();
    expect((await refundsOf(owner, paymentId)).map((one) => [one.at('amount'), one.at('notes')])).toEqual([
      [25_050, 'Returned one item'],
    ]);
    await tab.getByRole('button', { name: 'Make a receipt' }).press('Enter');
    await tab
      .getByRole('region', { name: 'Signed receipt' })
      .getByText(/^eyJ[\w-]+\.[\w-]+\.[\w-]+$/)
      .waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  test('an answer that was lost leaves the form as it was sent: sent again, it is still one refund', async () => {
    const owner = await ownerOf(rig.house, 'Lossy Pasal');
    const paymentId = await paidWith(owner, 'wallet_a', 'Sita Rai');
    const { tab, close } = await sightOf(rig.browser, rig.house);
    await logIn(tab, owner);
    await row(tab, 'Sita Rai').getByText('Paid', { exact: true }).waitFor();
    await row(tab, 'Sita Rai').getByRole('link').press('Enter');
    const card = tab.getByRole('region', { name: 'Refunds' });
    await card.getByRole('button', { name: 'Refund', exact: true }).press('Enter');
    await card.getByLabel('Amount in rupees').fill('250.50');
    // the service executes it; its answer never arrives
    let keys: readonly (string | undefined)[] = [];
    await tab.route('**/refunds', async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      keys = [...keys, route.request().headers()['idempotency-key']];
      if (keys.length > 1) return route.continue();
      await route.fetch();
      return route.abort();
    });
    const button = card.getByRole('button', { name: 'Refund NPR 250.50' });
    await button.press('Enter');
    await card.getByText('Press the button again: it is executed once.').waitFor();
    expect(await card.getByLabel('Amount in rupees').isEditable()).toBe(false);
    expect(await card.getByLabel('Notes').isEditable()).toBe(false);
    await button.press('Enter');
    await button.waitFor({ state: 'detached' });
    expect([keys.length, new Set(keys).size]).toEqual([2, 1]);
    expect((await refundsOf(owner, paymentId)).map((one) => one.at('amount'))).toEqual([25_050]);
    await close();
  });

  test('a refund that requires action is found in its list and settled there, on a phone', async () => {
    const owner = await ownerOf(rig.house, 'Portal Pasal');
    const paymentId = await paidWith(owner, 'wallet_a', 'Bikash Gurung');
    const { tab, complaints, close } = await sightOf(rig.browser, rig.house, {
      viewport: { width: 390, height: 844 },
      hasTouch: true,
    });
    await logIn(tab, owner);
    await tab.getByRole('link', { name: 'Refunds' }).tap();
    await tab.getByRole('heading', { name: 'Nothing was refunded yet' }).waitFor();
    for (const amount of [10_000, 2_500]) {
      await owner.api.must('POST', '/v1/refunds', { paymentId, amount, reason: 'other' });
    }
    await tab.getByRole('button', { name: 'Show 2 new refunds' }).tap();
    await tab.getByRole('link', { name: 'Requires action' }).tap();
    const item = (paisa: string) => tab.getByRole('listitem').filter({ hasText: `NPR ${paisa}` });
    await item('100.00').getByRole('button', { name: 'Mark as paid out' }).tap();
    await item('100.00').getByLabel('Notes').fill('Portal, Monday');
    expect(await tab.evaluate(scrollsSideways)).toBe(false);
    expect(await tab.evaluate(smallTargets)).toEqual([]);
    for (const scheme of ['light', 'dark'] as const) {
      expect(await inScheme(tab, scheme, faintTexts)).toEqual([]);
    }
    await item('100.00').getByRole('button', { name: 'Mark as paid out' }).tap();
    await item('100.00').waitFor({ state: 'detached' });
    await item('25.00').getByRole('button', { name: 'Cancel refund' }).tap();
    await item('25.00').getByRole('button', { name: 'Cancel refund' }).tap();
    await tab.getByRole('heading', { name: 'Nothing waits for you' }).waitFor();
    const found = await refundsOf(owner, paymentId);
    expect(found.map((one) => [one.at('amount'), one.at('status'), one.at('notes')])).toEqual([
      [2_500, 'failed', null],
      [10_000, 'succeeded', 'Portal, Monday'],
    ]);
    expect(complaints).toEqual([]);
    await close();
  });
});
