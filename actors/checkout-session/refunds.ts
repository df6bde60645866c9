/** The refunds of a session's payments: asked for, called, proven, completed, cancelled.
 *  1. The refunds of a payment that have not failed never exceed its amount: this actor is the only writer.
 *  2. A refund and its call are recorded in one commit; the runtime makes the call at most once.
 *  3. A second verified payment is a duplicate: its refund is opened in the commit that makes it one. */
import type { Note, Turn, Verdict } from '../../src/runtime/model/actor.ts';
import { sha256Base32 } from '../../src/kernel/hash.ts';
import { placedBeside } from '../../src/kernel/id.ts';
import type { Instant } from '../../src/kernel/time.ts';
import type { Payment } from './attempt.ts';
import type { SessionCommands, SessionEffects } from './commands.ts';
import { requested } from './lookup-scheduling.ts';
import { isPaid, paymentAfter } from './payment.ts';
import type { Evidence } from './refund-evidence.ts';
import { inPhase, isOverdue, nextRefundLookupAt, pastDue } from './refund-schedule.ts';
import {
  newRefund,
  refundable,
  refundAfter,
  refundsMax,
  type Refund,
  type RefundRequest,
  type RefundTriggers,
} from './refund.ts';
import { settle } from './settle.ts';
import type { CheckoutSession, SessionState } from './state.ts';
import { paymentOf, withPayment } from './steps.ts';

type X = Turn<CheckoutSession>;

/** The merchant asks for a refund. A repeat finds it made. */
export function refund(session: SessionState, command: SessionCommands['refund'], x: X): Verdict {
  const { paymentId, ...request } = command;
  const payment = paymentOf(session, paymentId);
  if (payment === null) return x.refuse('not_found');
  if (refundOf(session, request.id) !== null) return x.ok();
  if (!isPaid(payment)) return x.refuse('payment_not_refundable');
  const refunds = refundsOf(session, paymentId);
  const remaining = refundable(session.order.amount, refunds);
  if (request.amount > remaining) return x.refuse('amount_exceeds_refundable', { remaining });
  if (refunds.length >= refundsMax) return x.refuse('refund_limit_reached');
  return settle(x, session, withRefund(session, payment, request, x.now), { cause: 'refund' });
}

/** The provider has answered the call, or nobody knows whether it did. Handled once per refund. */
export function refundAnswered(
  session: SessionState,
  { refundId, answer }: SessionCommands['refundAnswered'],
  x: X,
): Verdict {
  const one = refundOf(session, refundId);
  if (one === null || one.call !== 'asked') return x.ok();
  const { outcome, providerRefundId, message, httpStatus, durationMs, raw } = answer;
  const note: Note = {
    about: one.paymentId,
    kind: 'provider_call',
    summary: callSummaries[outcome],
    cause: 'refund',
    durationMs,
    detail: { refundId, outcome, message, httpStatus, raw },
  };
  const next =
    outcome === 'done'
      ? moved(session, one, 'done', { providerRefundId })
      : outcome === 'refused'
        ? moved(session, one, 'refused', { message })
        : moved(session, one, 'unanswered', null);
  return settle(x, session, next, { cause: 'provider_refund', notes: [note] });
}

/** The result of a refund call whose outcome cannot be known. It is not repeated: look-ups decide. */
export const unansweredRefund = ({
  refundId,
}: Pick<SessionEffects['provider.refund'], 'refundId'>): SessionCommands['refundAnswered'] => ({
  refundId,
  answer: {
    outcome: 'unknown',
    providerRefundId: null,
    message: null,
    httpStatus: null,
    durationMs: 0,
    raw: null,
  },
});

const callSummaries = {
  done: 'Refund: the provider has refunded it',
  refused: 'Refund: the provider refused it',
  unknown: 'Refund: no clear answer; look-ups decide',
};

/** The merchant has refunded it in the provider's portal, or gives it up. */
export const endRefund =
  (how: 'complete' | 'cancel') =>
  (session: SessionState, command: SessionCommands['completeRefund'], x: X): Verdict => {
    const { refundId, notes } = command;
    const one = refundOf(session, refundId);
    if (one === null) return x.refuse('not_found');
    if (refundAfter(one, how, { notes }) === null)
      return x.refuse('invalid_state', { currentStatus: one.status });
    return settle(x, session, moved(session, one, how, { notes }), { cause: how });
  };

/** The schedule of this payment's refunds asks for a look-up. One that is already in flight serves it, too. */
export function refundLookupDue(
  session: SessionState,
  { key }: SessionCommands['refundLookupDue'],
  x: X,
): Verdict {
  const payment = paymentOf(session, key);
  const at = nextRefundLookupAt(session.refunds, key);
  if (payment === null || at === null || at > x.now) return x.ok();
  const refunds = session.refunds.map((one) => (one.paymentId === key ? pastDue(one, x.now) : one));
  const look = payment.look.asked === null ? requested(payment.look, 'refund', x.now) : payment.look;
  const next = withPayment({ ...session, refunds }, { ...payment, look });
  return settle(x, session, next, { cause: 'refund_lookup' });
}

/** A look-up shows refunded money at the provider. */
export function afterEvidence(session: SessionState, payment: Payment, evidence: Evidence): SessionState {
  const { shown } = evidence;
  const seen = withPayment(session, shown === null ? payment : { ...payment, refundShown: shown });
  if (evidence.is === 'proof')
    return evidence.refunds.reduce((next, one) => moved(next, one, 'proven', null), seen);
  const now = paymentOf(seen, payment.id);
  return evidence.is === 'outside' && now !== null
    ? withPayment(seen, paymentAfter(now, 'disputed', null))
    : seen;
}

/** A refund that no look-up has confirmed in 72 hours needs a person. */
export const withOverdueMarked = (session: SessionState, paymentId: string, now: Instant): SessionState =>
  refundsOf(session, paymentId)
    .filter((one) => one.status === 'processing' && isOverdue(one, now))
    .reduce((next, one) => moved(next, one, 'overdue', null), session);

/** The session in which every payment that has become a duplicate with this change is refunded in full. The
 *  id is derived, so the same duplicate never has two of these. */
export function withDuplicatesRefunded(
  before: SessionState | null,
  after: SessionState,
  sessionId: string,
  now: Instant,
): SessionState {
  const isNew = ({ id, status, duplicate }: Payment): boolean =>
    status === 'success' && duplicate && before?.payments.find((old) => old.id === id)?.status !== status;
  return after.payments.filter(isNew).reduce((next, payment) => {
    const id = placedBeside('ref', sessionId, sha256Base32([payment.id, 'duplicate'], 24));
    const { amount } = next.order;
    const request = { id, amount, reason: 'duplicate', notes: null, mobileNumber: null } as const;
    return refundOf(next, id) === null ? withRefund(next, payment, request, now) : next;
  }, after);
}

/** The session with every refund in the schedule its status asks for. */
export function withRefundLookupsScheduled<S extends SessionState>(session: S, now: Instant): S {
  if (session.refunds.length === 0) return session;
  return { ...session, refunds: session.refunds.map((one) => inPhase(one, now)) };
}

export const refundOf = (session: SessionState, id: string): Refund | null =>
  session.refunds.find((one) => one.id === id) ?? null;

export const refundsOf = (session: SessionState, paymentId: string): readonly Refund[] =>
  session.refunds.filter((one) => one.paymentId === paymentId);

function withRefund<S extends SessionState>(
  session: S,
  payment: Payment,
  request: RefundRequest,
  now: Instant,
): S {
  const earlier = refundsOf(session, payment.id).length;
  return { ...session, refunds: [...session.refunds, newRefund(payment, request, earlier, now)] };
}

/** One refund moved by a trigger, and with it the total of its payment. */
function moved<T extends keyof RefundTriggers>(
  session: SessionState,
  { id, paymentId }: Refund,
  trigger: T,
  data: RefundTriggers[T],
): SessionState {
  const old = refundOf(session, id);
  const next = old === null ? null : refundAfter(old, trigger, data);
  if (old === null || next === null || next === old) return session;
  const changed = { ...session, refunds: session.refunds.map((one) => (one.id === id ? next : one)) };
  const payment = paymentOf(session, paymentId);
  if (payment === null || next.status !== 'succeeded' || old.status === 'succeeded') return changed;
  const total = session.order.amount;
  return withPayment(changed, paymentAfter(payment, 'refundSucceeded', { amount: next.amount, total }));
}
