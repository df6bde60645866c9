/** The Payment object. */
import { shown } from '../route/description.ts';
import { metadataShown } from './metadata.ts';
import {
  currency,
  flag,
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
import { provider } from './provider.ts';

export const buyer = object('Buyer', 'Who pays, as you said when you created the session.', {
  name: textOrNull('Full name.'),
  email: textOrNull('E-mail address.'),
  phone: textOrNull('Phone number.'),
});

export const paymentStatuses = [
  'pending',
  'processing',
  'success',
  'failed',
  'cancelled',
  'refunded',
] as const;

export const failureCodes = [
  'declined',
  'insufficient_funds',
  'user_cancelled',
  'session_expired',
  'attempt_expired',
  'superseded',
  'provider_error',
  'provider_timeout',
  'amount_mismatch',
  'signature_invalid',
] as const;

export const paymentFields = {
  id: text('Id of the payment, `pay_...`.'),
  livemode: flag('Whether real money moves: false in the sandbox.'),
  projectId: text('The project it belongs to.'),
  sessionId: text('The checkout session it is an attempt of.'),
  invoiceId: textOrNull('The invoice it pays. null for a payment without one.'),
  customerId: textOrNull('The billing customer. null for a payment without one.'),
  linkReferenceId: textOrNull('The payment link it came by. null for a payment without one.'),
  amount: paisa('In paisa: what was asked for, or what was paid where another amount was taken.'),
  amountExpected: integerOrNull(
    'In paisa: what was asked for, where a review has ended with money of another amount. null: `amount`.',
  ),
  currency,
  provider,
  providerRef: textOrNull("The provider's own id of the payment. null until the provider names one."),
  traceId: textOrNull("The bank's trace number, for providers that have one."),
  status: oneOf(
    paymentStatuses,
    '`pending`: started. `processing`: the provider has confirmed the attempt. ' +
      '`success`: paid, as our own look-up found. `refunded`: paid back in full.',
  ),
  failureCode: oneOfOrNull(
    failureCodes,
    'Why it was not paid. With `needsReview` while the status stays: `amount_mismatch`, ' +
      '`provider_timeout`, `signature_invalid`.',
  ),
  failureReason: textOrNull('The same in a sentence.'),
  refundedAmount: paisa('In paisa: what has been paid back so far.'),
  fee: integerOrNull("The provider's fee in paisa, where the provider tells it."),
  customer: orNull(buyer, 'Who pays. null when you sent no customer.'),
  metadata: metadataShown,
  late: flag('The money arrived after the session had ended without it.'),
  duplicate: flag(
    'A second payment of a session that was already paid, or money of another amount that was refunded at once.',
  ),
  needsReview: flag("A provider's answer about the money was unclear: a person must check it."),
  sequence,
  paidAt: timeOrNull('When our look-up found it paid.'),
  createdAt: time('When the attempt began.'),
  updatedAt: time('When it last changed.'),
};

export const payment = shown(
  object('Payment', 'One attempt of a buyer to pay, with one provider.', paymentFields),
  {
    id: 'pay_wfvvvc5fkjjqm0pf',
    livemode: false,
    projectId: 'prj_29b29j90mr3gsswkmzy950vk',
    sessionId: 'cs_wfr9z72rnbh2bzj55vtw6d93',
    invoiceId: null,
    customerId: null,
    linkReferenceId: null,
    amount: 125_050,
    amountExpected: null,
    currency: 'NPR',
    provider: 'wallet_b',
    providerRef: 'TXWFVVVC5FKJJQM0PF',
    traceId: null,
    status: 'success',
    failureCode: null,
    failureReason: null,
    refundedAmount: 0,
    fee: 0,
    customer: { name: 'Asha Rai', email: 'asha@example.com', phone: '9800000000' },
    metadata: { order_id: '1001' },
    late: false,
    duplicate: false,
    needsReview: false,
    sequence: 3,
    paidAt: '2026-11-21T15:33:10.950Z',
    createdAt: '2026-11-21T15:33:10.884Z',
    updatedAt: '2026-11-21T15:33:10.950Z',
  },
);
