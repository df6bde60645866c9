/** Billing in the dashboard, without a browser: what an action will do, what comes next, forms and filters. */
import { describe, expect, test } from 'vitest';
import { invoicesKnown } from '../../../../gateways/dashboard/web/lists/billing-rows.ts';
import { emptyLiveState, liveStateAfter } from '../../../../gateways/dashboard/web/live/live-state.ts';
import {
  customerRequestFrom,
  planRequestFrom,
  subscriptionRequestFrom,
} from '../../../../gateways/dashboard/web/wire/billing-forms.ts';
import type {
  Effect,
  NextStep,
  Plan,
  Preview,
  Subscription,
} from '../../../../gateways/dashboard/web/wire/billing-types.ts';
import { priceText } from '../../../../gateways/dashboard/web/words/billing.ts';
import {
  createEffects,
  markPaidEffects,
  previewTexts,
  prorationText,
} from '../../../../gateways/dashboard/web/words/billing-effects.ts';
import { unpaidSteps, whatComesNext } from '../../../../gateways/dashboard/web/words/next-steps.ts';
import { waysOf } from '../../../../gateways/dashboard/web/screens/subscription/subscription-ways.ts';
import { affected, ahead, at, day, invoiceOf, now, pro, subscriptionOf, yearly } from './billing-samples.ts';
import { plan } from '../../../../gateways/http/schemas/plan.ts';
import { prorationPreview } from '../../../../gateways/http/schemas/subscription.ts';
import { planTermsText } from '../../../../gateways/dashboard/web/words/plan-terms.ts';

const planOf = (fields: Partial<Plan> = {}): Plan => ({
  ...plan.example,
  ...pro,
  description: null,
  gracePeriodDays: 3,
  trialDays: 0,
  active: true,
  defaultProvider: null,
  dunningSettings: {
    reminderDaysBeforeDue: 3,
    overdueReminderIntervalDays: 7,
    overdueAction: 'mark_past_due',
  },
  metadata: {},
  sequence: 1,
  createdAt: day('2026-01-01'),
  updatedAt: day('2026-01-01'),
  ...fields,
});

const effect = (is: Effect['is'], date: string, fields: Partial<Effect> = {}): Effect => ({
  at: day(date),
  is,
  invoiceId: null,
  amount: null,
  ...fields,
});
const voided = effect('invoice_voided', '2026-02-26', { invoiceId: 'inv_12', amount: 150_000 });
const anew = effect('invoice_opens', '2026-02-26', { amount: 1_500_000 });

describe('an action says what it will do, in the words of its preview', () => {
  const texts = (
    action: Preview['action'],
    effects: readonly Effect[],
    fields: Partial<Subscription> = {},
    to?: Plan,
    nextSteps: Preview['nextSteps'] = [],
  ): readonly string[] => previewTexts({ action, effects, nextSteps }, affected(fields), to);

  test('cancel now names each invoice that is voided, and what is not given back', () => {
    const [first, second, ...rest] = texts('cancel', [effect('cancel', '2026-02-26'), voided]);
    expect(first).toBe('It is cancelled now: today, 12:00 am.');
    expect(second).toBe('The open invoice INV-000012 of NPR 1,500.00 is voided: it can no longer be paid.');
    expect(rest.join(' ')).toContain('What is paid is not given back.');
    expect(rest.join(' ')).toContain('cannot be undone');
  });

  test('cancel at the end: when, what is voided, what stays payable, and that it can be taken back', () => {
    const end = effect('cancel', '2026-02-28');
    expect(texts('cancel', [voided, end])).toEqual([
      'The open invoice INV-000012 of NPR 1,500.00 is voided: it can no longer be paid.',
      'It goes on until 28 Feb, 12:00 am and ends with its period.',
      'No further invoice opens. Until it ends you can take this back.',
    ]);
    expect(texts('cancel', [end], { displayStatus: 'trialing' })).toEqual([
      'It goes on until 28 Feb, 12:00 am and ends with its trial.',
      'The open invoice INV-000012 of NPR 1,500.00 stays payable, with its reminders.',
      'No further invoice opens. Until it ends you can take this back.',
    ]);
    expect(texts('resume', [effect('cancel_taken_back', '2026-02-26')])).toEqual([
      'It goes on after 28 Feb, 12:00 am.',
    ]);
  });

  test('pause and resume: open invoices stay payable; a period that is billed is not billed again', () => {
    const pause = effect('pause', '2026-02-26');
    expect(texts('pause', [pause]).join(' ')).toMatch(/INV-000012 .* stays payable.* until you resume it/);
    expect(texts('pause', [pause, effect('resume', '2026-03-05')])).toContain(
      'It resumes by itself: 5 Mar, 12:00 am.',
    );
    const paused = { displayStatus: 'paused' } as const;
    const resume = effect('resume', '2026-02-26');
    const renewal = { ...effect('renewal', '2026-03-26'), is: 'renewal' } as const;
    expect(texts('resume', [resume], paused, undefined, [renewal])).toEqual([
      'It is active again.',
      'Its period then runs until 26 Mar, 12:00 am.',
      'This period has its invoice already: no other one opens for it.',
    ]);
    expect(texts('resume', [resume, anew], paused)).toEqual([
      'It is active again.',
      'The invoice of NPR 15,000.00 opens at once.',
    ]);
  });

  test('change plan: when, for how much, and what becomes of the open invoice', () => {
    const change = effect('plan_change', '2026-02-28', { amount: 1_500_000 });
    expect(texts('change-plan', [voided, anew, change], {}, planOf(yearly))).toEqual([
      'The open invoice INV-000012 of NPR 1,500.00 is voided: it can no longer be paid.',
      'The invoice of NPR 15,000.00 opens at once.',
      'At the renewal, 28 Feb, 12:00 am, it changes to Yearly: NPR 15,000.00 a year instead of NPR 1,500.00 a month.',
      'Until then nothing changes: nothing is charged or given back for the period that runs.',
    ]);
    const kept = effect('plan_change_taken_back', '2026-02-26');
    expect(texts('change-plan', [kept], { nextPlan: yearly })).toEqual([
      'It stays with Pro monthly: NPR 1,500.00 a month. The change to Yearly is dropped.',
    ]);
    const proration = {
      ...prorationPreview.example,
      unusedCredit: 72_500,
      newPlanCharge: 1_500_000,
      netAmount: 1_427_500,
    };
    expect(prorationText(proration, planOf(yearly))).toContain('NPR 725.00 of the period would be unused');
  });

  test('a trial: its end, and the invoice that is paid already', () => {
    const ends = effect('trial_ends', '2026-02-26');
    const moved = effect('invoice_moved', '2026-02-26', { invoiceId: 'inv_12', amount: 150_000 });
    expect(texts('end-trial', [ends, moved])).toEqual([
      'The trial ends now instead of 28 Feb, 12:00 am, and the first period that is paid for begins.',
      'INV-000012 is paid already and counts for the new period.',
    ]);
    expect(texts('extend-trial', [effect('trial_ends', '2026-03-07')])).toEqual([
      'The trial ends 7 Mar, 12:00 am instead of 28 Feb, 12:00 am.',
    ]);
  });

  test('a new subscription: trial, first invoice, and what follows', () => {
    const none = {
      startDate: null,
      trialDays: null,
      trialEndsAt: null,
      customerEmail: 'a@b.c',
      totalCycles: null,
    };
    expect(createEffects(planOf(), none, now)).toEqual([
      'It starts now.',
      'The first invoice of NPR 1,500.00 opens now and is due at once.',
      'Then one every month.',
    ]);
    expect(createEffects(planOf({ trialDays: 14 }), { ...none, customerEmail: null }, now)).toEqual([
      'It starts now.',
      'The trial lasts 14 days. Nothing is billed for it.',
      'The first invoice of NPR 1,500.00 is due at the end of the trial, and opens 3 days before.',
      'Then one every month.',
      'The customer has no e-mail: send the link of the invoice yourself.',
    ]);
    const later = { ...none, startDate: at('2026-03-05'), totalCycles: 1 };
    expect(createEffects(planOf(), later, now)).toEqual([
      'It starts 5 Mar, 12:00 am.',
      'The first invoice of NPR 1,500.00 is due at the start, and opens 3 days before.',
      'That is the only one.',
    ]);
  });

  test('marking an overdue invoice as paid says when its subscription goes on', () => {
    const overdue = invoiceOf({ status: 'past_due' });
    const active = 'The subscription is active again once nothing else is overdue.';
    expect(markPaidEffects(overdue, subscriptionOf({ displayStatus: 'past_due' }))).toContain(active);
    expect(markPaidEffects(invoiceOf(), subscriptionOf({ displayStatus: 'past_due' }))).not.toContain(active);
    const paused = subscriptionOf({ displayStatus: 'paused', pauseReason: 'invoice_overdue' });
    expect(markPaidEffects(overdue, paused)).toContain(
      'The subscription resumes once nothing else is overdue.',
    );
  });
});

describe('what comes next', () => {
  const iso = (when: number): string => new Date(when + 5.75 * 3_600_000).toISOString().slice(0, 10);
  const step = (is: NextStep['is'], date: string, fields: Partial<NextStep> = {}): NextStep => ({
    at: day(date),
    is,
    invoiceId: null,
    amount: null,
    ...fields,
  });
  const titles = (fields: Partial<Subscription>): readonly string[] =>
    whatComesNext(subscriptionOf(fields), [ahead]).map(
      ({ at: when, title, more }) => `${iso(when)} ${title}${more.length === 0 ? '' : ` +${more.length}`}`,
    );
  const own = { invoiceId: 'inv_12', amount: 150_000 };

  test('is worded by its codes, and a series of reminders is one step', () => {
    const nextSteps = [
      step('renewal', '2026-02-28'),
      step('due', '2026-02-28', own),
      step('past_due', '2026-03-03', own),
      ...['2026-03-07', '2026-03-14', '2026-03-21', '2026-03-28'].map((date) => step('reminder', date, own)),
      step('invoice_opens', '2026-03-28', { amount: 150_000 }),
      step('past_due', '2026-04-03', { amount: 150_000 }),
      step('reminder', '2026-04-03', { amount: 150_000 }),
      step('pause', '2026-04-03'),
    ];
    expect(titles({ nextSteps })).toEqual([
      '2026-02-28 It renews',
      '2026-02-28 INV-000012 is due: a reminder is sent',
      '2026-03-03 INV-000012 becomes past due',
      '2026-03-07 Reminder of INV-000012 +3',
      '2026-03-28 The next invoice of NPR 1,500.00 opens',
      '2026-04-03 The next invoice becomes past due',
      '2026-04-03 Reminder of the next invoice',
      '2026-04-03 It is paused',
    ]);
  });

  test('of one that has not begun, that ends, that changes its plan, that resumes, of the last period', () => {
    const start = { displayStatus: 'draft', startDate: day('2026-03-01') } as const;
    expect(titles({ ...start, nextSteps: [step('trial_ends', '2026-03-12')] })).toEqual([
      '2026-03-01 It starts',
      '2026-03-12 The trial ends',
    ]);
    expect(titles({ nextPlan: yearly, nextSteps: [step('plan_change', '2026-02-28')] })).toEqual([
      '2026-02-28 The plan changes to Yearly',
    ]);
    expect(titles({ nextSteps: [step('resume', '2026-03-05')] })).toEqual([
      '2026-03-05 It resumes by itself',
    ]);
    expect(titles({ nextSteps: [step('completed', '2026-02-28')] })).toEqual([
      '2026-02-28 The last period ends',
    ]);
    const [ends] = whatComesNext(
      subscriptionOf({ cancelAtPeriodEnd: true, nextSteps: [step('cancel', '2026-02-28')] }),
      [],
    );
    expect([ends?.title, ends?.text]).toEqual([
      'It ends',
      'You cancelled it for then. Nothing more is billed.',
    ]);
  });

  test('of an unpaid invoice, as its subscription knows it', () => {
    const dunning = [
      { at: day('2026-02-28'), action: 'reminder', invoiceId: 'inv_12', done: false },
      { at: day('2026-03-03'), action: 'mark_past_due', invoiceId: 'inv_12', done: false },
      { at: day('2026-03-04'), action: 'reminder', invoiceId: 'inv_11', done: false },
    ] as const;
    expect(unpaidSteps(ahead, subscriptionOf({ dunning })).map(({ title }) => title)).toEqual([
      'INV-000012 is due: a reminder is sent',
      'INV-000012 becomes past due',
    ]);
  });

  test('the actions offered are those of the table', () => {
    const ways = (fields: Partial<Subscription>): string => waysOf(subscriptionOf(fields)).join(' ');
    expect(ways({ displayStatus: 'draft' })).toBe('change-plan edit cancel');
    expect(ways({ displayStatus: 'trialing' })).toBe('end-trial extend-trial change-plan edit cancel');
    expect(ways({ displayStatus: 'past_due', nextPlan: yearly })).toBe(
      'pause change-plan keep-plan edit cancel',
    );
    expect(ways({ cancelAtPeriodEnd: true })).toBe('take-back pause edit cancel');
    expect(ways({ displayStatus: 'paused' })).toBe('resume change-plan edit cancel');
    expect(ways({ displayStatus: 'completed' })).toBe('edit');
  });
});

test('prices and terms in words', () => {
  expect(priceText(pro)).toBe('NPR 1,500.00 a month');
  expect(priceText({ amount: 30_000, intervalUnit: 'week', intervalCount: 2 })).toBe(
    'NPR 300.00 every 2 weeks',
  );
  const terms = { reminderDaysBeforeDue: 3, overdueReminderIntervalDays: 7, gracePeriodDays: 3 };
  expect(planTermsText({ ...terms, overdueAction: 'mark_past_due' })).toEqual([
    'It opens 3 days before it is due, with a mail and a page to pay on. On the due day it is mailed again.',
    '3 days after the due day it becomes past due and the subscription is marked past due.',
    'A reminder is sent every 7 days, the last one 56 days after the due day.',
  ]);
  const bare = { reminderDaysBeforeDue: 0, overdueReminderIntervalDays: 0, gracePeriodDays: 0 };
  // an invoice can always be paid for a day
  expect(planTermsText({ ...bare, overdueAction: 'cancel' })[1]).toContain('1 day after the due day');
});

describe('forms', () => {
  const typed =
    (texts: Readonly<Record<string, string>>) =>
    (name: string): string =>
      texts[name] ?? '';
  const plan = {
    name: ' Pro ',
    amount: '1,500.50',
    intervalUnit: 'month',
    intervalCount: '1',
    trialDays: '0',
    gracePeriodDays: '3',
    reminderDaysBeforeDue: '3',
    overdueReminderIntervalDays: '7',
    overdueAction: 'pause',
  };

  test('a plan: rupees become paisa, each wrong field is named', () => {
    expect(planRequestFrom(typed(plan)).request).toMatchObject({
      name: 'Pro',
      amount: 150_050,
      description: null,
      defaultProvider: null,
      overdueAction: 'pause',
    });
    const wrong = planRequestFrom(
      typed({ ...plan, name: '', amount: '9', intervalCount: '0', trialDays: 'x' }),
    );
    expect(Object.keys(wrong.errors ?? {})).toEqual(['name', 'amount', 'intervalCount', 'trialDays']);
    expect(wrong.errors?.['amount']).toBe('At least NPR 10.00.');
  });

  test('a customer, and a subscription with a trial in Nepal time', () => {
    expect(customerRequestFrom(typed({ name: 'Asha', email: 'asha' })).errors).toEqual({
      email: 'Write an e-mail address, or nothing.',
    });
    const ids = { customerId: 'bc_1', planId: 'bp_1' };
    expect(subscriptionRequestFrom(typed(ids), now).request).toEqual(ids);
    expect(
      subscriptionRequestFrom(typed({ ...ids, trialEndsAt: '2026-03-12T00:00', totalCycles: '3' }), now)
        .request,
    ).toEqual({ ...ids, trialEndsAt: day('2026-03-12'), totalCycles: 3 });
    const wrong = { trialDays: '3', trialEndsAt: '2026-03-12T00:00', startDate: '2020-01-01T00:00' };
    expect(Object.keys(subscriptionRequestFrom(typed(wrong), now).errors ?? {})).toEqual([
      'customerId',
      'planId',
      'startDate',
      'trialDays',
    ]);
  });
});

test('an object that changed later than our clock shows that the sandbox was advanced', () => {
  const change = { object: 'invoice', id: 'inv_12', sequence: 2, data: invoiceOf({ sequence: 2 }) } as const;
  const after = liveStateAfter(emptyLiveState, { is: 'changes', changes: [change], at: at('2026-02-20') });
  expect(after.skewMs).toBe(5 * 86_400_000);
  const later = liveStateAfter(after, { is: 'changes', changes: [change], at: at('2026-02-24') });
  expect(later.skewMs).toBe(5 * 86_400_000);
  const listed = { data: [invoiceOf({ status: 'draft' })], total: 1, page: 1, limit: 100 };
  const of = { status: '', customerId: '', subscriptionId: 'sub_1' };
  expect(invoicesKnown(listed, after, of).map(({ status }) => status)).toEqual(['open']);
  const advanced = liveStateAfter(after, { is: 'clock', now: day('2026-03-01'), at: at('2026-02-20') });
  expect([advanced.skewMs, advanced.epoch]).toEqual([9 * 86_400_000, after.epoch + 1]);
});
