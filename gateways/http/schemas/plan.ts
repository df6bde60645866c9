/** The Plan object. */
import { Type } from 'typebox';
import { intervalUnits } from '../../../actors/subscription/calendar.ts';
import { overdueActions } from '../../../actors/subscription/invoice-dates.ts';
import { billingProviders } from '../../../src/providers/catalog.ts';
import { shown } from '../route/description.ts';
import {
  currency,
  flag,
  integer,
  object,
  oneOf,
  oneOfOrNull,
  paisa,
  sequence,
  text,
  textOrNull,
  time,
} from './parts.ts';
import { metadataShown } from './metadata.ts';

/** What happens to the subscription of an invoice that was not paid in time. */
export const overdueActionText =
  '`keep_active`: nothing. `mark_past_due`: it becomes `past_due`. `pause`: it is paused until the invoice is ' +
  'paid or voided. `cancel`: it is cancelled; the invoice can still be paid.';

const dunningSettings = Type.Object(
  {
    reminderDaysBeforeDue: integer('How many days before it is due an invoice opens. 0: when it is due.'),
    overdueReminderIntervalDays: integer(
      'A reminder every so many days after the due date, for 60 days. 0: no reminders.',
    ),
    overdueAction: oneOf(overdueActions, overdueActionText),
  },
  { description: 'When buyers are reminded of an invoice, and what happens if it is not paid in time.' },
);

export const plan = shown(
  object('Plan', 'What subscriptions are billed by: an amount, and how often it is due.', {
    id: text('Id of the plan, `bp_...`.'),
    livemode: flag('Whether real money moves: false in the sandbox.'),
    name: text('Its name, as customers see it on invoices.'),
    description: textOrNull('More about it.'),
    amount: paisa('In paisa, for each period.'),
    currency,
    intervalUnit: oneOf(intervalUnits, 'What a period is counted in.'),
    intervalCount: integer('How many of these a period has.'),
    gracePeriodDays: integer(
      'Days after the due date until an unpaid invoice is past due; never less than 24 hours after it opened.',
    ),
    trialDays: integer('Days that a new subscription is free.'),
    active: flag('Whether new subscriptions can have it. Those that have it go on in any case.'),
    defaultProvider: oneOfOrNull(
      billingProviders,
      'The provider that invoice pages show first. null: none; the order of your settings applies.',
    ),
    dunningSettings,
    metadata: metadataShown,
    sequence,
    createdAt: time('When you created it.'),
    updatedAt: time('When it last changed.'),
  }),
  {
    id: 'bp_4qxtznp9tjryzx4hdy5tbw4j',
    livemode: false,
    name: 'Pro monthly',
    description: null,
    amount: 150_000,
    currency: 'NPR',
    intervalUnit: 'month',
    intervalCount: 1,
    gracePeriodDays: 3,
    trialDays: 0,
    active: true,
    defaultProvider: 'wallet_b',
    dunningSettings: {
      reminderDaysBeforeDue: 3,
      overdueReminderIntervalDays: 7,
      overdueAction: 'mark_past_due',
    },
    metadata: {},
    sequence: 1,
    createdAt: '2026-11-21T15:33:10.858Z',
    updatedAt: '2026-11-21T15:33:10.858Z',
  },
);

/** It takes no new subscriptions any more. */
export const changedPlan = shown(plan.schema, { ...plan.example, active: false, sequence: 2 });
