/** The checkout session kind: its row collections and the events it emits. */
import type { Kind } from '../kind.ts';
import { lifeMs } from '../idempotency-key/messages.ts';
import { answerRowKind } from './keyed.ts';
import { refundsMax } from './refund.ts';
import { samples } from './samples.ts';
import { checkoutSession } from './session.ts';

export const checkoutSessionKind = {
  actor: checkoutSession,
  rows: [
    {
      kind: 'payment',
      indexes: ['sessionId', 'status', 'provider', 'providerRef', 'paidAt'],
      orders: ['paidAt'],
    },
    // a refund that has succeeded does not change any more
    { kind: 'refund', indexes: ['paymentId', 'status', 'updatedAt'], orders: ['updatedAt'] },
    // the latest review of a payment, once it has ended
    { kind: 'ended_review', indexes: [] },
    // what the first request with a key was answered
    { kind: answerRowKind, indexes: [], kept: { ms: lifeMs } },
    // payments of a Direct-QR session that is still hidden
    { kind: 'hidden_payment', indexes: [] },
  ],
  events: samples,
  refusals: {
    review_changed: {
      status: 409,
      type: 'invalid_request_error',
      message: 'The provider does not say, asked now, that exactly this amount was paid under our reference.',
    },
    payment_not_refundable: {
      status: 422,
      type: 'invalid_request_error',
      message: 'Only a successful payment can be refunded.',
      param: 'paymentId',
    },
    amount_exceeds_refundable: {
      status: 422,
      type: 'invalid_request_error',
      message: 'The amount is more than can still be refunded.',
      param: 'amount',
    },
    refund_limit_reached: {
      status: 422,
      type: 'invalid_request_error',
      message: `At most ${refundsMax} refunds per payment, failed ones included.`,
      param: 'paymentId',
    },
  },
} as const satisfies Kind;
