/** Worked examples of billing over the API, A to I, walked through by one test clock. docs/guides/sell-a-subscription.md
 *  tells A.
 *  1. They are told with dates of 2026. A test clock only grows, so they happen in the next year without a 29 February
 *     that has not begun: each date, each number of days and each day of month is the same there.
 *  2. A subscription that begins in an example begins at that very moment, ordered before. Its first invoice opens
 *     earlier for that reason, and is paid: the examples tell of the invoices after it. B is ordered in its own
 *     moment, so its times are those of the order.
 *  3. What the clock does is exact to the millisecond. What a call does happens a moment after the clock has stopped:
 *     `02-26+`. */
import { beforeAll, describe, expect, test } from 'vitest';
import type { Body } from '../../src/cli/demo/api.ts';
import { days } from '../../src/kernel/time.ts';
import { Billing, kathmandu, threeSeven } from '../support/billing.ts';
import { Diary } from '../support/billing-diary.ts';
import { gallaOfFile } from '../support/of-file.ts';

const walkMsMax = 120_000;

const isLeap = (year: number): boolean => new Date(Date.UTC(year, 1, 29)).getUTCDate() === 29;
const thisYear = new Date().getUTCFullYear();
const year = isLeap(thisYear + 1) ? thisYear + 2 : thisYear + 1;
/** A date of the examples, in their year here. */
const on = (date: string): string => `${year}-${date}`;

const galla = gallaOfFile();
let billing: Billing;
let diary: Diary;
/** The subscriptions by example. */
const ids = new Map<string, string>();
/** What was read on the way. */
const seen = new Map<string, Body>();

const idOf = (example: string): string => ids.get(example) ?? '';
const seenAs = (name: string): Body => {
  const body = seen.get(name);
  if (body === undefined) throw new Error(`nothing was kept as ${name}`);
  return body;
};
const keep = async (name: string, example: string): Promise<void> =>
  void seen.set(name, await billing.subscription(idOf(example)));
const withoutYear = (lines: readonly string[]): readonly string[] =>
  lines.map((line) => line.replaceAll(`${year}-`, ''));
const events = (example: string, from: string, to?: string): readonly string[] =>
  withoutYear(diary.of('event', idOf(example), on(from), to === undefined ? undefined : on(to)));
const mails = (example: string, from: string, to?: string): readonly string[] =>
  withoutYear(diary.of('mail', idOf(example), on(from), to === undefined ? undefined : on(to)));

async function order(example: string, plan: Body, fields: object): Promise<void> {
  ids.set(example, (await billing.subscribe(plan, fields)).text('id'));
}

async function orderAll(): Promise<void> {
  const plan = await billing.plan(threeSeven);
  const cancelling = await billing.plan({
    reminderDaysBeforeDue: 5,
    overdueReminderIntervalDays: 2,
    gracePeriodDays: 0,
    overdueAction: 'cancel',
  });
  const pausing = await billing.plan({ ...threeSeven, overdueAction: 'pause' });
  const keeping = await billing.plan({ ...threeSeven, overdueAction: 'keep_active' });
  const daily = await billing.plan({ ...threeSeven, name: 'Pro daily', intervalUnit: 'day' });
  const january = { startDate: kathmandu(on('01-31')) };
  for (const example of ['A', 'A unpaid', 'H', 'I']) await order(example, plan, january);
  await order('C', cancelling, { startDate: kathmandu(on('02-15')) });
  for (const example of ['D', 'D late']) await order(example, pausing, january);
  await order('E', keeping, january);
  await order('F', daily, { startDate: kathmandu(on('04-01')) });
  await order('G', plan, { startDate: kathmandu(on('06-01 09:00')), trialDays: 14 });
}

const end = async (...examples: readonly string[]): Promise<void> => {
  for (const example of examples) await billing.act(idOf(example), 'cancel', {});
};

async function walk(): Promise<void> {
  await diary.until(on('01-29'));
  for (const example of ['A', 'A unpaid', 'D', 'D late', 'E', 'H', 'I'])
    await billing.markPaid(idOf(example));
  await diary.until(on('01-31 14:00'));
  await order('B', await billing.plan({ name: 'Bare' }), {});
  await diary.until(on('02-11'));
  await billing.markPaid(idOf('C'));
  await end('B');
  await diary.until(on('02-26'));
  await keep('A open', 'A');
  const dearer = await billing.plan({ ...threeSeven, name: 'Pro plus', amount: 300_000 });
  seen.set('H changed', await billing.act(idOf('H'), 'change-plan', { planId: dearer.text('id') }));
  seen.set(
    'I flagged',
    await billing.act(idOf('I'), 'cancel', { atPeriodEnd: true, cancelReason: 'moving' }),
  );
  await diary.until(on('03-09 12:00'));
  await keep('H renewed', 'H');
  await keep('D paused', 'D');
  await billing.markPaid(idOf('D'));
  await keep('D resumed', 'D');
  await diary.until(on('03-10'));
  await keep('A past due', 'A');
  await billing.markPaid(idOf('A'));
  await keep('A paid', 'A');
  await diary.until(on('03-27'));
  await keep('C cancelled', 'C');
  seen.set('C paid', await billing.markPaid(idOf('C')));
  await keep('E overdue', 'E');
  await end('A', 'E', 'H');
  await diary.until(on('04-05 10:00'));
  await end('D', 'F');
  await billing.markPaid(idOf('D late'));
  await keep('D late resumed', 'D late');
  await diary.until(on('05-01'));
  await end('A unpaid', 'D late');
  await diary.until(on('06-16'));
  await keep('G billed', 'G');
}

beforeAll(async () => {
  billing = new Billing(await galla.merchant());
  diary = new Diary(billing);
  await orderAll();
  await walk();
  await diary.note();
}, walkMsMax);

describe('row 43: the worked examples, with their events, mails and times', () => {
  test('A: past due and reminded; the payment makes the subscription active at once', () => {
    expect(events('A', '02-25', '03-27')).toEqual([
      '02-25 invoice.created of 02-28',
      '02-28 subscription.renewed',
      '02-28 invoice.reminder_sent 0 of 02-28',
      '03-03 invoice.past_due of 02-28',
      '03-03 subscription.past_due',
      '03-07 invoice.reminder_sent 1 of 02-28',
      '03-10+ invoice.paid of 02-28',
      '03-10+ subscription.activated',
    ]);
    expect(mails('A', '02-25', '03-27')).toEqual([
      '02-25 Invoice of 02-28',
      '02-28 Due now of 02-28',
      '03-07 Overdue of 02-28',
    ]);
    expect(seenAs('A past due').at('displayStatus')).toBe('past_due');
    expect(seenAs('A paid').at('displayStatus')).toBe('active');
  });

  test('A: unpaid it is reminded eight times, until sixty days after its due day', () => {
    const reminders = ['03-07', '03-14', '03-21', '03-28', '04-04', '04-11', '04-18', '04-25'];
    const ofIt = (lines: readonly string[]) => lines.filter((line) => line.endsWith('of 02-28'));
    expect(ofIt(events('A unpaid', '02-25', '05-01'))).toEqual([
      '02-25 invoice.created of 02-28',
      '02-28 invoice.reminder_sent 0 of 02-28',
      '03-03 invoice.past_due of 02-28',
      ...reminders.map((day, at) => `${day} invoice.reminder_sent ${at + 1} of 02-28`),
    ]);
    expect(ofIt(mails('A unpaid', '02-25', '05-01'))).toEqual([
      '02-25 Invoice of 02-28',
      '02-28 Due now of 02-28',
      ...reminders.map((day) => `${day} Overdue of 02-28`),
    ]);
  });

  test('B: with the defaults it opens and is due at once, and is past due a day later', async () => {
    expect(events('B', '01-31', '02-11')).toEqual([
      '01-31 14:00+ subscription.created',
      '01-31 14:00+ subscription.activated',
      '01-31 14:00+ invoice.created of 01-31 14:00+',
      expect.stringMatching(/^02-01 14:0\d:\d\d\.\d{3} invoice\.past_due of 01-31 14:00\+$/),
      expect.stringMatching(/^02-01 14:0\d:\d\d\.\d{3} subscription\.past_due$/),
    ]);
    expect(mails('B', '01-31', '02-11')).toEqual(['01-31 14:00+ Invoice of 01-31 14:00+']);
    const [first] = await billing.invoices(idOf('B'));
    const opened = Date.parse(first?.text('dueAt') ?? '');
    expect(first?.value).toMatchObject({
      createdAt: new Date(opened).toISOString(),
      overdueAt: new Date(opened + days(1)).toISOString(),
      attemptCount: 0,
    });
  });

  test('C: the overdue action cancels; reminders stop, and the invoice stays payable', () => {
    expect(events('C', '03-01')).toEqual([
      '03-10 invoice.created of 03-15',
      '03-15 subscription.renewed',
      '03-15 invoice.reminder_sent 0 of 03-15',
      '03-15 invoice.past_due of 03-15',
      '03-15 subscription.cancelled',
      '03-27+ invoice.paid of 03-15',
    ]);
    expect(mails('C', '03-01')).toEqual(['03-10 Invoice of 03-15', '03-15 Due now of 03-15']);
    expect(seenAs('C cancelled').value).toMatchObject({
      status: 'cancelled',
      cancelReason: 'invoice_overdue',
      dunning: [],
      latestInvoice: { status: 'past_due' },
    });
    expect(seenAs('C paid').at('status')).toBe('paid');
  });

  test('D: the overdue action pauses; paid within the period, the same period goes on', () => {
    expect(events('D', '02-25', '04-01')).toEqual([
      '02-25 invoice.created of 02-28',
      '02-28 subscription.renewed',
      '02-28 invoice.reminder_sent 0 of 02-28',
      '03-03 invoice.past_due of 02-28',
      '03-03 subscription.paused',
      '03-07 invoice.reminder_sent 1 of 02-28',
      '03-09 12:00+ invoice.paid of 02-28',
      '03-09 12:00+ subscription.resumed',
      '03-28 invoice.created of 03-31',
      '03-31 subscription.renewed',
      '03-31 invoice.reminder_sent 0 of 03-31',
    ]);
    const period = {
      currentPeriodStart: kathmandu(on('02-28')),
      currentPeriodEnd: kathmandu(on('03-31')),
    };
    expect(seenAs('D paused').value).toMatchObject({
      displayStatus: 'paused',
      pauseReason: 'invoice_overdue',
      nextInvoiceAt: null,
      ...period,
    });
    expect(seenAs('D resumed').value).toMatchObject({
      displayStatus: 'active',
      pauseReason: null,
      pausedAt: null,
      nextInvoiceAt: kathmandu(on('03-28')),
      ...period,
    });
  });

  test('D: paid after the period, a new one begins then, with its own invoice and day of month', () => {
    expect(events('D late', '03-25', '04-30')).toEqual([
      '03-28 invoice.reminder_sent 4 of 02-28',
      '04-04 invoice.reminder_sent 5 of 02-28',
      '04-05 10:00+ invoice.paid of 02-28',
      '04-05 10:00+ subscription.resumed',
      '04-05 10:00+ invoice.created of 04-05 10:00+',
      expect.stringMatching(/^04-08 10:0\d:\d\d\.\d{3} invoice\.past_due of 04-05 10:00\+$/),
      expect.stringMatching(/^04-08 10:0\d:\d\d\.\d{3} subscription\.paused$/),
      expect.stringMatching(/^04-12 10:0\d:\d\d\.\d{3} invoice\.reminder_sent 1 of 04-05 10:00\+$/),
      expect.stringMatching(/^04-19 10:0\d:\d\d\.\d{3} invoice\.reminder_sent 2 of 04-05 10:00\+$/),
      expect.stringMatching(/^04-26 10:0\d:\d\d\.\d{3} invoice\.reminder_sent 3 of 04-05 10:00\+$/),
    ]);
    const resumed = seenAs('D late resumed');
    const start = Date.parse(resumed.text('currentPeriodStart'));
    expect(diary.timeOf(resumed.text('currentPeriodStart'))).toBe(on('04-05 10:00+'));
    // April has thirty days, and three days before its end the next invoice opens
    expect(Date.parse(resumed.text('currentPeriodEnd'))).toBe(start + days(30));
    expect(Date.parse(resumed.text('nextInvoiceAt'))).toBe(start + days(27));
  });

  test('E: with keep_active only the invoice is past due', () => {
    expect(events('E', '02-25', '03-14')).toEqual([
      '02-25 invoice.created of 02-28',
      '02-28 subscription.renewed',
      '02-28 invoice.reminder_sent 0 of 02-28',
      '03-03 invoice.past_due of 02-28',
      '03-07 invoice.reminder_sent 1 of 02-28',
    ]);
    expect(seenAs('E overdue').value).toMatchObject({
      displayStatus: 'active',
      latestInvoice: { status: 'past_due' },
    });
  });

  test('F: invoices of a daily plan never open before the period before them', () => {
    const opened = events('F', '01-01', '04-04').filter((line) => line.includes('invoice.created'));
    expect(opened).toEqual([
      '03-29 invoice.created of 04-01',
      '04-01 invoice.created of 04-02',
      '04-02 invoice.created of 04-03',
      '04-03 invoice.created of 04-04',
    ]);
  });
});

test('row 42: G, a trial of fourteen days bills at its end', async () => {
  expect(events('G', '06-01', '06-16')).toEqual([
    '06-12 09:00 subscription.trial_will_end',
    '06-12 09:00 invoice.created of 06-15 09:00',
    '06-15 09:00 subscription.trial_ended',
    '06-15 09:00 subscription.activated',
    '06-15 09:00 invoice.reminder_sent 0 of 06-15 09:00',
  ]);
  expect(mails('G', '06-01')).toEqual([
    '06-12 09:00 Invoice of 06-15 09:00',
    '06-15 09:00 Due now of 06-15 09:00',
  ]);
  const invoices = await billing.invoices(idOf('G'));
  expect(invoices.map((invoice) => [invoice.at('amount'), invoice.at('dueAt')])).toEqual([
    [150_000, kathmandu(on('06-15 09:00'))],
  ]);
  expect(seenAs('G billed').value).toMatchObject({
    displayStatus: 'active',
    currentPeriodStart: kathmandu(on('06-15 09:00')),
    currentPeriodEnd: kathmandu(on('07-15 09:00')),
    trialEndsAt: kathmandu(on('06-15 09:00')),
  });
});

test('row 48: H, a change of plan issues the open invoice anew, and takes over at the renewal', async () => {
  expect(events('H', '02-25', '03-04')).toEqual([
    '02-25 invoice.created of 02-28',
    '02-26+ subscription.updated',
    '02-26+ invoice.voided of 02-28',
    '02-26+ invoice.created of 02-28',
    '02-28 subscription.renewed',
    '02-28 subscription.plan_changed',
    '02-28 invoice.reminder_sent 0 of 02-28',
    '03-03 invoice.past_due of 02-28',
    '03-03 subscription.past_due',
  ]);
  expect(seenAs('H changed').value).toMatchObject({
    plan: { amount: 150_000 },
    nextPlan: { name: 'Pro plus', amount: 300_000 },
    nextPlanAt: kathmandu(on('02-28')),
  });
  expect(seenAs('H renewed').value).toMatchObject({
    plan: { name: 'Pro plus', amount: 300_000 },
    nextPlan: null,
    nextPlanAt: null,
    cyclesBilled: 2,
  });
  const due = (await billing.invoices(idOf('H'))).filter(
    (invoice) => invoice.at('dueAt') === kathmandu(on('02-28')),
  );
  expect(due.map((invoice) => [invoice.at('status'), invoice.at('amount')])).toEqual([
    ['voided', 150_000],
    ['voided', 300_000],
  ]);
  // the one that was voided is not reminded of
  expect(mails('H', '02-25', '03-04')).toEqual([
    '02-25 Invoice of 02-28',
    '02-26+ Invoice of 02-28',
    '02-28 Due now of 02-28',
  ]);
});

test('I: a cancellation at the end of the period voids the invoice of the next one', () => {
  expect(seenAs('I flagged').value).toMatchObject({
    status: 'active',
    cancelAtPeriodEnd: true,
    cancelEffectiveAt: kathmandu(on('02-28')),
    cancelReason: 'moving',
    nextInvoiceAt: null,
  });
  expect(events('I', '02-25')).toEqual([
    '02-25 invoice.created of 02-28',
    '02-26+ subscription.updated',
    '02-26+ invoice.voided of 02-28',
    '02-28 subscription.cancelled',
  ]);
  expect(mails('I', '02-25')).toEqual(['02-25 Invoice of 02-28']);
});

test('row 53: the steps are listed beforehand; a payment empties the list, and no mail follows', () => {
  const steps = (name: string) =>
    seenAs(name)
      .list('dunning')
      .map((step) => `${diary.timeOf(step.text('at')).replace(`${year}-`, '')} ${step.text('action')}`);
  expect(steps('A open')).toEqual([
    '02-28 reminder',
    '03-03 mark_past_due',
    ...['03-07', '03-14', '03-21', '03-28', '04-04', '04-11', '04-18', '04-25'].map(
      (day) => `${day} reminder`,
    ),
  ]);
  expect(steps('A past due')).toEqual(
    ['03-14', '03-21', '03-28', '04-04', '04-11', '04-18', '04-25'].map((day) => `${day} reminder`),
  );
  expect(steps('A paid')).toEqual([]);
  expect(
    [...events('A', '03-11'), ...mails('A', '03-11')].filter((line) => line.endsWith('of 02-28')),
  ).toEqual([]);
});
