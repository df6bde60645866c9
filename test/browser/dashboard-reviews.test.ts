/** The review queue: what a merchant sees of an unclear payment, and what a person does with it. */
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { describeDashboard } from './dashboard-stories.ts';
import { logIn, ownerOf, sightOf, type Owner } from './dashboard-rig.ts';
import { faultsOf, noFaults } from './looks.ts';

/** A payment of this buyer whose provider has answered so; its id. */
async function doubted(owner: Owner, name: string, outcome: 'wrong_amount' | 'ambiguous'): Promise<string> {
  const session = await owner.checkout({ customer: { name } });
  await owner.simulate(session.text('id'), outcome);
  const id = (await owner.session(session.text('id'))).text('paymentId');
  await eventually(
    async () => ((await owner.payment(id)).at('needsReview') === true ? id : null),
    () => `a review of ${id}`,
  );
  return id;
}

const sections = (tab: Page): Locator => tab.getByRole('navigation', { name: 'Sections' });
const item = (tab: Page, name: string): Locator =>
  tab.getByRole('region', { name: 'Reviews' }).getByRole('listitem').filter({ hasText: name });

describeDashboard('reviews in the dashboard', (rig) => {
  test('row 18: a merchant finds what is unclear, asks the provider again, and ends the review with a reason', async () => {
    const owner = await ownerOf(rig.house, 'Review Pasal');
    const { tab, complaints, close } = await sightOf(rig.browser, rig.house);
    await logIn(tab, owner);
    await sections(tab).getByRole('link', { name: 'Review queue', exact: true }).press('Enter');
    await tab.getByRole('heading', { name: 'Nothing to review' }).waitFor();
    // it comes by itself, and is counted in the bar
    const paymentId = await doubted(owner, 'Asha Rai', 'wrong_amount');
    const asha = item(tab, 'Asha Rai');
    await asha.getByText('The provider says: paid, but another amount.').waitFor();
    await sections(tab).getByRole('link', { name: 'Review queue 1 waiting' }).waitFor();
    expect(await asha.getByText('You asked for').locator('..').innerText()).toContain('NPR 1,250.50');
    expect(await asha.getByText('The provider names').locator('..').innerText()).toContain('NPR 1,249.50');

    await asha.getByRole('button', { name: 'Look up now' }).press('Enter');
    await asha.getByText('Asked just now. The provider says: paid, but another amount.').waitFor();

    await asha.getByRole('button', { name: 'Dismiss' }).press('Enter');
    const form = asha.getByRole('form', { name: 'Dismiss' });
    expect(await form.evaluate((each) => each.matches(':focus'))).toBe(true);
    await form.getByRole('button', { name: 'Dismiss' }).press('Enter');
    await form.getByText('Write a reason: others will ask for it.').waitFor();
    expect(await form.getByLabel('Reason').evaluate((each) => each.matches(':focus'))).toBe(true);
    await tab.keyboard.type('Paid the rest in cash.');
    await form.getByRole('button', { name: 'Dismiss' }).press('Enter');
    await tab.getByRole('heading', { name: 'Nothing to review' }).waitFor();
    await tab.locator('h1:focus', { hasText: 'Review queue' }).waitFor();
    await sections(tab).getByRole('link', { name: 'Review queue', exact: true }).waitFor();

    await tab.getByRole('link', { name: 'Ended' }).press('Enter');
    await asha.getByText('Dismissed', { exact: true }).waitFor();
    await asha.getByText(owner.email).waitFor();
    await asha.getByText('Paid the rest in cash.').waitFor();
    expect((await owner.payment(paymentId)).value).toMatchObject({
      needsReview: false,
      status: 'processing',
    });
    // the payment's own page says it too
    await asha.getByRole('link').press('Enter');
    await tab.getByText(`${owner.email}: review dismissed`).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  test('row 18: an acceptance makes a payment paid only when the provider confirms it', async () => {
    const owner = await ownerOf(rig.house, 'Accepting Pasal');
    const paymentId = await doubted(owner, 'Sita Rai', 'ambiguous');
    const { tab, close } = await sightOf(rig.browser, rig.house);
    await logIn(tab, owner);
    await tab.getByRole('region', { name: 'Needs attention' }).getByRole('link').press('Enter');
    const sita = item(tab, 'Sita Rai');
    await sita.getByText('The provider says: something that we do not know.').waitFor();
    expect(await sita.getByText('The provider’s own word').locator('..').innerText()).toContain('On Hold');
    await sita.getByRole('button', { name: 'Accept as paid' }).press('Enter');
    const form = sita.getByRole('form', { name: 'Accept as paid' });
    await form.getByLabel('Reason').fill('The buyer has shown a receipt.');
    await form.getByRole('button', { name: 'Accept as paid' }).press('Enter');
    await form.getByRole('alert').getByText('The provider does not confirm this payment').waitFor();
    expect((await owner.payment(paymentId)).at('needsReview')).toBe(true);
    // the provider makes up its mind; the form is as it was
    await owner.simulate((await owner.payment(paymentId)).text('sessionId'), 'success');
    await tab.getByRole('heading', { name: 'Nothing to review' }).waitFor();
    await eventually(
      async () => ((await owner.payment(paymentId)).at('status') === 'success' ? true : null),
      () => 'the payment is paid',
    );
    await tab.getByRole('link', { name: 'Ended' }).press('Enter');
    await sita.getByText('Paid', { exact: true }).waitFor();
    await close();
  });

  test('row 18: what was paid is kept or refunded where it is another amount, and nowhere else', async () => {
    const owner = await ownerOf(rig.house, 'Keeping Pasal');
    const kept = await doubted(owner, 'Asha Rai', 'wrong_amount');
    const refunded = await doubted(owner, 'Bikash Gurung', 'wrong_amount');
    await doubted(owner, 'Sita Rai', 'ambiguous');
    const { tab, complaints, close } = await sightOf(rig.browser, rig.house);
    await logIn(tab, owner);
    await tab.getByRole('region', { name: 'Needs attention' }).getByRole('link').press('Enter');
    const buttons = async (name: string): Promise<readonly string[]> =>
      (await item(tab, name).getByRole('button').allInnerTexts()).map((text) => text.replace('\u00a0', ' '));
    await item(tab, 'Sita Rai').waitFor();
    expect(await buttons('Sita Rai')).toEqual(['Look up now', 'Accept as paid', 'Dismiss']);
    expect(await buttons('Asha Rai')).toEqual([
      'Look up now',
      'Accept as paid',
      'Keep NPR 1,249.50',
      'Refund NPR 1,249.50',
      'Dismiss',
    ]);
    const end = async (name: string, word: string): Promise<Locator> => {
      await item(tab, name).getByRole('button', { name: word }).press('Enter');
      const form = item(tab, name).getByRole('form', { name: word });
      await form.getByLabel('Reason').fill('Agreed on the phone.');
      await form.getByRole('button', { name: word }).press('Enter');
      return form;
    };
    // by now the provider says something else: what the person has read is not what happens
    await owner.faults([{ call: 'lookup', kind: 'ambiguous' }]);
    const form = await end('Asha Rai', 'Keep NPR 1,249.50');
    await form.getByRole('alert').getByText('The provider does not say, asked now').waitFor();
    expect((await owner.payment(kept)).value).toMatchObject({ needsReview: true, amountExpected: null });
    await owner.faults([{ call: 'lookup', kind: 'wrong_amount' }]);
    await tab.reload();
    await item(tab, 'Asha Rai').getByRole('button', { name: 'Look up now' }).press('Enter');
    await end('Asha Rai', 'Keep NPR 1,249.50');
    await item(tab, 'Asha Rai').waitFor({ state: 'detached' });
    await end('Bikash Gurung', 'Refund NPR 1,249.50');
    await item(tab, 'Bikash Gurung').waitFor({ state: 'detached' });
    const amounts = { amount: 124_950, amountExpected: 125_050, needsReview: false };
    expect((await owner.payment(kept)).value).toMatchObject({
      ...amounts,
      status: 'success',
      duplicate: false,
    });
    expect((await owner.payment(refunded)).value).toMatchObject({ ...amounts, duplicate: true });
    await tab.getByRole('link', { name: 'Ended' }).press('Enter');
    await item(tab, 'Asha Rai').getByText('Kept', { exact: true }).waitFor();
    await item(tab, 'Bikash Gurung').getByText('Refunded', { exact: true }).first().waitFor();
    expect(await item(tab, 'Asha Rai').getByText('You asked for').locator('..').innerText()).toContain(
      'NPR 1,250.50',
    );
    // the payment's own page says both amounts
    await item(tab, 'Asha Rai').getByRole('link').press('Enter');
    await tab.getByText('NPR 1,250.50 was asked for. What was paid was kept.').waitFor();
    // the refused one
    expect(complaints.map((text) => /status of (\d+)/.exec(text)?.[1])).toEqual(['409']);
    await close();
  });

  test('its screens fit on a phone, are read in both colours, and are reached by keyboard', async () => {
    const owner = await ownerOf(rig.house, 'Looking Pasal');
    const first = await doubted(owner, 'Asha Rai', 'wrong_amount');
    await doubted(owner, 'Bikash Gurung', 'ambiguous');
    const { tab, close } = await sightOf(rig.browser, rig.house);
    await logIn(tab, owner);
    await tab.getByRole('heading', { name: 'Needs attention' }).waitFor();
    await sections(tab)
      .getByRole('link', { name: /Review queue/ })
      .press('Enter');
    await item(tab, 'Asha Rai').getByRole('button', { name: 'Dismiss' }).press('Enter');
    await tab.reload();
    await item(tab, 'Asha Rai').waitFor();
    expect(await faultsOf(tab)).toEqual(noFaults);
    await rig.house.admin.must('POST', `/admin/v1/payments/${first}/dismiss`, { reason: 'Seen to.' });
    await tab.getByRole('link', { name: 'Ended' }).press('Enter');
    await item(tab, 'The operator').waitFor();
    await tab.reload();
    await item(tab, 'The operator').waitFor();
    expect(await faultsOf(tab)).toEqual(noFaults);
    await close();
  });
});
