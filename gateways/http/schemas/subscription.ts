/** The Subscription object, and the preview of a change of plan. */
import { Type } from 'typebox';
import { intervalUnits } from '../../../actors/subscription/calendar.ts';
import type { StepCode } from '../../../actors/subscription/ahead.ts';
import { overdueActions } from '../../../actors/subscription/invoice-dates.ts';
import { displayStatuses, invoiceStatuses } from '../../../actors/subscription/state.ts';
import { dunningShownMax } from '../../../actors/subscription/view.ts';
import { billingProviders } from '../../../src/providers/catalog.ts';
import { shown } from '../route/description.ts';
import {
  currency,
  flag,
  integer,
  integerOrNull,
  object,
  oneOf,
  oneOfOrNull,
  orNull,
  paisa,
  sequence,
  text,
  textOrNull,
  time,
  timeOrNull,
} from './parts.ts';
import { metadataShown } from './metadata.ts';
import { nextSteps } from './subscription-preview.ts';

const statuses = ['active', 'paused', 'past_due', 'cancelled', 'completed'] as const;

const planOf = object('SubscriptionPlan', 'A plan, as a subscription shows it.', {
  id: text('Id of the plan, `bp_...`.'),
  name: text('Its name now.'),
  amount: paisa('In paisa, for each period.'),
  currency,
  intervalUnit: oneOf(intervalUnits, 'What a period is counted in.'),
  intervalCount: integer('How many of these a period has.'),
});

const customerOf = Type.Object(
  {
    id: text('Id of the customer, `bc_...`.'),
    name: text('The name now.'),
    email: textOrNull('The e-mail now. null: none.'),
  },
  { description: 'Whom it bills.' },
);

const latestInvoice = Type.Object(
  {
    id: text('Id of the invoice, `inv_...`.'),
    status: oneOf(invoiceStatuses, 'As in the invoice.'),
    dueAt: time('When it is due.'),
    paidAt: timeOrNull('When it was paid. null: it is not.'),
    createdAt: time('When it was created.'),
  },
  { description: 'The newest invoice that is no draft.' },
);

const step = Type.Object({
  at: time('When.'),
  action: oneOf(
    ['reminder', ...overdueActions],
    '`reminder`: the customer is reminded. Any other: the invoice becomes past due, and this happens to the ' +
      'subscription.',
  ),
  invoiceId: text('The invoice that is not paid.'),
  done: flag('false: it is still to come.'),
});

const invoiceId = 'inv_bkwv5cfvxf62gttfxm6dzpp7';

/** Examples of next steps, each at the start of a day in Nepal. */
export const stepsShown = (
  ...steps: readonly (readonly [day: string, is: StepCode, invoiceId: string | null, amount: number | null])[]
) =>
  steps.map(([day, is, id, amount]) => ({
    at: `${day}T18:15:00.000Z`,
    is,
    invoiceId: id,
    amount,
  }));

export const subscription = shown(
  object('Subscription', 'An invoice for each period, for one customer, by one plan.', {
    id: text('Id of the subscription, `sub_...`.'),
    livemode: flag('Whether real money moves: false in the sandbox.'),
    status: oneOf(
      statuses,
      '`active`: it bills. `paused`: no invoices open. `past_due`: an invoice was not paid in time. ' +
        '`cancelled`, `completed`: final.',
    ),
    displayStatus: oneOf(
      displayStatuses,
      'The same, with two kinds of `active` apart: `draft`, the start is ahead; `trialing`, the trial runs.',
    ),
    startDate: time('When it begins, or has begun.'),
    currentPeriodStart: time('The start of the current period, or of the trial.'),
    currentPeriodEnd: time('Its end, which is the start of the next one.'),
    nextInvoiceAt: timeOrNull(
      'The next moment at which an invoice opens, also while the one of the next period is open already. null: it is ' +
        'paused, it ends with its period or has ended, or the last period is billed.',
    ),
    trialEndsAt: timeOrNull('The end of the trial. null: it had none.'),
    cancelAtPeriodEnd: flag('Whether it ends with its period.'),
    cancelledAt: timeOrNull('When it was cancelled, or set to end. null: neither.'),
    cancelEffectiveAt: timeOrNull('When that takes effect. null: it is not cancelled.'),
    pausedAt: timeOrNull('Since when it is paused. null: it is not.'),
    resumeAt: timeOrNull('When it goes on by itself. null: it does not.'),
    endedAt: timeOrNull('When it was cancelled for good, or completed. null: it goes on.'),
    cancelReason: textOrNull('Why it was cancelled; `invoice_overdue`: by its own rule.'),
    pauseReason: textOrNull('Why it is paused; `invoice_overdue`: by its own rule, until that is paid.'),
    providerPreference: oneOfOrNull(
      billingProviders,
      'The provider that invoice pages show first. null: the one of the plan.',
    ),
    referenceId: textOrNull('Your own reference.'),
    totalCycles: integerOrNull('How many periods it bills. null: no end.'),
    cyclesBilled: integer('How many it has billed.'),
    customer: customerOf,
    plan: planOf,
    nextPlan: orNull(planOf, 'The plan that takes over. null: none.'),
    nextPlanAt: timeOrNull('When it takes over. null: no plan is scheduled.'),
    latestInvoice: orNull(latestInvoice, 'The newest invoice that is no draft. null: none.'),
    dunning: Type.Array(step, {
      description: `What is still to come for invoices that are not paid: the next ${dunningShownMax} steps.`,
    }),
    nextSteps,
    metadata: metadataShown,
    sequence,
    createdAt: time('When you created it.'),
    updatedAt: time('When it last changed.'),
  }),
  {
    id: 'sub_11tp7r3ewecer10mt5bwmx93',
    livemode: false,
    status: 'active',
    displayStatus: 'active',
    startDate: '2026-01-30T18:15:00.000Z',
    currentPeriodStart: '2026-01-30T18:15:00.000Z',
    currentPeriodEnd: '2026-02-27T18:15:00.000Z',
    nextInvoiceAt: '2026-02-24T18:15:00.000Z',
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
    referenceId: 'A-1001',
    totalCycles: null,
    cyclesBilled: 1,
    customer: { id: 'bc_4hb3anpsq6g635dy35q0jc0h', name: 'Asha Rai', email: 'asha@example.com' },
    plan: {
      id: 'bp_4qxtznp9tjryzx4hdy5tbw4j',
      name: 'Pro monthly',
      amount: 150_000,
      currency: 'NPR',
      intervalUnit: 'month',
      intervalCount: 1,
    },
    nextPlan: null,
    nextPlanAt: null,
    latestInvoice: {
      id: 'inv_bkwv5cfvxf62gttfxm6dzpp7',
      status: 'open',
      dueAt: '2026-01-30T18:15:00.000Z',
      paidAt: null,
      createdAt: '2026-01-30T18:15:00.000Z',
    },
    dunning: [
      {
        at: '2026-02-02T18:15:00.000Z',
        action: 'mark_past_due',
        invoiceId: 'inv_bkwv5cfvxf62gttfxm6dzpp7',
        done: false,
      },
      {
        at: '2026-03-01T18:15:00.000Z',
        action: 'reminder',
        invoiceId: 'inv_bkwv5cfvxf62gttfxm6dzpp7',
        done: false,
      },
      {
        at: '2026-03-31T18:15:00.000Z',
        action: 'reminder',
        invoiceId: 'inv_bkwv5cfvxf62gttfxm6dzpp7',
        done: false,
      },
    ],
    nextSteps: stepsShown(
      ['2026-02-02', 'past_due', invoiceId, 150_000],
      ['2026-02-24', 'invoice_opens', null, 150_000],
      ['2026-02-27', 'renewal', null, null],
      ['2026-02-27', 'due', null, 150_000],
      ['2026-03-01', 'reminder', invoiceId, 150_000],
      ['2026-03-02', 'past_due', null, 150_000],
      ['2026-03-27', 'invoice_opens', null, 150_000],
      ['2026-03-29', 'reminder', null, 150_000],
      ['2026-03-30', 'renewal', null, null],
      ['2026-03-30', 'due', null, 150_000],
      ['2026-03-31', 'reminder', invoiceId, 150_000],
      ['2026-04-02', 'past_due', null, 150_000],
    ),
    metadata: {},
    sequence: 2,
    createdAt: '2026-01-30T18:15:00.000Z',
    updatedAt: '2026-01-30T18:15:00.000Z',
  },
);

/** With an end after twelve periods. */
export const changedSubscription = shown(subscription.schema, {
  ...subscription.example,
  referenceId: 'A-1002',
  totalCycles: 12,
  sequence: 3,
});

export const prorationPreview = shown(
  object('ProrationPreview', 'What a change of plan would be worth now.', {
    subscriptionId: text('The subscription.'),
    fromPlanId: text('The plan it has.'),
    toPlanId: text('The plan in question.'),
    at: time('Now.'),
    unusedCredit: paisa('In paisa: what is left of the current period.'),
    newPlanCharge: paisa('In paisa: a period of the other plan.'),
    netAmount: integer('In paisa: the difference. Negative: the rest is worth more.'),
    currency,
    applied: flag('false: nothing is changed by this.'),
  }),
  {
    subscriptionId: 'sub_11tp7r3ewecer10mt5bwmx93',
    fromPlanId: 'bp_4qxtznp9tjryzx4hdy5tbw4j',
    toPlanId: 'bp_z1t9xj9gt9tht7315wyd8t7f',
    at: '2026-04-16T06:15:00.000Z',
    unusedCredit: 72_500,
    newPlanCharge: 300_000,
    netAmount: 227_500,
    currency: 'NPR',
    applied: false,
  },
);
