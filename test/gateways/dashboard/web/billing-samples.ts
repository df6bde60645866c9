/** A subscription of example A and its invoices, as the dashboard receives them, for tests of its words. */
import { invoice } from '../../../../gateways/http/schemas/invoice.ts';
import { subscription } from '../../../../gateways/http/schemas/subscription.ts';
import type { Invoice, Subscription } from '../../../../gateways/dashboard/web/wire/billing-types.ts';

/** Midnight in Kathmandu. */
export const day = (date: string): string => new Date(`${date}T00:00:00+05:45`).toISOString();
export const at = (date: string): number => Date.parse(day(date));

const currency = 'NPR' as const;
const monthly = { intervalUnit: 'month', intervalCount: 1 } as const;
export const pro = { id: 'bp_1', name: 'Pro monthly', amount: 150_000, currency, ...monthly };
export const yearly = {
  id: 'bp_2',
  name: 'Yearly',
  amount: 1_500_000,
  currency,
  intervalUnit: 'year',
  intervalCount: 1,
} as const;

/** Example A of the API's documentation: due 28 February, terms 3, 7 and 3. */
export const subscriptionOf = (fields: Partial<Subscription> = {}): Subscription => ({
  ...subscription.example,
  id: 'sub_1',
  status: 'active',
  displayStatus: 'active',
  startDate: day('2026-01-31'),
  currentPeriodStart: day('2026-01-31'),
  currentPeriodEnd: day('2026-02-28'),
  nextInvoiceAt: day('2026-02-25'),
  trialEndsAt: null,
  cancelAtPeriodEnd: false,
  cancelledAt: null,
  cancelEffectiveAt: null,
  pausedAt: null,
  resumeAt: null,
  endedAt: null,
  cancelReason: null,
  pauseReason: null,
  providerPreference: null,
  referenceId: null,
  totalCycles: null,
  cyclesBilled: 1,
  customer: { id: 'bc_1', name: 'Asha Rai', email: 'asha@example.com' },
  plan: pro,
  nextPlan: null,
  nextPlanAt: null,
  latestInvoice: null,
  dunning: [],
  nextSteps: [],
  metadata: {},
  sequence: 1,
  createdAt: day('2026-01-31'),
  updatedAt: day('2026-01-31'),
  ...fields,
});

export const invoiceOf = (fields: Partial<Invoice> = {}): Invoice => ({
  ...invoice.example,
  id: 'inv_12',
  invoiceNumber: 'INV-000012',
  subscriptionId: 'sub_1',
  customerId: 'bc_1',
  status: 'open',
  amount: 150_000,
  amountDue: 150_000,
  amountPaid: 0,
  lines: [],
  hostedUrl: 'https://pay.example/invoice/inv_12',
  paymentId: null,
  attemptCount: 0,
  nextReminderAt: null,
  overdueAt: null,
  notes: null,
  dueAt: day('2026-02-28'),
  paidAt: null,
  periodStart: day('2026-02-28'),
  periodEnd: day('2026-03-31'),
  appliesFrom: null,
  appliesTo: null,
  sequence: 1,
  createdAt: day('2026-02-25'),
  updatedAt: day('2026-02-25'),
  ...fields,
});

export const paidNow = invoiceOf({
  id: 'inv_11',
  invoiceNumber: 'INV-000011',
  status: 'paid',
  periodStart: day('2026-01-31'),
  periodEnd: day('2026-02-28'),
});

export const now = at('2026-02-26');
export const ahead = invoiceOf();
export const affected = (
  fields: Partial<Subscription> = {},
  invoices: readonly Invoice[] = [ahead, paidNow],
) => ({
  subscription: subscriptionOf(fields),
  invoices,
  now,
});
