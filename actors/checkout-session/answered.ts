/** What every answer to a look-up leads to, whichever leg of its payment it is about: notes in the timeline, and
 *  the next step of a session that waited for it. */
import type { Note } from '../../src/runtime/model/actor.ts';
import type { Instant } from '../../src/kernel/time.ts';
import type { LookupAnswer } from '../../src/providers/answers.ts';
import type { LookupCause, Payment } from './attempt.ts';
import type { Finding } from './finding.ts';
import { hasAnsweredSince } from './legs.ts';
import { isPaid } from './payment.ts';
import type { InitiatedSession, SessionState } from './state.ts';
import { afterWait, paymentOf } from './steps.ts';

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
  const looked: Note = { about, kind: 'poll', summary: `Lookup: ${summary}`, cause, durationMs, detail };
  if (is !== 'disputed' && (is !== 'refunded' || isPaid(payment))) return [looked];
  return [looked, { about, kind: 'refused', summary: `Not taken as paid: ${summary}`, cause }];
}
