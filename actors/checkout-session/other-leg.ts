/** The answer to a look-up of a payment's other leg: the one that the buyer has left, or that was not paid.
 *  1. Only its money counts, and doubts about it. That it brings none ends its look-ups, and nothing else.
 *  2. The first money makes it the leg that decides; money after that is a payment of its own. */
import type { Turn, Verdict } from '../../src/runtime/model/actor.ts';
import type { Instant } from '../../src/kernel/time.ts';
import type { LookupAnswer } from '../../src/providers/answers.ts';
import { afterOpenFinding, afterWaiting, notesOf, withUnclearMarked } from './answered.ts';
import type { Leg, Payment } from './attempt.ts';
import { isClaimed, withClaim } from './claims.ts';
import type { SessionCommands } from './commands.ts';
import { findingOf } from './finding.ts';
import { asLeg, exchanged, fromLeg, separated, withOtherSettled } from './legs.ts';
import { mismatchOf, noteOfDifference, withDifferenceNoted, type Looked } from './mismatch.ts';
import { asDecided, otherAmountIn, withMoney, type Taken } from './other-amount.ts';
import { isPaid, paymentAfter } from './payment.ts';
import { doubtIn, isDismissed, withDoubt } from './review.ts';
import { withReviewRecorded } from './review-record.ts';
import { settle } from './settle.ts';
import type { CheckoutSession, SessionState } from './state.ts';
import { withPayment } from './steps.ts';

export function otherLegAnswered(
  session: SessionState,
  whole: Payment,
  { cause, answer, leg: named }: SessionCommands['lookupAnswered'],
  x: Turn<CheckoutSession>,
): Verdict {
  const leg: Leg = named ?? 'web';
  const asked = asLeg(whole, leg);
  if (asked === null) return x.ok();
  const payment: Payment = { ...asked, look: { ...asked.look, asked: null } };
  const taken = asDecided(payment, leg, findingOf(payment, session.order.amount, answer), answer);
  const { finding } = taken;
  const looked = withPayment(session, fromLeg(payment, whole));
  const notes = notesOf(payment, finding, cause, answer);
  if (finding.is === 'paid' && taken.isRefunded === undefined && isClaimed(session, payment))
    return settle(x, session, withClaim(looked, payment, taken.brought, x.now), { cause, notes });
  // that it brings no money contradicts nothing: the money of a payment has come by its own leg
  const isDoubt = finding.is === 'disputed' || finding.is === 'refunded';
  const doubt = isDoubt ? doubtIn(payment, finding, null) : null;
  if (isDismissed(payment, doubt))
    return settle(x, session, afterWaiting(looked, payment, x.now), { cause, notes });
  const found = withUnclearMarked(afterFinding(looked, payment, taken, x), payment, cause);
  const known = { cause, answer, doubt, ...otherAmountIn(finding) };
  const reviewed = withReviewRecorded(withDoubt(found, payment, doubt), whole, known, x.now);
  const difference: Looked = { payment, finding, ...known, isOther: true };
  const next = afterWaiting(withDifferenceNoted(reviewed, difference), payment, x.now);
  return settle(x, session, next, {
    cause,
    notes: [...notes, ...noteOfDifference(difference)],
    extraEvent: mismatchOf(difference, session, x.now),
  });
}

/** `payment`: as this leg shows it. */
function afterFinding(
  session: SessionState,
  payment: Payment,
  taken: Taken,
  { id, now }: Turn<CheckoutSession>,
): SessionState {
  const { finding, brought } = taken;
  const back = (next: Payment): SessionState => withPayment(session, exchanged(next));
  switch (finding.is) {
    case 'paid':
      return isPaid(payment) || payment.claim !== undefined
        ? paidTwice(session, exchanged(payment), brought, id, now)
        : withMoney(session, payment, taken, now);
    case 'disputed':
      return back(paymentAfter(payment, 'disputed', finding.failure));
    case 'refunded':
      return back(paymentAfter(payment, 'disputed', null));
    case 'declined':
    case 'buyerCancelled':
    case 'providerExpired':
      return withPayment(session, withOtherSettled(exchanged(payment)));
    case 'open':
      return back(afterOpenFinding(payment, finding));
  }
}

/** Both legs have brought money: the second is a payment of its own, and a duplicate. */
function paidTwice(
  session: SessionState,
  payment: Payment,
  answer: LookupAnswer,
  sessionId: string,
  now: Instant,
): SessionState {
  const { first, second } = separated(payment, sessionId, now);
  const duplicate = paymentAfter(second, 'paid', { answer, duplicate: true, now });
  const apart = withPayment(session, first);
  return { ...apart, payments: [...apart.payments, duplicate] };
}
