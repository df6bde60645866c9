import { expect, test } from 'vitest';
import { buttonOf, open, press } from '../../../src/cli/demo/buyer.ts';
import { Body } from '../../../src/cli/demo/api.ts';
import { eventually } from '../../support/eventually.ts';
import { objectsIn, walked } from './walk.ts';

const walk = walked('sell-a-subscription.md');

test('the guide bills a subscription, reminds of it, and changes its plan', { timeout: 90_000 }, async () => {
  await walk().run('KEY=');
  const [made] = objectsIn(await walk().run('PLAN='));
  expect(made).toMatchObject({ amount: 150_000, trialDays: 14 });
  const [trialing] = objectsIn(await walk().run('CUSTOMER='));
  expect(trialing).toMatchObject({ displayStatus: 'trialing' });

  const [, invoices, mails] = objectsIn(await walk().run('post /v1/test/clock/advance'));
  const page = new Body(invoices).text('data.0.hostedUrl');
  expect(mails).toMatchObject({ data: [{ text: expect.stringContaining(page) }] });
  await walk().run('INVOICE=');
  expect(objectsIn(await walk().run('until get'))[0]).toMatchObject({ data: [{ status: 'paid' }] });
  expect((await open(page)).title).toMatch(/^This invoice is paid/);

  const [, missed, reminders] = objectsIn(await walk().run('post /v1/test/clock/advance'));
  expect(missed).toMatchObject({ displayStatus: 'past_due', latestInvoice: { status: 'past_due' } });
  expect(reminders).toMatchObject({ data: { length: 3 } });
  const [sent, settled, active] = objectsIn(await walk().run('INVOICE='));
  expect(sent).toMatchObject({ status: 'past_due' });
  expect(settled).toMatchObject({ status: 'paid', notes: 'Paid in cash' });
  expect(active).toMatchObject({ displayStatus: 'active', dunning: [] });
  const [preview, action, changed] = objectsIn(await walk().run('DEARER='));
  expect(preview).toMatchObject({ newPlanCharge: 300_000, applied: false });
  expect(action).toMatchObject({ action: 'change-plan', effects: [{ is: 'plan_change', amount: 300_000 }] });
  expect(changed).toMatchObject({ nextPlan: { name: 'Pro plus' } });
});

test('the buttons that the guide names pay an invoice in a browser', async () => {
  const shop = walk().galla.with(walk().galla.keys.secretKey);
  const made = async (path: string, body: object) =>
    (await shop.must('POST', `/v1/billing/${path}`, body)).body.text('id');
  const planId = await made('plans', { name: 'At once', amount: 150_000, intervalUnit: 'month' });
  const customerId = await made('customers', { name: 'Hari Rai' });
  const subscriptionId = await made('subscriptions', { planId, customerId });
  const read = async () =>
    (await shop.must('GET', `/v1/billing/invoices?subscriptionId=${subscriptionId}`)).body;
  const page = (await read()).text('data.0.hostedUrl');
  const chooser = await press(buttonOf(await open(page), /^Pay this invoice$/));
  const handover = await press(buttonOf(chooser, /Bank A/));
  const bank = await press(buttonOf(handover, /^Continue to/));
  const loggedIn = await press(buttonOf(bank, /Log in/), { user: 'testbuyer1', password: 'Bank@123' });
  await press(buttonOf(loggedIn, /^Pay$/));
  await eventually(
    async () => ((await read()).at('data.0.status') === 'paid' ? true : null),
    () => 'the invoice to be paid',
  );
});
