/** The moves a session can make, as states: begin an attempt, end, be paid, go back to the chooser.
 *  1. Amounts and orders never change; payments are only added or moved by payment.ts.
 *  2. Out of an end leads verified money alone. */
import { assert } from '../../src/kernel/assert.ts';
import type { Instant } from '../../src/kernel/time.ts';
import type { Payment } from './attempt.ts';
import type {
  InitiatedSession,
  LivingSession,
  PaidSession,
  Purchase,
  SessionState,
  UnpaidSession,
  Waiting,
} from './state.ts';
import type { LookupAnswer, Provider } from '../../src/providers/answers.ts';
import { newPayment, paymentAfter } from './payment.ts';

/** Attempts of one session. */
export const attemptsMax = 5;

export const paymentOf = (session: SessionState, id: string): Payment | null =>
  session.payments.find((payment) => payment.id === id) ?? null;

/** The attempt the buyer is making. */
export function runningOf(session: InitiatedSession): Payment {
  const running = paymentOf(session, session.running);
  assert(running !== null, 'an initiated session has its running payment');
  return running;
}

/** The same session with one payment in its new shape. */
export const withPayment = <S extends SessionState>(session: S, payment: Payment): S => ({
  ...session,
  payments: session.payments.map((old) => (old.id === payment.id ? payment : old)),
});

/** A new attempt runs. What ran before must be closed already. */
export const withAttempt = (
  session: LivingSession,
  { paymentId, provider }: { readonly paymentId: string; readonly provider: Provider },
  now: Instant,
): InitiatedSession => ({
  ...purchaseOf(session),
  status: 'initiated',
  provider,
  running: paymentId,
  waiting: null,
  payments: [...session.payments, newPayment(paymentId, provider, now)],
});

/** A wait for the next look-up of `running`, from now on. */
export const waitOf = ({ look }: Payment, now: Instant): Pick<Waiting, 'since' | 'looks'> => ({
  since: now,
  looks: look.count,
});

/** The running attempt makes room for another one (start). */
export const switched = (
  session: InitiatedSession,
  to: { readonly paymentId: string; readonly provider: Provider },
  now: Instant,
): InitiatedSession => withAttempt(withoutRunning(session), to, now);

/** Its running attempt is superseded; where the session goes from there the caller decides at once. */
const withoutRunning = (session: InitiatedSession): InitiatedSession =>
  withPayment(session, paymentAfter(runningOf(session), 'superseded', null));

/** The session is over without money; a running attempt is closed with it. */
export function ended(session: LivingSession, status: 'cancelled' | 'expired', now: Instant): UnpaidSession {
  const trigger = status === 'cancelled' ? 'sessionCancelled' : 'sessionExpired';
  const closed =
    session.status === 'initiated'
      ? withPayment(session, paymentAfter(runningOf(session), trigger, null))
      : session;
  return { ...purchaseOf(closed), status, endedAt: now };
}

/** What a failed running attempt leads to when the buyer cannot try again. */
export type AttemptEnd = 'failed' | 'cancelled' | 'expired';

/** The running attempt has just been closed by the provider's word: on to the planned one, back to the
 *  chooser, or to the end. */
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

/** The look-up that was waited for has brought no verdict: on to what waited for it. */
export function afterWait(session: InitiatedSession, waiting: Waiting, now: Instant): SessionState {
  switch (waiting.is) {
    case 'lastLook':
      return ended(session, 'expired', now);
    case 'attemptEnd': {
      const closed = withPayment(session, paymentAfter(runningOf(session), 'timeOver', null));
      return afterAttempt(closed, 'expired', ['hosted'], now);
    }
    case 'switch':
      return switched(session, waiting, now);
  }
}

/** Verified money has come for `payment`. The first such payment pays the session; any other is a duplicate,
 *  kept as what it is until it is sent back. */
export function paid(
  session: SessionState,
  payment: Payment,
  answer: LookupAnswer,
  now: Instant,
): SessionState {
  const duplicate = session.status === 'success' && session.paidBy !== payment.id;
  const settled = withPayment(session, paymentAfter(payment, 'paid', { answer, duplicate, now }));
  if (settled.status === 'success') return settled;
  return paidSession(settled, payment, now);
}

function paidSession(
  session: Exclude<SessionState, PaidSession>,
  payment: Payment,
  now: Instant,
): PaidSession {
  const over = 'endedAt' in session;
  const another = session.status === 'initiated' && session.running !== payment.id;
  const alone = another ? withoutRunning(session) : session;
  return {
    ...purchaseOf(alone),
    status: 'success',
    provider: payment.provider,
    paidBy: payment.id,
    late: over,
    endedAt: over ? session.endedAt : now,
  };
}

/** What every status keeps. */
const purchaseOf = (session: SessionState): Purchase => ({
  order: session.order,
  source: session.source,
  provider: session.provider,
  payments: session.payments,
  expiresAt: session.expiresAt,
  customerAddress: session.customerAddress,
  qrMessage: session.qrMessage,
  qrLog: session.qrLog,
  sequence: session.sequence,
  createdAt: session.createdAt,
  updatedAt: session.updatedAt,
});
