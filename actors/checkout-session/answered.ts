/** What every answer to a look-up leads to, whichever leg of its payment it is about: notes in the timeline, the
 *  review of a payment that stays unclear, and the next step of a session that waited for it. */
import type { Note } from '../../src/runtime/model/actor.ts';
import type { Instant } from '../../src/kernel/time.ts';
import type { LookupAnswer } from '../../src/providers/answers.ts';
import type { LookupCause, Payment } from './attempt.ts';
import type { Finding } from './finding.ts';
import { asLeg, fromLeg, hasAnsweredSince, legOf } from './legs.ts';
import { failure, isPaid, paymentAfter, withSeen } from './payment.ts';
import { lastLateLookupRequested } from './poll-schedule.ts';
import type { InitiatedSession, SessionState } from './state.ts';
import { afterWait, paymentOf, withPayment } from './steps.ts';

export const runs = (session: SessionState, { id }: Payment): session is InitiatedSession =>
  session.status === 'initiated' && session.running === id;

/** A session that waited for this answer continues, unless the answer is older than the request. */
export function afterWaiting(session: SessionState, { id }: Payment, now: Instant): SessionState {
  const payment = paymentOf(session, id);
  if (payment === null || !runs(session, payment) || session.waiting === null) return session;
  const { waiting } = session;
  if (!hasAnsweredSince(payment, waiting)) return session;
  return afterWait(session, waiting, now);
}

export function notesOf(
  payment: Payment,
  { is, summary }: Finding,
  cause: LookupCause,
  answer: LookupAnswer,
): readonly Note[] {
  const { outcome, answered, amountPaisa, reference, httpStatus, raw, durationMs } = answer;
  const { id: about, leg } = payment;
  // what the provider calls an attempt in its app is internal
  const detail = {
    outcome,
    answered,
    amountPaisa,
    ...(leg === undefined ? { reference } : { leg }),
    httpStatus,
    raw,
  };
  const odd = answer.note === undefined ? '' : `; ${answer.note}`;
  const looked: Note = {
    about,
    kind: 'poll',
    summary: `Lookup: ${summary}${odd}`,
    cause,
    durationMs,
    detail,
  };
  if (is !== 'disputed' && (is !== 'refunded' || isPaid(payment))) return [looked];
  return [looked, { about, kind: 'refused', summary: `Not taken as paid: ${summary}`, cause }];
}

/** No result yet. `payment`: as the leg shows it that was looked up. */
export function afterOpenFinding(
  payment: Payment,
  { active, clear }: Extract<Finding, { is: 'open' }>,
): Payment {
  const updated = active ? withSeen(paymentAfter(payment, 'activity', null), { wasPending: true }) : payment;
  return clear && updated.look.phase === 'over' ? { ...updated, clear: true } : updated;
}

/** After the +24 h look-up of a leg, a payment of which the provider has given no definite outcome needs a person:
 *  also a paid one, whose other leg may have brought money too. `asked`: as that leg shows it. */
export function withUnclearMarked(session: SessionState, asked: Payment, cause: LookupCause): SessionState {
  const whole = paymentOf(session, asked.id);
  const payment = whole === null ? null : asLeg(whole, legOf(asked));
  if (whole === null || payment === null || isSettled(whole, asked)) return session;
  if (payment.clear || payment.needsReview || cause !== 'late') return session;
  if (!lastLateLookupRequested(payment.look, payment.provider)) return session;
  const why = isPaid(payment) ? null : failure('provider_timeout');
  return withPayment(session, fromLeg(paymentAfter(payment, 'disputed', why), whole));
}

const isSettled = ({ other }: Payment, asked: Payment): boolean =>
  other?.leg === legOf(asked) && other.settled;
