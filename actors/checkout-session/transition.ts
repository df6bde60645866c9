/** Turns a next state into a commit: what changed decides what follows. Only the rules listed here
 *  create a session's events, effects and timers, so that no transition can forget one. The one exception is
 *  the start call of a hidden session (direct-qr.ts).
 *  1. `sequence` grows by one exactly when the object's view changes. */
import type { Change, Turn } from '../../src/runtime/model/actor.ts';
import type { Instant } from '../../src/kernel/time.ts';
import { withLookupsScheduled } from './lookup-scheduling.ts';
import { withStreamEnd } from './qr-log.ts';
import { refundMarks } from './refund-view.ts';
import { refundOf, withDuplicatesRefunded, withRefundLookupsScheduled } from './refund-steps.ts';
import { providerCalls } from './rules/provider-calls.ts';
import { extraEvent, paymentEvents, sessionEvents, transitions } from './rules/events.ts';
import type { Also, Rule } from './rules/rule.ts';
import { refunds } from './rules/refunds.ts';
import { invoiceReports, linkReports, receipts } from './rules/tells.ts';
import { timers } from './rules/timers.ts';
import type { CheckoutSession, SessionState } from './state.ts';
import { paymentOf } from './steps.ts';
import { paymentMarks, sessionMarks } from './view.ts';

/** What follows from a change, in the order in which it is recorded and sent. */
const rules: readonly Rule[] = [
  transitions,
  paymentEvents,
  sessionEvents,
  refunds,
  receipts,
  linkReports,
  invoiceReports,
  extraEvent,
  providerCalls,
  timers,
];

/** The change from `before` (null at creation) to `next`, with everything that follows from it. */
export function transition(
  x: Turn<CheckoutSession>,
  before: SessionState | null,
  next: SessionState,
  also: Also,
): Change<CheckoutSession> {
  const streamed = withStreamEnd(before, next, x);
  const refunded = withDuplicatesRefunded(before, streamed, x);
  const arranged = withRefundLookupsScheduled(withLookupsScheduled(refunded, x.now), x.now);
  const after = withSequences(before, arranged, x.now);
  const { status, ...rest } = after;
  const step = x.become(status, rest);
  for (const rule of rules) rule(step, { x, before, after, also });
  return also.answer === undefined ? step : step.answer(also.answer);
}

/** An object whose view changed gets the next sequence number and the time. */
function withSequences(before: SessionState | null, next: SessionState, now: Instant): SessionState {
  if (before === null) return next;
  const payments = next.payments.map((payment) => {
    const old = paymentOf(before, payment.id);
    if (old === null || alike(paymentMarks(old), paymentMarks(payment))) return payment;
    return { ...payment, sequence: old.sequence + 1, updatedAt: now };
  });
  const refunds = next.refunds.map((refund) => {
    const old = refundOf(before, refund.id);
    if (old === null || alike(refundMarks(old), refundMarks(refund))) return refund;
    return { ...refund, sequence: old.sequence + 1, updatedAt: now };
  });
  if (alike(sessionMarks(before), sessionMarks(next))) return { ...next, payments, refunds };
  return { ...next, payments, refunds, sequence: before.sequence + 1, updatedAt: now };
}

const alike = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.every((value, i) => Object.is(value, b[i]));
