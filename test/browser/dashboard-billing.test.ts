/** Billing in the dashboard: from an empty screen to a subscription, its actions, its invoices, and the sandbox's
 *  clock. */
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { Billing, threeSeven } from '../support/billing.ts';
import { logIn, ownerOf, sightOf, type Owner, type Sight } from './dashboard-rig.ts';
import { describeDashboard } from './dashboard-stories.ts';
import { faultsOf, noFaults } from './looks.ts';

describeDashboard('billing in the dashboard', (rig) => {
  let owner: Owner;
  let billing: Billing;
  /** One login for all tests: each begins where the one before has left. */
  let sight: Sight;

  beforeAll(async () => {
    owner = await ownerOf(rig.house, 'Himal Gym');
    billing = new Billing(owner);
    sight = await sightOf(rig.browser, rig.house, { permissions: ['clipboard-read', 'clipboard-write'] });
    sight.tab.setDefaultTimeout(12_000);
    await logIn(sight.tab, owner);
  }, 60_000);

  const show = async (path: string): Promise<void> => {
    await sight.tab.goto(`${rig.house.url}/dashboard/${owner.projectId}/sandbox/billing/${path}`);
    await sight.tab.getByText('Up to date', { exact: true }).waitFor();
  };
  const press = (tab: Page, name: string) => tab.getByRole('button', { name, exact: true }).press('Enter');
  const follow = (tab: Page, name: string) => tab.getByRole('link', { name, exact: true }).press('Enter');

  test('row 104: an empty screen leads to a plan, a customer and a subscription, by keyboard', async () => {
    const { tab, complaints } = sight;
    await follow(tab, 'Billing');
    await tab.getByText('A plan says what is billed and how often.').waitFor();
    await follow(tab, 'Create a plan');
    await tab.getByLabel('Opens, days before it is due').waitFor();
    expect(await tab.getByLabel('Opens, days before it is due').inputValue()).toBe('3');
    expect(await tab.getByLabel('Reminder every, days').inputValue()).toBe('7');
    await tab.getByLabel('Amount in rupees').fill('9.99');
    await press(tab, 'Create the plan');
    await tab.getByText('At least NPR 10.00.').waitFor();
    // the first wrong field has the focus
    await tab.locator('[name=name]:focus').waitFor();
    await tab.keyboard.type('Pro monthly');
    await tab.getByLabel('Amount in rupees').fill('1,500');
    await tab.getByText('the subscription is marked past due').waitFor();
    await press(tab, 'Create the plan');
    await tab.getByRole('heading', { name: 'Pro monthly', level: 1 }).waitFor();
    const { body: plans } = await owner.api.must('GET', '/v1/billing/plans');
    expect(plans.list('data').map(({ value }) => value)).toMatchObject([
      {
        name: 'Pro monthly',
        amount: 150_000,
        gracePeriodDays: 3,
        dunningSettings: { reminderDaysBeforeDue: 3 },
      },
    ]);

    await follow(tab, 'Billing');
    await tab.getByRole('listitem').filter({ hasText: 'Create a plan' }).getByText('Done').waitFor();
    await follow(tab, 'Add a customer');
    await tab.getByRole('textbox', { name: /^Name/ }).fill('Asha Rai');
    await tab.getByLabel('E-mail').fill('asha@example.com');
    await press(tab, 'Add the customer');
    await tab.getByRole('heading', { name: 'Asha Rai', level: 1 }).waitFor();
    await follow(tab, 'Billing');
    await follow(tab, 'Start a subscription');
    await tab.getByRole('searchbox', { name: 'Customer' }).fill('ash');
    await tab.getByRole('button', { name: /Asha Rai/ }).press('Enter');
    await tab.getByText('The first invoice of NPR 1,500.00 opens now and is due at once.').waitFor();
    await press(tab, 'Start the subscription');
    await tab.getByRole('heading', { name: 'Asha Rai', level: 1 }).waitFor();
    await tab.getByText('INV-000001 becomes past due').waitFor();
    await tab.getByText('NPR 1,500.00 is to be paid').waitFor();
    expect(complaints).toEqual([]);
  });

  test('each action on a subscription says what it will do, then does it', async () => {
    const { tab, complaints } = sight;
    await billing.plan({ name: 'Yearly', amount: 1_500_000, intervalUnit: 'year' });
    await press(tab, 'Change the plan');
    await tab
      .getByText('it changes to Yearly: NPR 15,000.00 a year instead of NPR 1,500.00 a month.')
      .waitFor();
    await tab
      .getByText(/For comparison: switched this moment, NPR\s1,(4\d\d|500)\.\d\d of the period/)
      .waitFor();
    await press(tab, 'Change to Yearly');
    await tab.getByText('The plan changes to Yearly').waitFor();
    await press(tab, 'Keep the plan');
    await press(tab, 'Keep Pro monthly');
    await tab.getByText('The plan changes to Yearly').waitFor({ state: 'detached' });

    await press(tab, 'Pause');
    await tab.getByLabel('Reason').fill('on holiday');
    await tab.getByText('It stays paused until you resume it.').waitFor();
    await press(tab, 'Pause it now');
    await tab.getByText('on holiday').waitFor();
    await press(tab, 'Resume');
    await tab.getByText('This period has its invoice already').waitFor();
    await press(tab, 'Resume it now');

    await press(tab, 'Cancel');
    await tab.getByText(/It goes on until .* and ends with its period\./).waitFor();
    await press(tab, 'Cancel it at the end of its period');
    await tab.getByText('You cancelled it for then.').waitFor();
    await press(tab, 'Let it go on');
    await tab
      .getByRole('form', { name: 'Let it go on' })
      .getByRole('button', { name: 'Let it go on' })
      .press('Enter');
    await tab.getByText('It renews').waitFor();

    await press(tab, 'Edit');
    await tab.getByLabel('Invoices in all').fill('12');
    await press(tab, 'Save the changes');
    await tab.locator('.facts').getByText('1 of 12').waitFor();
    expect(complaints).toEqual([]);
  });

  test('a change elsewhere is shown without a reload, and the sandbox’s clock is advanced to the next step', async () => {
    const { tab, complaints } = sight;
    await press(tab, 'Advance to the next step');
    await tab.getByText('NPR 1,500.00 is owed').waitFor();
    await tab.locator('.standing').getByText('Past due').waitFor();
    const [invoice] = await billing.invoices((await subscriptionHere(tab)) ?? '');
    await billing.actOn(invoice?.text('id') ?? '', 'mark-paid');
    await tab.locator('.standing').getByText('Active').waitFor();
    await tab.getByText('NPR 1,500.00 is owed').waitFor({ state: 'detached' });
    await tab.getByRole('list').getByText('Paid today').waitFor();
    const clock = tab.locator('.sandbox-clock summary');
    const before = await clock.innerText();
    await clock.press('Enter');
    await press(tab, '+ 30 days');
    await tab.getByRole('link', { name: 'INV-000002' }).first().waitFor();
    expect(await clock.innerText()).not.toBe(before);
    await tab.keyboard.press('Escape');
    expect(complaints).toEqual([]);
  });

  test('an invoice: its page is copied, it is sent, marked as paid; the list is filtered and saved as CSV', async () => {
    const { tab, complaints } = sight;
    await tab.getByRole('link', { name: 'INV-000002' }).last().press('Enter');
    await tab.getByRole('heading', { name: 'INV-000002', level: 1 }).waitFor();
    await press(tab, 'Copy address of the invoice');
    expect(await tab.evaluate('navigator.clipboard.readText()')).toMatch(/\/invoice\/inv_[0-9a-z]{24}$/);
    await press(tab, 'Make a checkout for 2 hours');
    await tab.getByRole('link', { name: /\/pay\/cs_/ }).waitFor();
    await press(tab, 'Send it again');
    await tab.getByText('asha@example.com is mailed the amount').waitFor();
    await press(tab, 'Send the mail');
    await press(tab, 'Mark as paid');
    await tab.getByText('without a payment here: you were paid in another way.').waitFor();
    await tab.getByLabel('Notes').fill('cash');
    await press(tab, 'Mark it as paid');
    await tab.getByText('In another way: you marked it as paid').waitFor();
    await follow(tab, 'Invoices');
    await tab.getByText('INV-000001').waitFor();
    await follow(tab, 'Paid');
    await tab.getByText('Asha Rai').first().waitFor();
    const [saved] = await Promise.all([tab.waitForEvent('download'), press(tab, 'CSV')]);
    expect(saved.suggestedFilename()).toBe('invoices-sandbox.csv');
    await follow(tab, 'Voided');
    await tab.getByText('No invoice is like that').waitFor();
    expect(complaints).toEqual([]);
  });

  test('a subscription is cancelled, which voids its invoice; a plan is switched off', async () => {
    const { tab, complaints } = sight;
    const plan = await billing.plan({ ...threeSeven, name: 'Classes' });
    const subscription = await billing.subscribe(plan);
    await show(`subscriptions/${subscription.text('id')}`);
    await press(tab, 'Cancel');
    await tab.getByRole('radio', { name: /^Now/ }).press('Space');
    await tab.getByText(/The open invoice INV-\d+ of NPR\s1,500\.00 is voided/).waitFor();
    await press(tab, 'Cancel it now');
    await tab.getByText(/^It ended/).waitFor();
    await tab.getByRole('list').getByText('Voided', { exact: true }).waitFor();
    await show(`plans/${plan.text('id')}`);
    await press(tab, 'Switch off');
    await tab.getByText('Subscriptions that have it go on and renew as before.').waitFor();
    await press(tab, 'Switch it off');
    await tab.getByRole('button', { name: 'Switch on' }).waitFor();
    expect((await owner.api.must('GET', `/v1/billing/plans/${plan.text('id')}`)).body.at('active')).toBe(
      false,
    );
    expect(complaints).toEqual([]);
  });

  test('every screen of billing fits phone and desktop widths, is readable in both colour schemes, and works by keyboard', async () => {
    const { tab, complaints } = sight;
    const long = 'A plan with a name that is rather long, for a title and for every row';
    const plan = await billing.plan({
      ...threeSeven,
      name: long,
      description: 'Sauna. '.repeat(50),
      trialDays: 14,
    });
    const subscription = await billing.subscribe(plan);
    const path = `/v1/billing/subscriptions/${subscription.text('id')}`;
    await owner.api.must('PATCH', path, { referenceId: 'contract-'.repeat(13) });
    const [first] = (await owner.api.must('GET', '/v1/billing/invoices')).body.list('data');
    for (const [screen, ready] of [
      ['subscriptions', '.billed .row'],
      ['subscriptions/new', '.picker-found'],
      [`subscriptions/${subscription.text('id')}`, '.coming .busy'],
      ['invoices', '.billed .row'],
      [`invoices/${first?.text('id') ?? ''}`, '.lines'],
      ['customers', '.billed .row'],
      [`customers/${subscription.text('customer.id')}`, '.billed .row'],
      ['plans/new', 'form .effects'],
      [`plans/${plan.text('id')}`, '.terms'],
    ] as const) {
      await show(screen);
      await tab.locator(ready).first().waitFor();
      const found = { screen, ...(await faultsOf(tab)), complaints: [...complaints] };
      expect(found).toEqual({ screen, ...noFaults, complaints: [] });
    }
  });
});

/** Of the page that is shown. */
const subscriptionHere = async (tab: Page): Promise<string | undefined> =>
  /sub_[0-9a-z]+/.exec(new URL(tab.url()).pathname)?.[0];
