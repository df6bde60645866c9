/** The moves of refunds, as states: opened, moved by a trigger, proven, overdue, scheduled.
 *  1. A refund that succeeds is added to its payment's total in the same step.
 *  2. A second verified payment is a duplicate: its refund is opened in the commit that makes it one. */
import { sha256Base32 } from '../../src/kernel/hash.ts';
import { placedBeside } from '../../src/kernel/id.ts';
import type { Instant } from '../../src/kernel/time.ts';
import { ofEra, type ActorTypes, type Turn } from '../../src/runtime/model/actor.ts';
import type { Payment } from './attempt.ts';
import { lookedUpAgain } from './legs.ts';
import { amountOf, paymentAfter } from './payment.ts';
import type { Evidence } from './refund-evidence.ts';
import { inPhase, isOverdue } from './refund-schedule.ts';
import {
  isCallWaiting,
  newRefund,
  refundAfter,
  type Refund,
  type RefundRequest,
  type RefundTriggers,
} from './refund.ts';
import type { SessionState } from './state.ts';
import { paymentOf, withPayment } from './steps.ts';

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
  { id: sessionId, now, eras }: InTurn,
): SessionState {
  const isNew = ({ id, status, duplicate }: Payment): boolean =>
    status === 'success' && duplicate && paymentOf(before, id)?.status !== status;
  return after.payments.filter(isNew).reduce((next, payment) => {
    const id = placedBeside('ref', sessionId, sha256Base32(ofEra([payment.id, 'duplicate'], eras), 24));
    const amount = amountOf(payment, next.order);
    const request = { id, amount, reason: 'duplicate', notes: null, mobileNumber: null } as const;
    return refundOf(next, id) === null ? withRefund(next, payment, request, { now, eras }) : next;
  }, after);
}

/** The session with every refund in the schedule its status asks for. */
export function withRefundLookupsScheduled<S extends SessionState>(session: S, now: Instant): S {
  if (session.refunds.length === 0) return session;
  return { ...session, refunds: session.refunds.map((one) => inPhase(one, now)) };
}

/** null: there is none, or no session yet. */
export const refundOf = (session: SessionState | null, id: string): Refund | null =>
  session?.refunds.find((one) => one.id === id) ?? null;

export const refundsOf = (session: SessionState, paymentId: string): readonly Refund[] =>
  session.refunds.filter((one) => one.paymentId === paymentId);

type InTurn = Pick<Turn<ActorTypes>, 'id' | 'now' | 'eras'>;

/** After a restore its call waits for a look-up. */
export function withRefund(
  session: SessionState,
  payment: Payment,
  request: RefundRequest,
  x: Omit<InTurn, 'id'>,
): SessionState {
  const earlier = refundsOf(session, payment.id).length;
  const refund = newRefund(payment, request, earlier, x);
  const opened = { ...session, refunds: [...session.refunds, refund] };
  return isCallWaiting(refund) ? withPayment(opened, lookedUpAgain(payment, 'refund')) : opened;
}

/** One refund moved by a trigger, and with it the total of its payment. */
export function moved<T extends keyof RefundTriggers>(
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
  const total = amountOf(payment, session.order);
  return withPayment(changed, paymentAfter(payment, 'refundSucceeded', { amount: next.amount, total }));
}
