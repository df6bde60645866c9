/** The moves of a session, as states: start an attempt, end, be paid, return to the provider choice.
 *  1. Amounts and orders never change; payments are only added, or changed by payment.ts.
 *  2. Only verified money changes the status of an ended session. */
import { assert } from '../../src/kernel/assert.ts';
import type { Instant } from '../../src/kernel/time.ts';
import type { MoneyAnswer, Payment } from './attempt.ts';
import type {
  InitiatedSession,
  LivingSession,
  PaidSession,
  Purchase,
  SessionState,
  UnpaidSession,
  Waiting,
} from './state.ts';
import type { Provider } from '../../src/providers/answers.ts';
import { isPaid, newPayment, paymentAfter } from './payment.ts';

/** The maximum number of attempts of one session. */
export const attemptsMax = 5;

/** null: there is none, or no session yet. */
export const paymentOf = (session: SessionState | null, id: string): Payment | null =>
  session?.payments.find((payment) => payment.id === id) ?? null;

/** Whether this attempt is the running one. */
export const runs = (session: SessionState, { id }: Pick<Payment, 'id'>): session is InitiatedSession =>
  session.status === 'initiated' && session.running === id;

/** The running attempt. */
export function runningOf(session: InitiatedSession): Payment {
  const running = paymentOf(session, session.running);
  assert(running !== null, 'an initiated session has its running payment');
  return running;
}

/** Its subscription is asked what verified money pays. */
export const hasClaim = ({ payments }: SessionState): boolean =>
  payments.some(({ claim }) => claim !== undefined);

/** The same session with one payment in its new shape. */
export const withPayment = <S extends SessionState>(session: S, payment: Payment): S => ({
  ...session,
  payments: session.payments.map((old) => (old.id === payment.id ? payment : old)),
});

export interface NewAttempt {
  readonly paymentId: string;
  readonly provider: Provider;
  /** Not in the provider's app. */
  readonly webOnly?: true;
}

/** A new attempt runs. The previous one must already be closed. */
export const withAttempt = (
  session: LivingSession,
  { paymentId, provider, webOnly }: NewAttempt,
  now: Instant,
): InitiatedSession =>
  Object.assign(purchaseOf(session), {
    status: 'initiated' as const,
    provider,
    running: paymentId,
    waiting: null,
    payments: [
      ...session.payments,
      Object.assign(newPayment(paymentId, provider, now), webOnly === true ? { webOnly } : {}),
    ],
  });

/** Starts waiting for the next look-up of `running`. */
export const waitOf = (
  { legs: [decides, other] }: Payment,
  now: Instant,
): Pick<Waiting, 'since' | 'looks' | 'otherLooks'> => ({
  since: now,
  looks: decides.look.count,
  ...(other === undefined ? {} : { otherLooks: other.look.count }),
});

/** The running attempt is closed in favour of another one (start). */
export const switched = (session: InitiatedSession, to: NewAttempt, now: Instant): InitiatedSession =>
  withAttempt(withoutRunning(session), to, now);

/** Its running attempt is superseded; the caller decides the session's next state at once. */
const withoutRunning = (session: InitiatedSession): InitiatedSession =>
  withPayment(session, paymentAfter(runningOf(session), 'superseded', null));

/** The session ends without a payment; a running attempt is closed with it. */
export function ended(session: LivingSession, status: 'cancelled' | 'expired', now: Instant): UnpaidSession {
  const trigger = status === 'cancelled' ? 'sessionCancelled' : 'sessionExpired';
  const closed =
    session.status === 'initiated'
      ? withPayment(session, paymentAfter(runningOf(session), trigger, null))
      : session;
  return { ...purchaseOf(closed), status, endedAt: now };
}

/** The result of a failed running attempt when the buyer cannot try again. */
export type AttemptEnd = 'failed' | 'cancelled' | 'expired';

/** The provider has just closed the running attempt: go on to the planned one, back to the provider choice,
 *  or to the end. */
export function afterAttempt(
  session: InitiatedSession,
  end: AttemptEnd,
  flowsThatTryAgain: readonly Purchase['order']['flow'][],
  now: Instant,
): SessionState {
  const { waiting, order, payments } = session;
  if (waiting?.is === 'switch') return withAttempt(session, waiting, now);
  if (waiting?.is === 'lastLook') return { ...purchaseOf(session), status: 'expired', endedAt: now };
  if (payments.length < attemptsMax && flowsThatTryAgain.includes(order.flow)) {
    const provider = order.flow === 'redirect' ? order.preselected : null;
    return { ...purchaseOf(session), status: 'pending', provider };
  }
  return { ...purchaseOf(session), status: end, endedAt: now };
}

/** The awaited look-up gave no result: continue with what waited for it. */
export function afterWait(session: InitiatedSession, waiting: Waiting, now: Instant): SessionState {
  switch (waiting.is) {
    case 'lastLook':
      return ended(session, 'expired', now);
    case 'attemptEnd': {
      const running = runningOf(session);
      const { refusedFor } = running;
      if (refusedFor !== undefined && !isPaid(running)) {
        const failed = withPayment(session, paymentAfter(running, 'declined', refusedFor));
        return afterAttempt(failed, 'failed', ['hosted'], now);
      }
      const closed = withPayment(session, paymentAfter(running, 'attemptTimedOut', null));
      return afterAttempt(closed, 'expired', ['hosted'], now);
    }
    case 'switch':
      return switched(session, waiting, now);
  }
}

/** Verified money has arrived for `payment`. The first such payment pays the session; any other is a
 *  duplicate, kept as such until it is refunded. */
export function paid(
  session: SessionState,
  payment: Payment,
  answer: MoneyAnswer,
  now: Instant,
): SessionState {
  const duplicate = session.status === 'success' && session.paidBy !== payment.id;
  const after = withPayment(session, paymentAfter(payment, 'paid', { answer, duplicate, now }));
  // a duplicate pays no session, however often it is looked up
  if (after.status === 'success' || isPaid(payment)) return after;
  return paidSession(after, payment, now);
}

function paidSession(
  session: Exclude<SessionState, PaidSession>,
  payment: Payment,
  now: Instant,
): PaidSession {
  const over = 'endedAt' in session;
  const another = session.status === 'initiated' && session.running !== payment.id;
  const alone = another ? withoutRunning(session) : session;
  return Object.assign(purchaseOf(alone), {
    status: 'success' as const,
    provider: payment.provider,
    paidBy: payment.id,
    late: over,
    endedAt: over ? session.endedAt : now,
  });
}

/** What every status keeps: a new object, to which a status may add its own. A spread of it that adds fields costs
 *  ten times as much. */
const purchaseOf = (session: SessionState): Purchase => ({
  order: session.order,
  source: session.source,
  provider: session.provider,
  payments: session.payments,
  refunds: session.refunds,
  expiresAt: session.expiresAt,
  customerAddress: session.customerAddress,
  ...(session.language === undefined ? {} : { language: session.language }),
  ...(session.keyed === undefined ? {} : { keyed: session.keyed }),
  qrMessage: session.qrMessage,
  qrLog: session.qrLog,
  sequence: session.sequence,
  createdAt: session.createdAt,
  updatedAt: session.updatedAt,
});
