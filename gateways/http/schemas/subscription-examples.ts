/** The Subscription object after what is done to it: the example of each of these operations. */
import { shown } from '../route/description.ts';
import { subscription } from './subscription.ts';

const { schema, example } = subscription;

export const pausedSubscription = shown(schema, {
  ...example,
  status: 'paused',
  displayStatus: 'paused',
  nextInvoiceAt: null,
  pausedAt: '2026-02-01T06:15:00.000Z',
  pauseReason: 'On holiday',
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
    id: 'inv_bkwv5cfvxf62gttfxm6dzpp7',
    status: 'voided',
    dueAt: '2026-01-30T18:15:00.000Z',
    paidAt: null,
    createdAt: '2026-01-30T18:15:00.000Z',
  },
  dunning: [],
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
  nextPlanAt: '2026-02-27T18:15:00.000Z',
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
  sequence: 2,
});
