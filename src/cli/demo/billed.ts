/** The demo's part on billing: a subscription through its trial, a first invoice paid by bank_a, one that is missed,
 *  and a change of plan; weeks pass by the test clock. */
import { advance } from './late.ts';
import type { Body } from './api.ts';
import { buttonFor, buttonOf, open, press, waitThere } from './buyer.ts';
import { logIn } from './paid.ts';
import { eventually, expect, type Fact } from './printer.ts';
import type { World } from './world.ts';

const day = 24 * 3600;
const bankBuyer = { user: 'testbuyer1', password: 'Bank@123' };
const email = 'asha@example.com';
const [price, dearer] = [150_000, 300_000];

export async function showBilled(world: World): Promise<void> {
  const { printer } = world;
  printer.chapter('A subscription');
  const id = await printer.step('A customer subscribes, with a trial of fourteen days', () =>
    subscribe(world),
  );
  await printer.step('Three days before its end the first invoice opens, by mail', () => opens(world, id));
  await printer.step('The customer pays it at bank_a, before the trial ends', () => payAtBank(world, id));
  await printer.step('The next invoice is missed: past due, and reminded', () => misses(world, id));
  await printer.step('It is paid late: active at once, and nothing more is sent', () => payLate(world, id));
  await printer.step('A dearer plan is scheduled, and takes over at the renewal', () =>
    changePlan(world, id),
  );
}

const terms = {
  currency: 'NPR',
  intervalUnit: 'month',
  gracePeriodDays: 3,
  reminderDaysBeforeDue: 3,
  overdueReminderIntervalDays: 7,
} as const;

async function subscribe({ api }: World) {
  const { body: plan } = await api.must('POST', '/v1/billing/plans', {
    ...terms,
    name: 'Pro monthly',
    amount: price,
    trialDays: 14,
    defaultProvider: 'bank_a',
  });
  const { body: customer } = await api.must('POST', '/v1/billing/customers', { name: 'Asha Rai', email });
  const { body: made } = await api.must('POST', '/v1/billing/subscriptions', {
    customerId: customer.text('id'),
    planId: plan.text('id'),
  });
  expectShown(made, 'trialing');
  return {
    value: made.text('id'),
    facts: [
      ['plan', `${plan.text('id')}, ${price} paisa a month`],
      ['customer', `${customer.text('id')}, ${email}`],
      ['status', `${made.text('id')}, trialing until ${made.text('trialEndsAt')}`],
    ] as const,
  };
}

async function opens(world: World, id: string) {
  const clock = await advance(world, 11 * day + 60);
  const invoice = await latest(world, id);
  expect(invoice.at('status') === 'open', `the invoice is ${invoice.text('status')}`);
  const mail = await mailOf(world, invoice);
  return {
    value: null,
    facts: [
      ['test clock', clock],
      ['invoice', `${invoice.text('invoiceNumber')}, ${String(invoice.at('amount'))} paisa`],
      ['due', invoice.text('dueAt')],
      ['mail', mail.text('subject')],
      ['page', invoice.text('hostedUrl')],
    ] as const,
  };
}

/** The newest mail about an invoice. */
async function mailOf({ api }: World, invoice: Body): Promise<Body> {
  return eventually('the mail of the invoice', 5000, async () => {
    const { body } = await api.must('GET', `/v1/test/messages?to=${email}&limit=10`);
    return body.list('data').find((mail) => mail.at('invoiceId') === invoice.at('id')) ?? null;
  });
}

async function payAtBank(world: World, id: string) {
  const invoice = await latest(world, id);
  const chooser = await press(buttonOf(await open(invoice.text('hostedUrl')), /Pay/));
  const [first] = chooser.buttons.flatMap(({ fields }) => fields.get('provider') ?? []);
  expect(first === 'bank_a', `the page offers ${first ?? 'nothing'} first`);
  const bank = await press(buttonOf(await press(buttonFor(chooser, 'provider', 'bank_a')), /^Continue to/));
  const loggedIn = await press(buttonOf(bank, /Log in/), bankBuyer);
  await waitThere(await press(buttonFor(loggedIn, 'do', 'pay')), ({ refresh }) => refresh === null);
  const { paid, heard } = await untilPaid(world, invoice);
  const clock = await advance(world, 3 * day);
  const now = await shownAs(world, id, 'active');
  return {
    value: null,
    facts: [
      ['payment', `${paid.text('paymentId')} at bank_a`],
      ['event', `${heard.id}, ${heard.type}`],
      ['test clock', clock],
      ['status', `active until ${now.text('currentPeriodEnd')}`],
    ] as const,
  };
}

/** The invoice once it is paid, and its webhook. */
async function untilPaid({ api, shop }: World, invoice: Body) {
  const invoiceId = invoice.text('id');
  const paid = await eventually('the invoice to be paid', 5000, async () => {
    const { body } = await api.must('GET', `/v1/billing/invoices/${invoiceId}`);
    return body.at('status') === 'paid' ? body : null;
  });
  const heard = await shop.webhook(({ type, objectId }) => type === 'invoice.paid' && objectId === invoiceId);
  return { paid, heard };
}

async function misses(world: World, id: string) {
  // the second period begins within 31 days; three days of grace, and a reminder a week after the due day
  const clock = await advance(world, 39 * day);
  const now = await shownAs(world, id, 'past_due');
  const invoice = await latest(world, id);
  expect(
    Number(invoice.at('attemptCount')) >= 2,
    `${String(invoice.at('attemptCount'))} reminders were sent`,
  );
  const mail = await mailOf(world, invoice);
  const steps = now.list('dunning').map((step) => `${step.text('at')} ${step.text('action')}`);
  expect(steps.length > 0, 'no further step is listed');
  return {
    value: null,
    facts: [
      ['test clock', clock],
      ['invoice', `${invoice.text('invoiceNumber')}, ${invoice.text('status')}`],
      ['reminders', `${String(invoice.at('attemptCount'))}, the last: ${mail.text('subject')}`],
      ['to come', steps.slice(0, 3).join('\n')],
    ] as const,
  };
}

async function payLate(world: World, id: string) {
  const { api } = world;
  const invoice = await latest(world, id);
  const { body: link } = await api.must('POST', `/v1/billing/invoices/${invoice.text('id')}/pay-link`);
  const wallet = await press(buttonFor(await open(link.text('url')), 'provider', 'wallet_b'));
  await press(buttonFor((await logIn(wallet)).value, 'do', 'pay'));
  await untilPaid(world, invoice);
  const now = await shownAs(world, id, 'active');
  expect(now.list('dunning').length === 0, 'steps are still listed');
  return {
    value: null,
    facts: [
      ['pay link', link.text('url')],
      ['status', 'active'],
      ['to come', 'nothing: the steps ended with the payment'],
    ] as const,
  };
}

async function changePlan(world: World, id: string) {
  const { api } = world;
  const { body: plan } = await api.must('POST', '/v1/billing/plans', {
    ...terms,
    name: 'Pro plus',
    amount: dearer,
  });
  const path = `/v1/billing/subscriptions/${id}`;
  const { body: preview } = await api.must('GET', `${path}/preview-proration?planId=${plan.text('id')}`);
  const { body: changed } = await api.must('POST', `${path}/change-plan`, { planId: plan.text('id') });
  const renewal = changed.text('nextPlanAt');
  const { body: clock } = await api.must('GET', '/v1/test/clock');
  const seconds = Math.ceil((Date.parse(renewal) - Date.parse(clock.text('now'))) / 1000);
  const moved = await advance(world, seconds + 60);
  const now = await shownAs(world, id, 'active');
  expect(now.at('plan.amount') === dearer, `the plan costs ${String(now.at('plan.amount'))} paisa`);
  const invoice = await latest(world, id);
  expect(invoice.at('amount') === dearer, `the invoice is of ${String(invoice.at('amount'))} paisa`);
  const facts: readonly Fact[] = [
    ['preview', `${String(preview.at('netAmount'))} paisa if switched now; nothing is applied`],
    ['scheduled', renewal],
    ['test clock', moved],
    ['invoice', `${invoice.text('invoiceNumber')}, ${dearer} paisa`],
  ];
  return { value: null, facts };
}

async function latest({ api }: World, id: string): Promise<Body> {
  const { body } = await api.must('GET', `/v1/billing/invoices?subscriptionId=${id}&limit=1`);
  const [invoice] = body.list('data');
  if (invoice === undefined) throw new Error('there is no invoice');
  return invoice;
}

async function shownAs({ api }: World, id: string, status: string): Promise<Body> {
  const { body } = await api.must('GET', `/v1/billing/subscriptions/${id}`);
  expectShown(body, status);
  return body;
}

const expectShown = (subscription: Body, status: string): void =>
  expect(
    subscription.at('displayStatus') === status,
    `the subscription is ${subscription.text('displayStatus')}, not ${status}`,
  );
