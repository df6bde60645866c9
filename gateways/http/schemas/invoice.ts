/** The Invoice object, and the address to pay one at. */
import { Type } from 'typebox';
import { invoiceStatuses } from '../../../actors/subscription/state.ts';
import { shown } from '../route/description.ts';
import {
  currency,
  flag,
  integer,
  object,
  oneOf,
  paisa,
  sequence,
  text,
  textOrNull,
  time,
  timeOrNull,
  url,
} from './parts.ts';

const line = Type.Object({
  description: text('What is billed: the name of the plan.'),
  planId: text('The plan.'),
  amount: paisa('In paisa.'),
  periodStart: time('The start of the period.'),
  periodEnd: time('Its end, exclusive.'),
});

export const invoice = shown(
  object('Invoice', 'The bill of one period of a subscription.', {
    id: text('Id of the invoice, `inv_...`.'),
    livemode: flag('Whether real money moves: false in the sandbox.'),
    invoiceNumber: textOrNull(
      'Its number, without gaps per project and mode. null: it has not opened, so it has none yet.',
    ),
    subscriptionId: text('The subscription it is of.'),
    customerId: text('The customer it is for.'),
    status: oneOf(
      invoiceStatuses,
      '`draft`: it opens within an hour. `open`: it can be paid. `past_due`: the same, after the grace period. ' +
        '`paid`, `voided`: final.',
    ),
    amount: paisa('In paisa.'),
    amountDue: paisa('What is still to be paid: all or nothing.'),
    amountPaid: paisa('What was paid: all or nothing.'),
    currency,
    lines: Type.Array(line, { description: 'What is billed.' }),
    hostedUrl: url('The page to pay it at; it stays the same.'),
    paymentId: textOrNull('The payment that paid it. null: it is not paid, or you marked it as paid.'),
    attemptCount: integer('Reminders sent.'),
    nextReminderAt: timeOrNull('When the next reminder is sent. null: none is to come.'),
    overdueAt: timeOrNull('When it becomes past due, or has. null: it has not opened yet.'),
    notes: textOrNull('Your notes from marking it as paid.'),
    dueAt: time('When it is due: the start of its period.'),
    paidAt: timeOrNull('When it was paid. null: it is not.'),
    periodStart: time('The start of the period it bills.'),
    periodEnd: time('Its end, exclusive.'),
    appliesFrom: timeOrNull(
      'The start of the period it pays for, if that was moved after the payment: by a pause, or by a trial that ' +
        'ended at another time. null: the period it bills.',
    ),
    appliesTo: timeOrNull('Its end, exclusive. null: the period it bills.'),
    sequence,
    createdAt: time('When it was created.'),
    updatedAt: time('When it last changed.'),
  }),
  {
    id: 'inv_bkwv5cfvxf62gttfxm6dzpp7',
    livemode: false,
    invoiceNumber: 'INV-000001',
    subscriptionId: 'sub_11tp7r3ewecer10mt5bwmx93',
    customerId: 'bc_4hb3anpsq6g635dy35q0jc0h',
    status: 'open',
    amount: 150_000,
    amountDue: 150_000,
    amountPaid: 0,
    currency: 'NPR',
    lines: [
      {
        description: 'Pro monthly',
        planId: 'bp_4qxtznp9tjryzx4hdy5tbw4j',
        amount: 150_000,
        periodStart: '2026-01-30T18:15:00.000Z',
        periodEnd: '2026-02-27T18:15:00.000Z',
      },
    ],
    hostedUrl: 'https://pay.example.com/invoice/inv_bkwv5cfvxf62gttfxm6dzpp7',
    paymentId: null,
    attemptCount: 0,
    nextReminderAt: '2026-03-01T18:15:00.000Z',
    overdueAt: '2026-02-02T18:15:00.000Z',
    notes: null,
    dueAt: '2026-01-30T18:15:00.000Z',
    paidAt: null,
    periodStart: '2026-01-30T18:15:00.000Z',
    periodEnd: '2026-02-27T18:15:00.000Z',
    appliesFrom: null,
    appliesTo: null,
    sequence: 2,
    createdAt: '2026-01-30T18:15:00.000Z',
    updatedAt: '2026-01-30T18:15:00.000Z',
  },
);

/** Nothing is to be paid any more. */
export const voidedInvoice = shown(invoice.schema, {
  ...invoice.example,
  status: 'voided',
  amountDue: 0,
  nextReminderAt: null,
  sequence: 3,
});

/** Paid in cash. */
export const paidInvoice = shown(invoice.schema, {
  ...invoice.example,
  status: 'paid',
  amountDue: 0,
  amountPaid: 150_000,
  nextReminderAt: null,
  notes: 'Paid in cash',
  paidAt: '2026-01-31T06:15:00.000Z',
  sequence: 3,
});

export const payLink = shown(
  object('PayLink', 'An address to pay an invoice at.', {
    invoiceId: text('The invoice.'),
    url: url('The page of the checkout session.'),
    sessionId: text('The checkout session.'),
    expires_at: time('Until when it can be paid there.'),
  }),
  {
    invoiceId: 'inv_bkwv5cfvxf62gttfxm6dzpp7',
    url: 'https://pay.example.com/pay/cs_k7yfcxpcd249hxjc6n80atb2',
    sessionId: 'cs_k7yfcxpcd249hxjc6n80atb2',
    expires_at: '2026-01-31T02:00:00.000Z',
  },
);
