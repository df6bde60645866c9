/** Payment x trigger of docs/reference/session-states.md: what happens to one attempt. The session's table decides
 *  when.
 *  1. Only `paid` leads to success, and it does so from every status: money is never dropped.
 *  2. Everything else leaves a closed attempt closed; when a review ends, its first failure code is
 *     restored. */
import type { Paisa } from '../../src/kernel/money.ts';
import type { Instant } from '../../src/kernel/time.ts';
import type { MoneyAnswer, Failure, FailureCode, Payment, PaymentStatus } from './attempt.ts';
import type { Provider } from '../../src/providers/answers.ts';
import { newLeg, withDeciding } from './legs.ts';

/** The triggers of a payment, and the data known for each. */
export interface PaymentTriggers {
  /** A sign that the provider or the buyer is active. */
  activity: null;
  /** Amount and reference equal ours. */
  paid: { readonly answer: MoneyAnswer; readonly duplicate: boolean; readonly now: Instant };
  /** Money may have moved, but not as agreed: another amount, an ambiguous status, refunded, or never
   *  explained. */
  disputed: Failure | null;
  /** An operator or the merchant has reviewed the doubt and leaves the payment unchanged. */
  dismissed: null;
  startFailed: Failure;
  declined: Failure;
  buyerCancelled: null;
  providerExpired: null;
  /** We end it ourselves when its time is up; the provider has not reported an outcome. */
  attemptTimedOut: null;
  superseded: null;
  sessionCancelled: null;
  sessionExpired: null;
  /** A refund of it has succeeded; `total` is the payment's amount. */
  refundSucceeded: { readonly amount: Paisa; readonly total: Paisa };
}

type Cell<Data> = (payment: Payment, data: Data) => Payment;
type PaymentTable = {
  readonly [T in keyof PaymentTriggers]: { readonly [S in PaymentStatus]: Cell<PaymentTriggers[T]> };
};

/** The payment after a trigger; the same object when the cell has no effect. */
export function paymentAfter<T extends keyof PaymentTriggers>(
  payment: Payment,
  trigger: T,
  data: PaymentTriggers[T],
): Payment {
  const row: { readonly [S in PaymentStatus]: Cell<PaymentTriggers[T]> } = paymentTable[trigger];
  return row[payment.status](payment, data);
}

/** A new attempt whose start call is in progress. */
export const newPayment = (id: string, provider: Provider, now: Instant): Payment => ({
  id,
  provider,
  status: 'pending',
  providerRef: null,
  traceId: null,
  failure: null,
  refundedAmount: 0,
  fee: null,
  late: false,
  duplicate: false,
  needsReview: false,
  sequence: 1,
  paidAt: null,
  createdAt: now,
  updatedAt: now,
  closedFor: null,
  start: 'asked',
  socketUrl: null,
  returned: false,
  legs: [newLeg('web', now)],
});

/** Whether the buyer may still pay it. */
export const isOpen = ({ status }: Payment): boolean => status === 'pending' || status === 'processing';

/** What it is of: what the order asks for, or the other amount that a person has taken. */
export const amountOf = ({ amountPaid }: Payment, order: { readonly amount: Paisa }): Paisa =>
  amountPaid ?? order.amount;

/** Its money has arrived, whether or not it was returned later. */
export const isPaid = ({ status }: Payment): boolean => status === 'success' || status === 'refunded';

/** Texts of `failureReason`; a start's comes from the provider. */
export const failures = {
  declined: 'The provider declined the payment.',
  insufficient_funds: 'The buyer does not have enough money at the provider.',
  user_cancelled: 'The buyer cancelled.',
  session_expired: 'The checkout session ended before the payment was made.',
  attempt_expired: 'The provider ended this attempt before it was paid.',
  superseded: 'Another attempt took the place of this one.',
  provider_timeout: 'The provider has given no clear answer for 24 hours.',
  amount_mismatch: 'The provider confirmed another amount than the one asked for.',
} satisfies { readonly [C in FailureCode]?: string };

export const failure = (code: keyof typeof failures): Failure => ({ code, reason: failures[code] });

const same = (payment: Payment): Payment => payment;

const processing = (payment: Payment): Payment =>
  payment.status === 'processing' ? payment : { ...payment, status: 'processing' };

/** After a definite answer, every doubt is a new one. */
const withoutOldDoubt = (payment: Payment): Payment =>
  payment.review?.dismissed === true && payment.review.doubt !== ''
    ? { ...payment, review: { doubt: '', dismissed: true } }
    : payment;

const pay: Cell<PaymentTriggers['paid']> = (payment, { answer, duplicate, now }) => {
  const paid: Payment = {
    ...withoutOldDoubt(payment),
    status: 'success',
    duplicate,
    late: !isOpen(payment),
    paidAt: now,
    providerRef: answer.providerRef ?? payment.providerRef,
    traceId: answer.traceId ?? payment.traceId,
    fee: answer.fee ?? payment.fee,
    ...(answer.otherAmount === undefined ? {} : { amountPaid: answer.otherAmount }),
    failure: null,
    closedFor: null,
    needsReview: false,
  };
  // the look-up that found the money also covers all earlier hints
  const look = { ...payment.legs[0].look, again: null };
  return withDeciding(paid, { instructions: null, clear: true, look });
};

const close = (payment: Payment, status: 'failed' | 'cancelled', why: Failure, clear: boolean): Payment =>
  withDeciding({ ...payment, status, failure: why, closedFor: why }, { instructions: null, clear });

/** The provider itself stated that there is no money: nothing is left to review. */
const closeClearly = (status: 'failed' | 'cancelled', why: Failure, payment: Payment): Payment => ({
  ...close(withoutOldDoubt(payment), status, why, true),
  needsReview: false,
});

const fail: Cell<Failure> = (payment, why) => closeClearly('failed', why, payment);
const cancelByBuyer = (payment: Payment): Payment =>
  closeClearly('cancelled', failure('user_cancelled'), payment);
const expireByProvider = (payment: Payment): Payment =>
  closeClearly('cancelled', failure('attempt_expired'), payment);

/** We close it; the provider may still report otherwise, so a review stays open. */
const closeFor =
  (code: 'superseded' | 'user_cancelled' | 'session_expired' | 'attempt_expired') =>
  (payment: Payment): Payment =>
    close(payment, 'cancelled', failure(code), false);

const dispute: Cell<Failure | null> = (payment, why) => ({
  ...payment,
  needsReview: true,
  failure: why ?? payment.failure,
});

/** After a definite answer that shows no refund, a refund at the provider is a change again. */
function noRefundShown(payment: Payment): Payment {
  if (payment.refundShown === undefined) return payment;
  const { refundShown: _before, ...rest } = payment;
  return rest;
}

const disputePaid = (payment: Payment): Payment => dispute(noRefundShown(payment), null);

/** A definite answer about a settled payment ends its review. */
const clarify = (payment: Payment): Payment =>
  payment.needsReview || !payment.legs[0].clear
    ? withDeciding(
        { ...withoutOldDoubt(payment), needsReview: false, failure: payment.closedFor },
        { clear: true },
      )
    : withoutOldDoubt(payment);

const confirmPaid = (payment: Payment): Payment => clarify(noRefundShown(payment));

/** The doubt the review was about; unknown if an older version opened it. */
const dismiss = (payment: Payment): Payment =>
  payment.needsReview
    ? {
        ...payment,
        needsReview: false,
        failure: payment.closedFor,
        review: { doubt: payment.review?.doubt ?? '', dismissed: true },
      }
    : payment;

const refunded: Cell<PaymentTriggers['refundSucceeded']> = (payment, { amount, total }) => {
  const refundedAmount = payment.refundedAmount + amount;
  return { ...payment, refundedAmount, status: refundedAmount >= total ? 'refunded' : 'success' };
};

/** What a trigger does to a payment while it is open, once it is paid, once it was closed without money, and once all
 *  of it was refunded. */
const row = <Data>(
  open: Cell<Data>,
  paid: Cell<Data>,
  closed: Cell<Data>,
  whole: Cell<Data>,
): { readonly [S in PaymentStatus]: Cell<Data> } => ({
  pending: open,
  processing: open,
  success: paid,
  failed: closed,
  cancelled: closed,
  refunded: whole,
});

const paymentTable: PaymentTable = {
  activity: row(processing, same, same, same),
  paid: row(pay, confirmPaid, pay, same),
  disputed: row(dispute, dispute, dispute, dispute),
  dismissed: row(dismiss, dismiss, dismiss, dismiss),
  startFailed: row(fail, same, same, same),
  declined: row(fail, disputePaid, clarify, same),
  buyerCancelled: row(cancelByBuyer, disputePaid, clarify, same),
  providerExpired: row(expireByProvider, same, clarify, same),
  attemptTimedOut: row(closeFor('attempt_expired'), same, same, same),
  superseded: row(closeFor('superseded'), same, same, same),
  sessionCancelled: row(closeFor('user_cancelled'), same, same, same),
  sessionExpired: row(closeFor('session_expired'), same, same, same),
  refundSucceeded: row(same, refunded, same, same),
};
