/** From the answer to one of our look-ups to money, for both legs of a payment.
 *  1. Only the result of a look-up moves money; a hint only causes one (hint.ts).
 *  2. A result closes only the running attempt; for a closed one only money and reviews count.
 *  3. Of a leg that does not decide, only its money counts, and doubts about it. That it brings none ends its
 *     look-ups, and nothing else. Its first money makes it the leg that decides; money after that is a payment of
 *     its own.
 *  4. Whatever arrives, in whatever status, the session's look-ups are scheduled again afterwards
 *     (lookup-scheduling.ts). */
import { sha256Base32 } from '../../src/kernel/hash.ts';
import { placedBeside } from '../../src/kernel/id.ts';
import { ofEra, type Turn, type Verdict } from '../../src/runtime/model/actor.ts';
import type { Payment } from './attempt.ts';
import { isClaimed, withClaim } from './claims.ts';
import type { SessionCommands, SessionEffects } from './commands.ts';
import type { Finding } from './finding.ts';
import { decidedBy, hasAnsweredSince, legNamed, withLeg, withSeen } from './legs.ts';
import { lookedUp, notesOf, type Looked } from './looked.ts';
import { differenceOf, withDifferenceKept } from './mismatch.ts';
import { otherAmountIn, withMoney } from './other-amount.ts';
import { failure, isPaid, newPayment, paymentAfter } from './payment.ts';
import { lastLateLookupRequested } from './poll-schedule.ts';
import { staysOpen } from './qr-log.ts';
import { afterEvidence, withOverdueMarked } from './refund-steps.ts';
import { withRefundsChecked } from './restored.ts';
import { isDismissed, withDoubt } from './review.ts';
import { withReviewRecorded } from './review-record.ts';
import { transition } from './transition.ts';
import type { CheckoutSession, SessionState } from './state.ts';
import { afterAttempt, afterWait, paymentOf, runs, withPayment, type AttemptEnd } from './steps.ts';

type X = Turn<CheckoutSession>;
type Answered = SessionCommands['lookupAnswered'];

type Step = (session: SessionState, looked: Looked, x: X) => SessionState;

/** What an answer does to a session, step by step: the only way to success is `find`, or `claim` and what the
 *  subscription answers. */
const ways = {
  /** Whatever is said meanwhile, the money is there. */
  waits: [close],
  /** Money of an invoice. */
  claimed: [close, claim],
  /** The doubt that a person has dismissed. */
  dismissed: [close, withRefundsChecked, goOn, markOverdue],
  found: [close, find, withRefundsChecked, goOn, markUnclear, markOverdue, doubt, record, withDifferenceKept],
} as const satisfies { readonly [way: string]: readonly Step[] };

export function lookupAnswered(session: SessionState, command: Answered, x: X): Verdict {
  const looked = lookedUp(session, command);
  if (looked === null) return x.ok();
  const way = wayOf(session, looked);
  const next = ways[way].reduce((state: SessionState, step: Step) => step(state, looked, x), session);
  const difference = way === 'found' ? differenceOf(looked, session, x.now) : null;
  return transition(x, session, next, {
    cause: looked.cause,
    notes: [...notesOf(looked), ...(difference === null ? [] : [difference.note])],
    extraEvent: difference === null ? null : difference.event,
  });
}

function wayOf(session: SessionState, looked: Looked): keyof typeof ways {
  const { payment, decides, finding, isRefunded } = looked;
  if (decides && payment.claim !== undefined) return 'waits';
  if (finding.is === 'paid' && isRefunded === undefined && isClaimed(session, payment)) return 'claimed';
  return isDismissed(payment, looked.doubt) ? 'dismissed' : 'found';
}

/** The look-up is in flight no more. */
function close(session: SessionState, { payment }: Looked): SessionState {
  return withPayment(session, payment);
}

/** The subscription of the invoice decides what the money pays. */
function claim(session: SessionState, { payment, leg, moneyAnswer }: Looked, { now }: X): SessionState {
  return withClaim(session, decidedBy(payment, leg), moneyAnswer, now);
}

/** What the provider says of the money. */
function find(session: SessionState, looked: Looked, x: X): SessionState {
  const { payment, evidence, isMissing } = looked;
  if (evidence !== null) return afterEvidence(session, payment, evidence);
  const found = afterFinding(session, looked, x);
  return isMissing ? withPayment(found, paymentAfter(payment, 'disputed', null)) : found;
}

/** A session that waited for this answer continues, unless the answer is older than the request. */
function goOn(session: SessionState, { payment: { id } }: Looked, { now }: X): SessionState {
  const payment = paymentOf(session, id);
  if (payment === null || !runs(session, payment) || session.waiting === null) return session;
  const { waiting } = session;
  return hasAnsweredSince(payment, waiting) ? afterWait(session, waiting, now) : session;
}

/** After the +24 h look-up of a leg, a payment of which the provider has given no definite outcome needs a person:
 *  also a paid one, whose other leg may have brought money too. */
function markUnclear(session: SessionState, looked: Looked): SessionState {
  const payment = paymentOf(session, looked.payment.id);
  const leg = payment === null ? null : legNamed(payment, looked.leg.name);
  if (payment === null || leg === null || leg.settled === true) return session;
  if (leg.clear || payment.needsReview || looked.cause !== 'late') return session;
  if (!lastLateLookupRequested(leg.look, payment.provider)) return session;
  const why = isPaid(payment) ? null : failure('provider_timeout');
  return withPayment(session, paymentAfter(payment, 'disputed', why));
}

/** The leg that decides says what became of the refunds. */
function markOverdue(session: SessionState, { payment, decides }: Looked, { now }: X): SessionState {
  return decides ? withOverdueMarked(session, payment.id, now) : session;
}

function doubt(session: SessionState, looked: Looked): SessionState {
  return withDoubt(session, looked.payment, looked.doubt);
}

function record(session: SessionState, looked: Looked, { now }: X): SessionState {
  const found = { ...looked, ...otherAmountIn(looked.finding) };
  return withReviewRecorded(session, looked.payment, found, now);
}

function afterFinding(session: SessionState, looked: Looked, x: X): SessionState {
  const { payment, leg, decides, finding } = looked;
  switch (finding.is) {
    case 'paid':
      return !decides && (isPaid(payment) || payment.claim !== undefined)
        ? paidTwice(session, looked, x)
        : withMoney(session, decidedBy(payment, leg), looked, x.now);
    case 'disputed':
      return withPayment(session, paymentAfter(payment, 'disputed', finding.failure));
    case 'refunded':
      return withPayment(session, paymentAfter(payment, 'disputed', null));
    case 'declined':
    case 'buyerCancelled':
    case 'providerExpired':
      return afterNegative(session, looked, finding, x);
    case 'open':
      return withPayment(session, afterOpen(looked, finding));
  }
}

/** Both legs have brought money: the second is a payment of its own, and a duplicate. Its id is derived, so the same
 *  leg never becomes two. */
function paidTwice(session: SessionState, looked: Looked, { id, now, eras }: X): SessionState {
  const { payment, leg, moneyAnswer: answer } = looked;
  const { provider, booking } = payment;
  const second: Payment = {
    ...newPayment(
      placedBeside('pay', id, sha256Base32(ofEra([payment.id, 'second leg'], eras), 16)),
      provider,
      now,
    ),
    ...(leg.name === 'intent' && booking !== undefined ? { booking } : {}),
    start: 'answered',
    legs: [{ ...leg, instructions: null }],
  };
  const duplicate = paymentAfter(second, 'paid', { answer, duplicate: true, now });
  const apart = withPayment(session, { ...payment, legs: [payment.legs[0]] });
  return { ...apart, payments: [...apart.payments, duplicate] };
}

type Negative = Extract<Finding, { is: 'declined' | 'buyerCancelled' | 'providerExpired' }>;

const ends = {
  declined: 'failed',
  buyerCancelled: 'cancelled',
  providerExpired: 'expired',
} as const satisfies { readonly [no in Negative['is']]: AttemptEnd };

/** The provider itself states that this leg will bring no money. */
function afterNegative(
  session: SessionState,
  { payment, leg, decides }: Looked,
  no: Negative,
  { now }: X,
): SessionState {
  if (!decides) return withPayment(session, withLeg(payment, { ...leg, settled: true }));
  if (staysOpen(session, payment)) {
    // the end of the attempt will tell why it was refused; a Direct-QR ends at its deadline as any other, whatever
    // was said before (docs/reference/session-states.md)
    const isShown = no.is === 'declined' && session.order.source !== 'direct_qr';
    return isShown ? withPayment(session, { ...payment, refusedFor: no.failure }) : session;
  }
  const closed =
    no.is === 'declined'
      ? paymentAfter(payment, no.is, no.failure)
      : paymentAfter<'buyerCancelled' | 'providerExpired'>(payment, no.is, null);
  const next = withPayment(session, closed);
  // the same answer about an older attempt does not move the session
  if (!runs(next, closed)) return next;
  // whose session at the provider has ended in its app starts again from the shop
  const again = no.is === 'providerExpired' && leg.name === 'intent' ? [] : (['hosted'] as const);
  return afterAttempt(next, ends[no.is], again, now);
}

/** No result yet. */
function afterOpen({ payment, leg }: Looked, { active, clear }: Extract<Finding, { is: 'open' }>): Payment {
  const seen = active ? withSeen(leg, { wasPending: true }) : leg;
  const isClear = clear && leg.look.phase === 'over';
  const open = active ? paymentAfter(payment, 'activity', null) : payment;
  return withLeg(open, isClear ? { ...seen, clear: true } : seen);
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
