/** What we learn about payments: hints, the poll timer, and the answers of our own look-ups.
 *  1. A hint only causes a look-up; only the result of a look-up moves money.
 *  2. A result closes only the running attempt; for a closed one only money and reviews count.
 *  3. Whatever arrives, in whatever status, the session's look-ups are scheduled again afterwards
 *     (lookup-scheduling.ts). */
import type { Turn, Verdict } from '../../src/runtime/model/actor.ts';
import type { Instant } from '../../src/kernel/time.ts';
import { findingOf, type Finding } from './finding.ts';
import { requestedByTimer } from './lookup-scheduling.ts';
import type { LookupCause, Payment, Told } from './attempt.ts';
import { isClaimed, withClaim } from './claims.ts';
import type { SessionCommands, SessionEffects } from './commands.ts';
import type { CheckoutSession, SessionState } from './state.ts';
import { afterOpenFinding, afterWaiting, notesOf, runs, withUnclearMarked } from './answered.ts';
import { asLeg, fromLeg, legOf, legOfKey } from './legs.ts';
import { isMissing, mismatchOf, noteOfDifference, withDifferenceNoted, type Looked } from './mismatch.ts';
import { otherLegAnswered } from './other-leg.ts';
import { asDecided, otherAmountIn, withMoney, type Taken } from './other-amount.ts';
import { amountOf, isPaid, paymentAfter, wantedAgain, withSeen } from './payment.ts';
import { staysOpen, withScan } from './qr-log.ts';
import { evidenceOf } from './refund-evidence.ts';
import { afterEvidence, refundsOf, withOverdueMarked } from './refund-steps.ts';
import { doubtIn, isDismissed, withDoubt } from './review.ts';
import { withReviewRecorded } from './review-record.ts';
import { settle } from './settle.ts';
import { afterAttempt, paymentOf, withPayment, type AttemptEnd } from './steps.ts';

/** Per payment. Anybody can repeat a return; further ones are ignored, and polling finds the money. Only an amount
 *  that the provider has signed still counts: otherwise a buyer could keep it out by returning. */
export const hintsMax = 100;

type X = Turn<CheckoutSession>;
type Hint = SessionCommands['hint'];
type Answered = SessionCommands['lookupAnswered'];

/** The source of the hint: a buyer who came back, a server that called us, or a socket we listen to. */
const causes = {
  return: 'buyer_return',
  callback: 'provider_callback',
  socket: 'provider_socket',
  scan: 'provider_socket',
} as const satisfies Record<Hint['from'], LookupCause>;

export function hint(session: SessionState, command: Hint, x: X): Verdict {
  const whole = paymentOf(session, command.paymentId);
  if (whole === null) return x.refuse('not_found');
  // a leg that was never begun has no look-ups: what is about it is about the payment
  const payment = asLeg(whole, command.leg ?? 'web') ?? whole;
  const { hints = 0 } = payment.look;
  if (hints >= hintsMax && !isNewlyTold(payment, command)) return x.ok();
  const cause = causes[command.from];
  const runs = session.status === 'initiated' && session.running === payment.id;
  const unpaid = command.from === 'return' && (command.says === 'failed' || command.says === 'cancelled');
  const active = runs ? paymentAfter(payment, 'activity', null) : payment;
  const returned = unpaid ? withSeen(active, { returnedUnpaid: true }) : active;
  const noted = withTold(returned, command);
  const scanned = command.from === 'scan' ? withScan(session, x.id, x.now) : session;
  const hinted: Payment = {
    ...noted,
    returned: noted.returned || (command.from === 'return' && legOf(payment) === legOf(whole)),
    ...(command.from === 'scan' && runs ? { scanned: true } : {}),
    // there is no reference to look up for an attempt that was never opened
    look: { ...(payment.start === 'failed' ? noted.look : wantedAgain(noted.look, cause)), hints: hints + 1 },
  };
  const next = withPayment(scanned, fromLeg(hinted, whole));
  const { summary, from, says, verified } = command;
  return settle(x, session, next, {
    cause,
    notes: [{ about: payment.id, kind: cause, summary, cause: from, detail: { from, says, verified } }],
  });
}

/** The amount that the provider has signed for this very attempt; the same payment when it names none. A callback may
 *  overtake the answer to the booking, which says whether it is about this attempt (start.ts). */
function withTold(payment: Payment, command: Hint): Payment {
  const told = toldOf(payment, command);
  if (told !== null) return withSeen(payment, { toldAmount: told.amountPaisa });
  const isEarly = command.verified && payment.start === 'asked' && payment.booking === undefined;
  return isEarly && command.told !== undefined ? { ...payment, toldEarly: command.told } : payment;
}

function toldOf({ leg, booking }: Payment, { verified, told }: Hint): Told | null {
  const isIts = leg === 'intent' && told?.reference === booking?.correlationId;
  return verified && isIts && told !== undefined ? told : null;
}

function isNewlyTold(payment: Payment, command: Hint): boolean {
  const told = toldOf(payment, command);
  return told !== null && payment.seen?.toldAmount !== told.amountPaisa;
}

export function pollDue(session: SessionState, { key }: SessionCommands['pollDue'], x: X): Verdict {
  const { paymentId, leg } = legOfKey(key);
  const whole = paymentOf(session, paymentId);
  const payment = whole === null ? null : asLeg(whole, leg);
  if (whole === null || payment === null) return x.ok();
  if (payment.look.asked !== null || payment.lookupReference === null) return x.ok();
  const looked = { ...payment, look: requestedByTimer(payment.look, x.now) };
  return settle(x, session, withPayment(session, fromLeg(looked, whole)), { cause: 'poll' });
}

/** The only way to success. */
export function lookupAnswered(session: SessionState, command: Answered, x: X): Verdict {
  const { paymentId, cause, answer, leg = 'web' } = command;
  const asked = paymentOf(session, paymentId);
  if (asked === null) return x.ok();
  if (legOf(asked) !== leg) return otherLegAnswered(session, asked, command, x);
  const payment: Payment = { ...asked, look: { ...asked.look, asked: null } };
  const amount = amountOf(payment, session.order);
  const taken = asDecided(payment, leg, findingOf(payment, amount, answer), answer);
  const { finding } = taken;
  const evidence =
    finding.is === 'refunded' && isPaid(payment)
      ? evidenceOf(payment, refundsOf(session, paymentId), amount, finding.shown)
      : null;
  const looked = withPayment(session, payment);
  const notes = notesOf(payment, finding, cause, answer);
  // whatever is said meanwhile, the money is there
  if (payment.claim !== undefined) return settle(x, session, looked, { cause, notes });
  if (finding.is === 'paid' && taken.isRefunded === undefined && isClaimed(session, payment))
    return settle(x, session, withClaim(looked, payment, taken.brought, x.now), { cause, notes });
  const doubt = doubtIn(payment, finding, evidence, isMissing(payment, finding, cause));
  if (isDismissed(payment, doubt)) {
    const next = afterWaiting(looked, payment, x.now);
    return settle(x, session, withOverdueMarked(next, paymentId, x.now), { cause, notes });
  }
  const found =
    evidence === null
      ? afterFinding(looked, payment, taken, x.now)
      : afterEvidence(looked, payment, evidence);
  const doubted = isMissing(payment, finding, cause)
    ? withPayment(found, paymentAfter(payment, 'disputed', null))
    : found;
  const next = withUnclearMarked(afterWaiting(doubted, payment, x.now), payment, cause);
  const marked = withOverdueMarked(next, paymentId, x.now);
  const known = { cause, answer, doubt, ...otherAmountIn(finding) };
  const reviewed = withReviewRecorded(withDoubt(marked, payment, doubt), payment, known, x.now);
  const difference: Looked = { payment, finding, ...known };
  return settle(x, session, withDifferenceNoted(reviewed, difference), {
    cause,
    notes: [...notes, ...noteOfDifference(difference)],
    extraEvent: mismatchOf(difference, session, x.now),
  });
}

/** The result of a look-up whose outcome cannot be known: no readable answer. */
export const unansweredLookup = ({ paymentId, leg, cause }: SessionEffects['provider.lookup']): Answered => ({
  paymentId,
  ...(leg === undefined ? {} : { leg }),
  cause,
  answer: {
    outcome: 'pending',
    answered: false,
    amountPaisa: null,
    reference: null,
    providerRef: null,
    traceId: null,
    failureCode: null,
    fee: null,
    httpStatus: null,
    durationMs: 0,
    raw: null,
  },
});

function afterFinding(session: SessionState, payment: Payment, taken: Taken, now: Instant): SessionState {
  const { finding } = taken;
  switch (finding.is) {
    case 'paid':
      return withMoney(session, payment, taken, now);
    case 'disputed':
      return withPayment(session, paymentAfter(payment, 'disputed', finding.failure));
    case 'refunded':
      return withPayment(session, paymentAfter(payment, 'disputed', null));
    case 'declined':
    case 'buyerCancelled':
    case 'providerExpired':
      return staysOpen(session, payment)
        ? withRefusal(session, payment, finding)
        : afterNegativeFinding(session, payment, finding, now);
    case 'open':
      return withPayment(session, afterOpenFinding(payment, finding));
  }
}

type NegativeFinding = Extract<Finding, { is: 'declined' | 'buyerCancelled' | 'providerExpired' }>;

/** The attempt goes on, and its end will tell why it was refused. A Direct-QR ends at its deadline as any other,
 *  whatever was said before (docs/reference/session-states.md). */
const withRefusal = (session: SessionState, payment: Payment, finding: NegativeFinding): SessionState =>
  finding.is === 'declined' && session.order.source !== 'direct_qr'
    ? withPayment(session, { ...payment, refusedFor: finding.failure })
    : session;

/** The provider itself states that this attempt will bring no money. */
function afterNegativeFinding(
  session: SessionState,
  payment: Payment,
  finding: NegativeFinding,
  now: Instant,
): SessionState {
  switch (finding.is) {
    case 'declined':
      return afterEnd(session, paymentAfter(payment, 'declined', finding.failure), 'failed', now);
    case 'buyerCancelled':
      return afterEnd(session, paymentAfter(payment, 'buyerCancelled', null), 'cancelled', now);
    case 'providerExpired':
      return afterEnd(session, paymentAfter(payment, 'providerExpired', null), 'expired', now);
  }
}

/** Only the end of the running attempt moves the session; the same answer for an older attempt changes
 *  nothing. */
function afterEnd(session: SessionState, payment: Payment, end: AttemptEnd, now: Instant): SessionState {
  const next = withPayment(session, payment);
  // whose session at the provider has ended in its app starts again from the shop
  const again = end === 'expired' && payment.leg === 'intent' ? [] : (['hosted'] as const);
  return runs(next, payment) ? afterAttempt(next, end, again, now) : next;
}
