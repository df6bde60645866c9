/** Samples of the events of a subscription, built by the functions that build the real ones.
 *  Boundary: nothing here describes a real subscription; its ids belong to no object. */
import { days, iso, type Instant } from '../../src/kernel/time.ts';
import type { MakeSample, SampleOf } from '../kind.ts';
import { anchorAt, periodStart } from './calendar.ts';
import { created } from './requests.ts';
import type { DisplayStatus, Invoice, InvoiceStatus, PlanCopy, Subscription } from './state.ts';
import { invoiceView, subscriptionView } from './view.ts';
import type { SubscriptionEvent } from './work.ts';

const subscriptionId = 'sub_00000000000000000000samp';
const invoiceId = 'inv_00000000000000000000samp';

const plan: PlanCopy = {
  id: 'bp_00000000000000000000samp',
  name: 'Pro monthly',
  amount: 150_000,
  interval: { unit: 'month', count: 1 },
  defaultProvider: null,
  terms: {
    gracePeriodDays: 3,
    reminderDaysBeforeDue: 3,
    overdueReminderIntervalDays: 7,
    overdueAction: 'mark_past_due',
  },
};

/** Subscribed four days ago; the first invoice is open. */
function sampleOf(
  { now }: SampleOf,
  changed: Partial<Subscription>,
  invoice: Partial<Invoice>,
): Subscription {
  const begun = now - days(4);
  const subscription = created(
    {
      customer: {
        id: 'bc_00000000000000000000samp',
        name: 'Asha Rai',
        email: 'asha@example.com',
        phone: '9800000000',
      },
      plan,
      startDate: null,
      trialEndsAt: null,
      trialDays: 0,
      providerPreference: null,
      referenceId: 'A-1001',
      totalCycles: null,
      metadata: {},
      baseUrl: 'https://pay.example',
    },
    begun,
  );
  return {
    ...subscription,
    billedStart: begun,
    cyclesBilled: 1,
    invoicesMade: 1,
    invoices: [{ ...firstInvoice(begun), ...invoice }],
    sequence: 2,
    updatedAt: now,
    ...changed,
  };
}

const firstInvoice = (begun: Instant): Invoice => ({
  id: invoiceId,
  status: 'open',
  number: 1,
  planId: plan.id,
  planName: plan.name,
  amount: plan.amount,
  terms: plan.terms,
  dueAt: begun,
  periodStart: begun,
  periodEnd: periodStart(anchorAt(begun), plan.interval, 1),
  openedAt: begun,
  stepsDone: 0,
  reminded: 0,
  paidAt: null,
  paymentId: null,
  notes: null,
  session: null,
  sequence: 2,
  createdAt: begun,
  updatedAt: begun,
});

const subscribed =
  (status: DisplayStatus, changed: (now: Instant) => Partial<Subscription> = () => ({})): MakeSample =>
  (of) =>
    subscriptionView(sampleOf(of, { status, ...changed(of.now) }, {}), {
      id: subscriptionId,
      scope: of.scope,
    });

const billed =
  (status: InvoiceStatus, changed: (now: Instant) => Partial<Invoice> = () => ({})): MakeSample =>
  (of) =>
    invoiceView(
      sampleOf(of, {}, {}),
      { ...firstInvoice(of.now - days(4)), status, ...changed(of.now) },
      {
        id: subscriptionId,
        scope: of.scope,
      },
    );

const inTrial = (now: Instant): Partial<Subscription> => ({
  trialEndsAt: now + days(3),
  period: { number: -1, start: now - days(4), end: now + days(3) },
  billedStart: null,
  cyclesBilled: 0,
  invoices: [],
});
const ended = (now: Instant): Partial<Subscription> => ({
  cancelledAt: now,
  cancelEffectiveAt: now,
  endedAt: now,
});

export const samples = {
  'subscription.created': subscribed('active'),
  'subscription.activated': subscribed('active'),
  'subscription.updated': subscribed('active'),
  'subscription.trial_will_end': subscribed('trialing', inTrial),
  'subscription.trial_ended': subscribed('active', (now) => ({ trialEndsAt: now - days(4) })),
  'subscription.renewed': subscribed('active'),
  'subscription.plan_changed': subscribed('active'),
  'subscription.paused': subscribed('paused', (now) => ({ pausedAt: now })),
  'subscription.resumed': subscribed('active'),
  'subscription.past_due': subscribed('past_due'),
  'subscription.cancelled': subscribed('cancelled', ended),
  'subscription.completed': subscribed('completed', (now) => ({ endedAt: now })),
  'invoice.created': billed('open'),
  'invoice.paid': billed('paid', (now) => ({ paidAt: now, paymentId: 'pay_000000000000samp' })),
  'invoice.past_due': billed('past_due', () => ({ stepsDone: 1 })),
  'invoice.voided': billed('voided'),
  'invoice.updated': billed('paid', (now) => ({
    paidAt: now - days(3),
    paymentId: 'pay_000000000000samp',
    periodStart: now,
    periodEnd: periodStart(anchorAt(now), plan.interval, 1),
    issuedFor: {
      start: now - days(4),
      end: periodStart(anchorAt(now - days(4)), plan.interval, 1),
    },
  })),
  'invoice.reminder_sent': (of) => ({
    ...billed('past_due', () => ({ stepsDone: 2, reminded: 1 }))(of),
    reminder: { attemptNumber: 1, sentAt: iso(of.now) },
  }),
} as const satisfies Record<SubscriptionEvent | `invoice.${string}`, MakeSample>;
