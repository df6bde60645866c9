/** Where a payment stands, in one word for people and programs without a key. Pure tables. */
import type { Payment } from '../../actors/checkout-session/attempt.ts';
import { amountOf } from '../../actors/checkout-session/payment.ts';
import type { SessionState } from '../../actors/checkout-session/state.ts';
import { needsReview } from '../../actors/checkout-session/view.ts';
import type { Paisa } from '../../src/kernel/money.ts';
import { seconds, type DurationMs } from '../../src/kernel/time.ts';
import type { LinkStatus } from '../../actors/payment-link/messages.ts';
import type { SessionFound } from './lookup.ts';

interface Words {
  readonly label: string;
  /** For buyers and shops alike: nothing about why it failed. */
  readonly summary: string;
  /** Nothing is expected to change it. */
  readonly terminal: boolean;
}

export const publicStatuses = {
  awaiting_payment: {
    label: 'Awaiting payment',
    summary: 'It has not been paid yet.',
    terminal: false,
  },
  processing: {
    label: 'Processing',
    summary: 'A payment was started. We are waiting for the provider to confirm it.',
    terminal: false,
  },
  under_review: {
    label: 'Under review',
    summary: 'The provider gave an answer that a person has to check. Please do not pay again.',
    terminal: false,
  },
  paid: { label: 'Paid', summary: 'The payment was confirmed by the provider.', terminal: true },
  partially_refunded: {
    label: 'Partially refunded',
    summary: 'The payment was confirmed, and a part of it was paid back.',
    terminal: true,
  },
  refunded: { label: 'Refunded', summary: 'The payment was paid back in full.', terminal: true },
  failed: { label: 'Failed', summary: 'The payment was not completed.', terminal: true },
  cancelled: { label: 'Cancelled', summary: 'The payment was cancelled.', terminal: true },
  expired: { label: 'Expired', summary: 'The time to pay ended before a payment was made.', terminal: true },
} as const satisfies { readonly [code: string]: Words };

export type StatusCode = keyof typeof publicStatuses;
// every key is a code: the table is the one above, and constant
export const statusCodes = Object.keys(publicStatuses) as readonly StatusCode[];

/** Of a payment link that is not one payment. */
export const linkStatusCodes = {
  active: { code: 'awaiting_payment', summary: 'It can be paid by this link.' },
  completed: { code: 'paid', summary: 'It was paid as often as this link allows.' },
  expired: { code: 'expired', summary: 'The time to pay by this link has ended.' },
  inactive: { code: 'cancelled', summary: 'The shop has switched this link off.' },
} as const satisfies { readonly [status in LinkStatus]: { code: StatusCode; summary: string } };

export type LinkStatusCode = (typeof linkStatusCodes)[LinkStatus]['code'];

/** While it can change, it may be asked for this often. */
export const refreshMs: DurationMs = seconds(5);

export function statusCodeOf({ session: { state }, payment, namesPayment }: SessionFound): StatusCode {
  if (namesPayment && payment !== null) return ofPayment(payment, amountOf(payment, state.order));
  return ofSession(state, payment);
}

function ofPayment(payment: Payment, amount: Paisa): StatusCode {
  if (payment.paidAt !== null) return ofMoney(payment, amount);
  if (payment.needsReview) return 'under_review';
  const { status } = payment;
  if (status === 'pending' || status === 'processing') return 'processing';
  if (status === 'failed') return 'failed';
  return isTimeOver(payment) ? 'expired' : 'cancelled';
}

const isTimeOver = ({ closedFor }: Payment): boolean =>
  closedFor?.code === 'session_expired' || closedFor?.code === 'attempt_expired';

function ofMoney({ refundedAmount }: Payment, amount: Paisa): StatusCode {
  if (refundedAmount === 0) return 'paid';
  return refundedAmount < amount ? 'partially_refunded' : 'refunded';
}

function ofSession(session: SessionState, payment: Payment | null): StatusCode {
  if (session.status === 'success')
    return payment === null ? 'paid' : ofMoney(payment, amountOf(payment, session.order));
  if (needsReview(session)) return 'under_review';
  if (session.status === 'pending') return 'awaiting_payment';
  return session.status === 'initiated' ? 'processing' : session.status;
}
