/** What we learn about payments: hints, the poll timer, and the answers of our own look-ups.
 *  1. A hint only causes a look-up; only the result of a look-up moves money.
 *  2. A result closes only the running attempt; for a closed one only money and reviews count.
 *  3. Whatever arrives, in whatever status, the session's look-ups are scheduled again afterwards
 *     (lookup-scheduling.ts). */
import type { Note, Turn, Verdict } from '../../src/runtime/model/actor.ts';
import { iso, type Instant } from '../../src/kernel/time.ts';
import { findingOf, type Finding } from './finding.ts';
import { requestedByTimer } from './lookup-scheduling.ts';
import type { LookupCause, Payment } from './attempt.ts';
import type { SessionCommands, SessionEffects } from './commands.ts';
import type { CheckoutSession, InitiatedSession, SessionState } from './state.ts';
import type { LookupAnswer, Seen } from '../../src/providers/answers.ts';
import { failure, isPaid, paymentAfter } from './payment.ts';
import { lastLateLookupRequested } from './poll-schedule.ts';
import { staysOpen, withScan } from './qr-log.ts';
import { evidenceOf } from './refund-evidence.ts';
import { afterEvidence, refundsOf, withOverdueMarked } from './refund-steps.ts';
import { doubtIn, isDismissed, withDoubt } from './review.ts';
import { withReviewRecorded } from './review-record.ts';
import type { ExtraEvent } from './rules/rule.ts';
import { settle } from './settle.ts';
import { afterAttempt, afterWait, paid, paymentOf, withPayment, type AttemptEnd } from './steps.ts';

/** Per payment. Anybody can repeat a return; further ones are ignored, and polling finds the money. */
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
  const payment = paymentOf(session, command.paymentId);
  if (payment === null) return x.refuse('not_found');
  const { hints = 0 } = payment.look;
  if (hints >= hintsMax) return x.ok();
  const cause = causes[command.from];
  const runs = session.status === 'initiated' && session.running === payment.id;
  const unpaid = command.from === 'return' && (command.says === 'failed' || command.says === 'cancelled');
  const active = runs ? paymentAfter(payment, 'activity', null) : payment;
  const noted = unpaid ? withSeen(active, { returnedUnpaid: true }) : active;
  const scanned = command.from === 'scan' ? withScan(session, x.id, x.now) : session;
  const next = withPayment(scanned, {
    ...noted,
    returned: noted.returned || command.from === 'return',
    ...(command.from === 'scan' && runs ? { scanned: true } : {}),
    // there is no reference to look up for an attempt that was never opened
    look: { ...noted.look, hints: hints + 1, ...(payment.start === 'failed' ? {} : { again: cause }) },
  });
  const { summary, from, says, verified } = command;
  return settle(x, session, next, {
    cause,
    notes: [{ about: payment.id, kind: cause, summary, cause: from, detail: { from, says, verified } }],
  });
}

export function pollDue(session: SessionState, { key }: SessionCommands['pollDue'], x: X): Verdict {
  const payment = paymentOf(session, key);
  if (payment === null || payment.look.asked !== null || payment.lookupReference === null) return x.ok();
  return settle(
    x,
    session,
    withPayment(session, { ...payment, look: requestedByTimer(payment.look, x.now) }),
    {
      cause: 'poll',
    },
  );
}

/** The only way to success. */
export function lookupAnswered(session: SessionState, { paymentId, cause, answer }: Answered, x: X): Verdict {
  const asked = paymentOf(session, paymentId);
  if (asked === null) return x.ok();
  const payment: Payment = { ...asked, look: { ...asked.look, asked: null } };
  const { amount } = session.order;
  const finding = findingOf(payment, amount, answer);
  const evidence =
    finding.is === 'refunded' && isPaid(payment)
      ? evidenceOf(payment, refundsOf(session, paymentId), amount, finding.shown)
      : null;
  const looked = withPayment(session, payment);
  const notes = notesOf(payment, finding, cause, answer);
  const doubt = doubtIn(payment, finding, evidence);
  if (isDismissed(payment, doubt)) {
    const next = afterWaiting(looked, payment, x.now);
    return settle(x, session, withOverdueMarked(next, paymentId, x.now), { cause, notes });
  }
  const found =
    evidence === null
      ? afterFinding(looked, payment, finding, answer, x.now)
      : afterEvidence(looked, payment, evidence);
  const next = withUnclearMarked(afterWaiting(found, payment, x.now), payment, cause);
  const marked = withOverdueMarked(next, paymentId, x.now);
  const reviewed = withReviewRecorded(
    withDoubt(marked, payment, doubt),
    payment,
    { cause, answer, doubt },
    x.now,
  );
  return settle(x, session, reviewed, {
    cause,
    notes,
    extraEvent: contradicts(payment, finding, doubt) ? mismatch(payment, session, answer, x.now) : null,
  });
}

/** The result of a look-up whose outcome cannot be known: no readable answer. */
export const unansweredLookup = ({ paymentId, cause }: SessionEffects['provider.lookup']): Answered => ({
  paymentId,
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

function afterFinding(
  session: SessionState,
  payment: Payment,
  finding: Finding,
  answer: LookupAnswer,
  now: Instant,
): SessionState {
  switch (finding.is) {
    case 'paid':
      return paid(session, payment, answer, now);
    case 'disputed':
      return withPayment(session, paymentAfter(payment, 'disputed', finding.failure));
    case 'refunded':
      return withPayment(session, paymentAfter(payment, 'disputed', null));
    case 'declined':
    case 'buyerCancelled':
    case 'providerExpired':
      return staysOpen(session, payment) ? session : afterNegativeFinding(session, payment, finding, now);
    case 'open':
      return withPayment(session, afterOpenFinding(payment, finding));
  }
}

type NegativeFinding = Extract<Finding, { is: 'declined' | 'buyerCancelled' | 'providerExpired' }>;

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
  return runs(next, payment) ? afterAttempt(next, end, ['hosted'], now) : next;
}

function afterOpenFinding(payment: Payment, { active, clear }: Extract<Finding, { is: 'open' }>): Payment {
  const updated = active ? withSeen(paymentAfter(payment, 'activity', null), { wasPending: true }) : payment;
  return clear && updated.look.phase === 'over' ? { ...updated, clear: true } : updated;
}

const withSeen = (payment: Payment, more: Partial<Seen>): Payment => ({
  ...payment,
  seen: { returnedUnpaid: false, wasPending: false, ...payment.seen, ...more },
});

/** A session that waited for this answer continues, unless the answer is older than the request. */
function afterWaiting(session: SessionState, payment: Payment, now: Instant): SessionState {
  if (!runs(session, payment) || session.waiting === null) return session;
  const { waiting } = session;
  if (payment.look.count <= waiting.looks) return session;
  return afterWait(session, waiting, now);
}

/** After the +24 h look-up, a payment without a definite outcome from the provider needs a person. */
function withUnclearMarked(session: SessionState, { id }: Payment, cause: LookupCause): SessionState {
  const payment = paymentOf(session, id);
  if (payment === null || payment.clear || payment.needsReview || cause !== 'late') return session;
  if (!lastLateLookupRequested(payment.look, payment.provider)) return session;
  return withPayment(session, paymentAfter(payment, 'disputed', failure('provider_timeout')));
}

const runs = (session: SessionState, { id }: Payment): session is InitiatedSession =>
  session.status === 'initiated' && session.running === id;

/** Paid for us, refused by the provider or refunded outside: the merchant is notified when this is first
 *  seen. */
function contradicts(payment: Payment, finding: Finding, doubt: string | null): boolean {
  if (doubt === null || !isPaid(payment) || finding.is === 'disputed') return false;
  // each refund outside is another difference, whatever is under review already
  return finding.is === 'refunded' || !payment.needsReview;
}

const mismatch = (
  payment: Payment,
  { order }: SessionState,
  answer: LookupAnswer,
  now: Instant,
): ExtraEvent => ({
  type: 'reconciliation.mismatch',
  paymentId: payment.id,
  data: {
    paymentId: payment.id,
    provider: payment.provider,
    field: 'status',
    ours: payment.status,
    theirs: answer.outcome,
    amountOurs: order.amount,
    amountProvider: answer.amountPaisa,
    source: 'lookup',
    detectedAt: iso(now),
  },
});

function notesOf(
  payment: Payment,
  { is, summary }: Finding,
  cause: LookupCause,
  answer: LookupAnswer,
): readonly Note[] {
  const { outcome, answered, amountPaisa, reference, httpStatus, raw, durationMs } = answer;
  const { id: about } = payment;
  const detail = { outcome, answered, amountPaisa, reference, httpStatus, raw };
  const looked: Note = { about, kind: 'poll', summary: `Lookup: ${summary}`, cause, durationMs, detail };
  if (is !== 'disputed' && (is !== 'refunded' || isPaid(payment))) return [looked];
  return [looked, { about, kind: 'refused', summary: `Not taken as paid: ${summary}`, cause }];
}
