/** Reviews: what is doubtful about a payment, and how an operator resolves it.
 *  1. An operator cannot mark a payment as paid: to accept is to look it up once more, and only an answer
 *     equal to ours makes it paid.
 *  2. A dismissed doubt does not open a second review; another doubt does, and so does the same one after a
 *     definite answer. Money is accepted in any case. */
import type { Note, Turn, Verdict } from '../../src/runtime/model/actor.ts';
import type { Finding } from './finding.ts';
import type { Payment } from './attempt.ts';
import type { Evidence } from './refund-evidence.ts';
import type { SessionCommands } from './commands.ts';
import type { CheckoutSession, SessionState } from './state.ts';
import { isPaid, paymentAfter } from './payment.ts';
import { settle } from './settle.ts';
import { paymentOf, withPayment } from './steps.ts';

type X = Turn<CheckoutSession>;
type EndReview = SessionCommands['endReview'];

export function endReview(session: SessionState, command: EndReview, x: X): Verdict {
  const payment = paymentOf(session, command.paymentId);
  if (payment === null) return x.refuse('not_found');
  if (!payment.needsReview) {
    return hasEnded(payment, command) ? x.ok() : x.refuse('invalid_state', { currentStatus: payment.status });
  }
  const notes = [noteOf(payment, command)];
  if (command.how === 'dismiss') {
    const next = withPayment(session, paymentAfter(payment, 'dismissed', null));
    return settle(x, session, next, { cause: 'operator', notes });
  }
  const { look } = payment;
  const next = withPayment(session, { ...payment, look: { ...look, again: 'operator' } });
  return settle(x, session, next, { cause: 'operator', notes, answer: { lookupCount: look.count + 1 } });
}

/** The request repeats what has already been done. */
const hasEnded = (payment: Payment, { how }: EndReview): boolean =>
  payment.review !== undefined && (how === 'accept' ? isPaid(payment) : payment.review.dismissed);

const noteOf = ({ id: about }: Payment, { how, reason }: EndReview): Note => ({
  about,
  kind: 'operator',
  summary: summaries[how],
  cause: how,
  detail: { reason },
});

const summaries = {
  accept: 'Operator: accept as paid, if the provider confirms it',
  dismiss: 'Operator: review dismissed',
};

/** The doubt in this answer about this payment; null when the answer is clear. A doubt about money we
 *  consider paid differs from a doubt about money that was never seen. */
export function doubtIn(
  payment: Payment,
  { is, summary }: Finding,
  evidence: Evidence | null,
): string | null {
  // refunded money of a paid payment is doubtful only when it was returned outside
  const isDoubt = is === 'disputed' || (is === 'refunded' && (evidence?.is ?? 'outside') === 'outside');
  const isNo = payment.status === 'success' && (is === 'declined' || is === 'buyerCancelled');
  return isDoubt || isNo ? `${isPaid(payment) ? 'paid before, now: ' : ''}${summary}` : null;
}

export const isDismissed = ({ review }: Payment, doubt: string | null): boolean =>
  review?.dismissed === true && review.doubt === doubt;

/** The session in which the payment carries the reason of its review. `before`: the payment before this
 *  answer. */
export function withDoubt(session: SessionState, before: Payment, doubt: string | null): SessionState {
  const payment = paymentOf(session, before.id);
  if (payment === null || !payment.needsReview || (doubt === null && before.needsReview)) return session;
  return withPayment(session, { ...payment, review: { doubt: doubt ?? noClearAnswer, dismissed: false } });
}

const noClearAnswer = 'no clear answer';
