/** How a session goes on after a restore (docs/decisions/0060): what its payments did after the backup is known to
 *  their providers alone.
 *  1. A refund of a payment that was paid before the restore, or whose money waited for its subscription, is called
 *     only after a look-up that shows no refund of it. Where the provider shows refunded money, a person decides.
 *  2. A payment that was looked up in a daily run is looked up again. */
import { raised, type Eras } from '../../src/runtime/model/actor.ts';
import type { Payment } from './attempt.ts';
import type { Looked } from './looked.ts';
import { isPaid } from './payment.ts';
import { isCallWaiting } from './refund.ts';
import { moved, refundsOf } from './refund-steps.ts';
import type { HiddenSession, SessionState } from './state.ts';
import { paymentOf, withPayment } from './steps.ts';

export const sessionRestored = (
  session: SessionState | HiddenSession,
  eras: Eras,
): SessionState | HiddenSession => ({
  ...raised(session, eras),
  payments: session.payments.map((payment) => paymentRestored(payment, eras)),
  refunds: session.refunds.map((refund) => raised(refund, eras)),
});

function paymentRestored(payment: Payment, eras: Eras): Payment {
  const { reconciledIn: _before, ...rest } = raised(payment, eras);
  const isTaken = isPaid(payment) || payment.claim !== undefined;
  return isTaken ? { ...rest, unchecked: true } : rest;
}

/** What a look-up says of the refunds that wait for it. */
export function withRefundsChecked(session: SessionState, looked: Looked): SessionState {
  const payment = paymentOf(session, looked.payment.id);
  if (payment?.unchecked !== true || !looked.decides) return session;
  const { is } = looked.finding;
  if (is !== 'paid' && is !== 'refunded') return session;
  const waiting = refundsOf(session, payment.id).filter(isCallWaiting);
  const trigger = is === 'paid' ? 'checked' : 'refundShown';
  const next = waiting.reduce((state: SessionState, one) => moved(state, one, trigger, null), session);
  // of refunded money nobody can tell whether it is what we know of: each later refund waits for a person, too
  if (is === 'refunded') return next;
  const { unchecked: _no, ...checked } = payment;
  return withPayment(next, checked);
}
