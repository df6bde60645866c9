/** The Subscription object after what is done to it: the example of each of these operations. */
import { shown } from '../route/description.ts';
import { stepsShown, subscription } from './subscription.ts';

const { schema, example } = subscription;
const invoiceId = 'inv_bkwv5cfvxf62gttfxm6dzpp7';

export const pausedSubscription = shown(schema, {
  ...example,
  status: 'paused',
  displayStatus: 'paused',
  nextInvoiceAt: null,
  pausedAt: '2026-02-01T06:15:00.000Z',
  pauseReason: 'On holiday',
  // its period stands still; its invoice is open
  nextSteps: example.nextSteps.filter((step) => step.invoiceId === invoiceId),
  sequence: 3,
});

export const resumedSubscription = shown(schema, { ...example, sequence: 4 });

export const cancelledSubscription = shown(schema, {
  ...example,
  status: 'cancelled',
  displayStatus: 'cancelled',
  nextInvoiceAt: null,
  cancelledAt: '2026-02-01T06:15:00.000Z',
  cancelEffectiveAt: '2026-02-01T06:15:00.000Z',
  endedAt: '2026-02-01T06:15:00.000Z',
  cancelReason: 'Too expensive',
  latestInvoice: {
    id: invoiceId,
    status: 'voided',
    dueAt: '2026-01-30T18:15:00.000Z',
    paidAt: null,
    createdAt: '2026-01-30T18:15:00.000Z',
  },
  dunning: [],
  nextSteps: [],
  sequence: 3,
});

export const switchingSubscription = shown(schema, {
  ...example,
  nextPlan: {
    id: 'bp_z1t9xj9gt9tht7315wyd8t7f',
    name: 'Pro yearly',
    amount: 1_500_000,
    currency: 'NPR',
    intervalUnit: 'year',
    intervalCount: 1,
  },
  // its invoices open when they are due
  nextInvoiceAt: '2026-02-27T18:15:00.000Z',
  nextPlanAt: '2026-02-27T18:15:00.000Z',
  nextSteps: stepsShown(
    ['2026-02-02', 'past_due', invoiceId, 150_000],
    ['2026-02-27', 'renewal', null, null],
    ['2026-02-27', 'plan_change', null, 1_500_000],
    ['2026-02-27', 'invoice_opens', null, 1_500_000],
    ['2026-02-28', 'past_due', null, 1_500_000],
    ['2026-03-01', 'reminder', invoiceId, 150_000],
    ['2026-03-31', 'reminder', invoiceId, 150_000],
    ['2027-02-27', 'renewal', null, null],
    ['2027-02-27', 'invoice_opens', null, 1_500_000],
    ['2027-02-28', 'past_due', null, 1_500_000],
    ['2028-02-28', 'renewal', null, null],
    ['2028-02-28', 'invoice_opens', null, 1_500_000],
  ),
  sequence: 3,
});

/** The first billed period has begun. */
export const endedTrial = shown(schema, {
  ...example,
  trialEndsAt: '2026-01-30T18:15:00.000Z',
  sequence: 3,
});

export const extendedTrial = shown(schema, {
  ...example,
  displayStatus: 'trialing',
  currentPeriodEnd: '2027-01-15T18:15:00.000Z',
  nextInvoiceAt: '2027-01-12T18:15:00.000Z',
  trialEndsAt: '2027-01-15T18:15:00.000Z',
  cyclesBilled: 0,
  latestInvoice: null,
  dunning: [],
  nextSteps: stepsShown(
    ['2027-01-12', 'invoice_opens', null, 150_000],
    ['2027-01-15', 'trial_ends', null, null],
    ['2027-01-15', 'due', null, 150_000],
    ['2027-01-18', 'past_due', null, 150_000],
    ['2027-02-12', 'invoice_opens', null, 150_000],
    ['2027-02-14', 'reminder', null, 150_000],
    ['2027-02-15', 'renewal', null, null],
    ['2027-02-15', 'due', null, 150_000],
    ['2027-02-18', 'past_due', null, 150_000],
    ['2027-03-12', 'invoice_opens', null, 150_000],
    ['2027-03-15', 'renewal', null, null],
    ['2027-03-15', 'due', null, 150_000],
  ),
  sequence: 2,
});
