/** Billing in the dashboard, without a browser: what an action will do, what comes next, forms and filters. */
import { describe, expect, test } from 'vitest';
import { anchorAt, intervalUnits, periodStart } from '../../../../actors/subscription/calendar.ts';
import { invoicesKnown } from '../../../../gateways/dashboard/web/lists/billing-rows.ts';
import { emptyLiveState, liveStateAfter } from '../../../../gateways/dashboard/web/live/live-state.ts';
import {
  customerRequestFrom,
  planRequestFrom,
  subscriptionRequestFrom,
} from '../../../../gateways/dashboard/web/wire/billing-forms.ts';
import type { Invoice, Plan, Subscription } from '../../../../gateways/dashboard/web/wire/billing-types.ts';
import { periodEndFrom, priceText } from '../../../../gateways/dashboard/web/words/billing.ts';
import {
  cancelAtEndEffects,
  cancelNowEffects,
  changePlanEffects,
  createEffects,
  endTrialEffects,
  markPaidEffects,
  pauseEffects,
  resumeEffects,
} from '../../../../gateways/dashboard/web/words/billing-effects.ts';
import { nextSteps } from '../../../../gateways/dashboard/web/words/next-steps.ts';
import { waysOf } from '../../../../gateways/dashboard/web/screens/subscription/subscription-ways.ts';
import {
  affected,
  ahead,
  at,
  day,
  invoiceOf,
  now,
  paidNow,
  pro,
  subscriptionOf,
  yearly,
} from './billing-samples.ts';
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

describe('an action says what it will do', () => {
  test('cancel now names each invoice that is voided, and what is not given back', () => {
    const [first, second, ...rest] = cancelNowEffects(affected());
    expect(first).toBe('It is cancelled now: today, 12:00 am.');
    expect(second).toBe('The open invoice INV-000012 of NPR 1,500.00 is voided: it can no longer be paid.');
    expect(rest.join(' ')).toContain(
      'What is paid, for the period until 28 Feb, 12:00 am, is not given back.',
    );
    expect(rest.join(' ')).toContain('cannot be undone');
  });

  test('cancel at the end: an open invoice of the next period is voided, a paid one moves the end', () => {
    expect(cancelAtEndEffects(affected()).slice(0, 2)).toEqual([
      'It goes on until 28 Feb, 12:00 am and ends with its period.',
      'The open invoice INV-000012 of NPR 1,500.00 is voided: it can no longer be paid.',
    ]);
    const paid = affected({}, [invoiceOf({ status: 'paid' }), paidNow]);
    expect(cancelAtEndEffects(paid)[0]).toBe(
      'It goes on until 31 Mar, 12:00 am, as INV-000012 is paid until then. Then it ends.',
    );
  });

  test('pause and resume: the same period within it, a new one after it', () => {
    expect(pauseEffects(affected(), null).join(' ')).toMatch(
      /INV-000012 .* stays payable.* until you resume it/,
    );
    expect(pauseEffects(affected(), at('2026-03-05')).join(' ')).toContain(
      'A new period begins then, until 5 Apr, 12:00 am, and its invoice of NPR 1,500.00 opens at once.',
    );
    expect(resumeEffects(affected({ displayStatus: 'paused' })).join(' ')).toContain(
      'This period has its invoice already',
    );
    expect(resumeEffects(affected({ displayStatus: 'paused' }, [])).join(' ')).toContain(
      'The invoice of NPR 1,500.00 for this period opens at once.',
    );
    const later = { ...affected({ displayStatus: 'paused' }), now: at('2026-04-05') };
    expect(resumeEffects(later).join(' ')).toContain('A new period begins now, until 5 May, 12:00 am');
  });

  test('change plan: when, for how much, what becomes of the open invoice, and a comparison', () => {
    const proration = {
      ...prorationPreview.example,
      unusedCredit: 72_500,
      newPlanCharge: 1_500_000,
      netAmount: 1_427_500,
    };
    const said = changePlanEffects(affected(), planOf(yearly), proration);
    expect(said[0]).toBe(
      'At the renewal, 28 Feb, 12:00 am, it changes to Yearly: NPR 15,000.00 a year instead of NPR 1,500.00 a month.',
    );
    expect(said[1]).toBe(
      'The open invoice INV-000012 of NPR 1,500.00 is voided, and opens anew with NPR 15,000.00 and the same due date.',
    );
    expect(said.at(-1)).toContain('NPR 725.00 of the period would be unused');
    const paid = affected({}, [invoiceOf({ status: 'paid' })]);
    expect(changePlanEffects(paid, planOf(yearly), null)[0]).toContain('At the renewal, 31 Mar, 12:00 am,');
  });

  test('end of a trial: the new period, and its invoice', () => {
    const trial = affected({ displayStatus: 'trialing', trialEndsAt: day('2026-02-28') }, []);
    expect(endTrialEffects(trial)).toEqual([
      'The trial ends now instead of 28 Feb, 12:00 am.',
      'The first period that is paid for begins now, until 26 Mar, 12:00 am.',
      'Its invoice of NPR 1,500.00 opens at once and is due now.',
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
      'The second one is due 26 Mar, 12:00 am, then one every month.',
    ]);
    expect(createEffects(planOf({ trialDays: 14 }), { ...none, customerEmail: null }, now)).toEqual([
      'It starts now.',
      'The trial runs until 12 Mar, 12:00 am. Nothing is billed for it.',
      'The first invoice of NPR 1,500.00 opens 9 Mar, 12:00 am and is due 12 Mar, 12:00 am.',
      'The second one is due 12 Apr, 12:00 am, then one every month.',
      'The customer has no e-mail: send the link of the invoice yourself.',
    ]);
  });

  test('marking the last overdue invoice as paid makes its subscription active', () => {
    const overdue = invoiceOf({ status: 'past_due' });
    const one = affected({ displayStatus: 'past_due' }, [overdue]);
    expect(markPaidEffects(one, overdue)).toContain('The subscription is active again.');
    const two = affected({ displayStatus: 'past_due' }, [
      overdue,
      invoiceOf({ id: 'inv_9', status: 'past_due' }),
    ]);
    expect(markPaidEffects(two, overdue)).not.toContain('The subscription is active again.');
  });
});

describe('what comes next', () => {
  const titles = (fields: Partial<Subscription>, invoices: readonly Invoice[] = []): readonly string[] =>
    nextSteps(subscriptionOf(fields), invoices, now).map(({ at: when, title }) => `${iso(when)} ${title}`);
  const iso = (when: number): string => new Date(when + 5.75 * 3_600_000).toISOString().slice(0, 10);

  test('of example A: overdue, the series of reminders as one step, the renewal and the next invoice', () => {
    const dunning = [
      { at: day('2026-02-28'), action: 'reminder' as const, invoiceId: 'inv_12', done: false },
      { at: day('2026-03-03'), action: 'mark_past_due' as const, invoiceId: 'inv_12', done: false },
      ...['2026-03-07', '2026-03-14', '2026-03-21', '2026-03-28'].map((date) => ({
        at: day(date),
        action: 'reminder' as const,
        invoiceId: 'inv_12',
        done: false,
      })),
    ];
    const steps = nextSteps(subscriptionOf({ dunning, nextInvoiceAt: day('2026-03-28') }), [ahead], now);
    expect(steps.map(({ at: when, title, more }) => `${iso(when)} ${title} +${more.length}`)).toEqual([
      '2026-02-28 It renews +0',
      '2026-02-28 INV-000012 is due: a reminder is sent +0',
      '2026-03-03 INV-000012 becomes past due +0',
      '2026-03-07 Reminder of INV-000012 +3',
      '2026-03-28 The next invoice of NPR 1,500.00 opens +0',
    ]);
  });

  test('of a trial, of one that ends, of one that changes its plan, of a paused one', () => {
    const trial = {
      displayStatus: 'trialing',
      trialEndsAt: day('2026-03-12'),
      currentPeriodEnd: day('2026-03-12'),
      nextInvoiceAt: day('2026-03-09'),
    } as const;
    expect(titles(trial)).toEqual([
      '2026-03-09 Your webhooks are told that the trial ends soon',
      '2026-03-09 The next invoice of NPR 1,500.00 opens',
      '2026-03-12 The trial ends',
    ]);
    const flagged = { cancelAtPeriodEnd: true, cancelEffectiveAt: day('2026-03-31'), nextInvoiceAt: null };
    expect(titles(flagged)).toEqual(['2026-02-28 It renews', '2026-03-31 It ends']);
    const changes = { nextPlan: yearly, nextPlanAt: day('2026-02-28') };
    expect(titles(changes)).toEqual([
      '2026-02-25 The next invoice of NPR 15,000.00 opens',
      '2026-02-28 It renews',
      '2026-02-28 The plan changes to Yearly',
    ]);
    const paused = { displayStatus: 'paused', nextInvoiceAt: null, resumeAt: day('2026-03-05') } as const;
    expect(titles(paused)).toEqual(['2026-03-05 It resumes by itself']);
    expect(titles({ displayStatus: 'cancelled', nextInvoiceAt: null })).toEqual([]);
    expect(titles({ totalCycles: 1, nextInvoiceAt: null })).toEqual(['2026-02-28 The last period ends']);
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

test('a period ends as the service counts it', () => {
  for (const start of ['2026-01-31', '2027-12-31', '2028-02-29', '2026-11-30', '2026-12-25'].map(at))
    for (const unit of intervalUnits)
      for (const count of [1, 2, 7, 13])
        expect(periodEndFrom(start + 36_000_000, { intervalUnit: unit, intervalCount: count })).toBe(
          periodStart(anchorAt(start + 36_000_000), { unit, count }, 1),
        );
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
