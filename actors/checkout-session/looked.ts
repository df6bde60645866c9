/** An answer to a look-up, read: which leg of which payment it is about, what it finds, and what is doubtful in it.
 *  Boundary: pure. What it changes: look-up.ts. */
import type { Note } from '../../src/runtime/model/actor.ts';
import type { LookupAnswer } from '../../src/providers/answers.ts';
import type { Leg, LookupCause, Payment } from './attempt.ts';
import type { SessionCommands } from './commands.ts';
import { findingOf, type Finding } from './finding.ts';
import { legNamed, reopened, withLeg } from './legs.ts';
import { asDecided, type Taken } from './other-amount.ts';
import { amountOf, isPaid } from './payment.ts';
import { evidenceOf, type Evidence } from './refund-evidence.ts';
import { refundsOf } from './refund-steps.ts';
import type { SessionState } from './state.ts';
import { paymentOf } from './steps.ts';

export interface Looked extends Taken {
  /** As it was before the answer, but that this look-up is in flight no more. */
  readonly payment: Payment;
  /** The leg that was looked up, in `payment`. */
  readonly leg: Leg;
  readonly decides: boolean;
  readonly cause: LookupCause;
  readonly answer: LookupAnswer;
  /** What refunded money of a paid payment proves; null: nothing of the kind was found. */
  readonly evidence: Evidence | null;
  /** The provider of a successful payment does not have its money any more. */
  readonly isMissing: boolean;
  /** null when the answer is clear. */
  readonly doubt: string | null;
}

/** null: there is no such leg. */
export function lookedUp(
  session: SessionState,
  { paymentId, leg: name, cause, answer }: SessionCommands['lookupAnswered'],
): Looked | null {
  const asked = paymentOf(session, paymentId);
  const its = asked === null ? null : legNamed(asked, name ?? 'web');
  if (asked === null || its === null) return null;
  const leg: Leg = { ...reopened(its), look: { ...its.look, asked: null } };
  const payment = withLeg(asked, leg);
  const decides = payment.legs[0] === leg;
  // money of the other leg is money of its own, whatever a person has taken for the payment
  const amount = decides ? amountOf(payment, session.order) : session.order.amount;
  const taken = asDecided(payment, leg, findingOf(payment, leg, amount, answer), answer);
  const { finding } = taken;
  const evidence =
    decides && finding.is === 'refunded' && isPaid(payment)
      ? evidenceOf(payment, refundsOf(session, paymentId), amount, finding.shown)
      : null;
  const isMissing = decides && isGone(payment, finding, cause);
  const doubt = doubtIn(payment, finding, { decides, evidence, isMissing });
  return { payment, leg, decides, cause, answer, ...taken, evidence, isMissing, doubt };
}

/** Only the daily look-up doubts a paid payment that its provider no longer knows, or calls unpaid: at other times it
 *  may just be slow. */
const isGone = ({ status }: Payment, finding: Finding, cause: LookupCause): boolean =>
  cause === 'daily_lookup' &&
  status === 'success' &&
  (finding.is === 'providerExpired' || (finding.is === 'open' && (finding.active || finding.clear)));

/** The doubt in this answer about this payment; null when the answer is clear. A doubt about money we consider paid
 *  differs from a doubt about money that was never seen. That the other leg brings none contradicts nothing. */
function doubtIn(
  payment: Payment,
  { is, summary }: Finding,
  { decides, evidence, isMissing }: Pick<Looked, 'decides' | 'evidence' | 'isMissing'>,
): string | null {
  // refunded money of a paid payment is doubtful only when it was returned outside
  const isDoubt = is === 'disputed' || (is === 'refunded' && (evidence?.is ?? 'outside') === 'outside');
  const isNo = decides && payment.status === 'success' && (is === 'declined' || is === 'buyerCancelled');
  return isDoubt || isNo || isMissing ? `${isPaid(payment) ? 'paid before, now: ' : ''}${summary}` : null;
}

/** Lines of the timeline. */
export function notesOf({ payment, leg, finding: { is, summary }, cause, answer }: Looked): readonly Note[] {
  const { outcome, answered, amountPaisa, reference, httpStatus, raw, durationMs } = answer;
  const { id: about } = payment;
  // what the provider calls an attempt in its app is internal
  const named = leg.name === 'web' ? { reference } : { leg: leg.name };
  const detail = { outcome, answered, amountPaisa, ...named, httpStatus, raw };
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
