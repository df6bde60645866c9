/** The Payment link object. */
import { Type } from 'typebox';
import { linkStatuses } from '../../../actors/payment-link/messages.ts';
import { shown } from '../route/description.ts';
import {
  currency,
  flag,
  integer,
  integerOrNull,
  object,
  oneOf,
  sequence,
  text,
  textOrNull,
  time,
  timeOrNull,
  url,
  urlOrNull,
} from './parts.ts';

const amountOrNull = (description: string) =>
  Type.Unsafe<number | null>({ type: ['integer', 'null'], minimum: 0, description });

export const paymentLink = shown(
  object('PaymentLink', 'An address that many buyers pay by, each in a checkout session of its own.', {
    id: text('Id of the link, `lnk_...`.'),
    livemode: flag('Whether real money moves: false in the sandbox.'),
    referenceId: text('`PL-` and 8 characters, unique in the service: the end of its address.'),
    name: text('What is sold, as buyers see it.'),
    description: textOrNull('More about it, as buyers see it.'),
    amount: amountOrNull('In paisa. null: the buyer enters one.'),
    minAmount: amountOrNull('The least that a buyer can enter. null where `amount` is set.'),
    maxAmount: amountOrNull('The most that a buyer can enter. null where `amount` is set.'),
    currency,
    url: url('The page to send buyers to.'),
    status: oneOf(
      linkStatuses,
      '`active`: buyers can pay. `inactive`: you switched it off. `expired`: `expiresAt` has passed. ' +
        '`completed`: `maxUses` is reached.',
    ),
    active: flag('Whether buyers can pay: true while `status` is `active`.'),
    maxUses: integerOrNull('How many payments it takes. null: no limit.'),
    usedCount: integer(
      'How many sessions of it succeeded. More than `maxUses` only by money that arrived late, or by buyers ' +
        'who were paying when you lowered it.',
    ),
    returnUrl: urlOrNull('Where buyers return to. null: they stay on our thank-you page.'),
    collectAddress: flag('Whether our page asks for an address.'),
    metadata: Type.Record(Type.String(), Type.Unknown(), {
      description: 'Your own data; each session of the link has a copy. {} when you sent none.',
    }),
    sequence,
    expiresAt: timeOrNull('Until when buyers can pay. null: without end.'),
    createdAt: time('When you created it.'),
    updatedAt: time('When it last changed.'),
  }),
  {
    id: 'lnk_95b8gyms01jca1adzbbb3ghk',
    livemode: false,
    referenceId: 'PL-7K2M9Q4X',
    name: 'Workshop seat',
    description: 'Saturday, 10 am, Patan',
    amount: 50_000,
    minAmount: null,
    maxAmount: null,
    currency: 'NPR',
    url: 'https://pay.example.com/link/PL-7K2M9Q4X',
    status: 'active',
    active: true,
    maxUses: 20,
    usedCount: 0,
    returnUrl: null,
    collectAddress: false,
    metadata: { course: 'pottery' },
    sequence: 1,
    expiresAt: null,
    createdAt: '2026-11-21T15:33:10.858Z',
    updatedAt: '2026-11-21T15:33:10.858Z',
  },
);

/** After a change of its limit. */
export const changedPaymentLink = shown(paymentLink.schema, {
  ...paymentLink.example,
  maxUses: 40,
  sequence: 2,
});
