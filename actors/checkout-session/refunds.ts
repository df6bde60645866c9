/** What a session does with refunds: requested, answered by the provider, completed, cancelled, looked up.
 *  1. The refunds of a payment that have not failed never exceed its amount: this actor is the only writer.
 *  2. A refund and its call are recorded in one commit; the runtime makes the call at most once. */
import type { Note, Turn, Verdict } from '../../src/runtime/model/actor.ts';
import type { SessionCommands, SessionEffects } from './commands.ts';
import { withDeciding } from './legs.ts';
import { requested } from './lookup-scheduling.ts';
import { amountOf, isPaid } from './payment.ts';
import { nextRefundLookupAt, pastDue } from './refund-schedule.ts';
import { moved, refundOf, refundsOf, withRefund } from './refund-steps.ts';
import { refundAfter, refundsMax } from './refund.ts';
import { refundable } from './refundable.ts';
import { transition } from './transition.ts';
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
  const remaining = refundable(amountOf(payment, session.order), refunds);
  if (request.amount > remaining) return x.refuse('amount_exceeds_refundable', { remaining });
  if (refunds.length >= refundsMax) return x.refuse('refund_limit_reached');
  return transition(x, session, withRefund(session, payment, request, x), { cause: 'refund' });
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
  return transition(x, session, next, { cause: 'provider_refund', notes: [note] });
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
    return transition(x, session, moved(session, one, how, { notes }), { cause: how });
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
  const [{ look }] = payment.legs;
  const looked = look.asked === null ? { look: requested(look, 'refund', x.now) } : {};
  const next = withPayment({ ...session, refunds }, withDeciding(payment, looked));
  return transition(x, session, next, { cause: 'refund_lookup' });
}
