/** The Refund object. */
import { modes } from '../../../src/runtime/model/address.ts';
import { refundReasons, refundStatuses } from '../../../actors/checkout-session/refund.ts';
import { shown } from '../route/description.ts';
import { currency, flag, object, oneOf, paisa, sequence, text, textOrNull, time } from './parts.ts';

export const refund = shown(
  object('Refund', 'Money of a payment on its way back to the buyer.', {
    id: text('Id of the refund, `ref_...`.'),
    livemode: flag('Whether real money moves: false in the sandbox.'),
    paymentId: text('The payment it gives back.'),
    projectId: text('The project it belongs to.'),
    mode: oneOf(modes, 'The same as `livemode`, as a word.'),
    amount: paisa('In paisa.'),
    currency,
    reason: oneOf(refundReasons, 'Why. We open one with `duplicate` for each second payment of a session.'),
    status: oneOf(
      refundStatuses,
      '`processing`: the provider has not confirmed it yet. `succeeded`, `failed`: final. ' +
        '`requires_action`: you must act; `failureReason` says what to do.',
    ),
    providerRefundId: textOrNull(
      "The provider's id of the refund, once it has succeeded, from providers with a refund API. null for others.",
    ),
    failureReason: textOrNull('Set while it is `failed` or `requires_action`.'),
    notes: textOrNull('Your internal notes. No buyer sees them.'),
    mobileNumber: textOrNull("The buyer's number, if you sent one: passed on to the provider."),
    sequence,
    createdAt: time('When it was opened.'),
    updatedAt: time('When it last changed.'),
  }),
  {
    id: 'ref_wfzwhtr4dz3e8j7wc7qbkk0s',
    livemode: false,
    paymentId: 'pay_wfvvvc5fkjjqm0pf',
    projectId: 'prj_29b29j90mr3gsswkmzy950vk',
    mode: 'sandbox',
    amount: 25_050,
    currency: 'NPR',
    reason: 'customer_request',
    status: 'succeeded',
    providerRefundId: 'TXWFVVVC5FKJJQM0PF-r1',
    failureReason: null,
    notes: 'Returned one item',
    mobileNumber: null,
    sequence: 2,
    createdAt: '2026-11-21T15:40:00.120Z',
    updatedAt: '2026-11-21T15:40:00.164Z',
  },
);

/** With a provider that has no refund API, after a person paid it out. */
export const completedRefund = shown(refund.schema, {
  ...refund.example,
  providerRefundId: null,
  notes: 'Returned one item\nPaid out in the portal',
});

/** The same, given up. */
export const cancelledRefund = shown(refund.schema, {
  ...completedRefund.example,
  status: 'failed',
  failureReason: 'Cancelled by the merchant.',
  notes: 'Returned one item\nThe buyer kept it',
});
