/** What the money of an invoice's session pays: its subscription decides, because another session, or the merchant,
 *  may have paid the invoice.
 *  1. Verified money is a claim first: the payment keeps its status, and the subscription is told in the same
 *     commit. Its answer makes the payment a success or a duplicate.
 *  2. A payment has one claim. While a session has one, no command and no timer ends it and no attempt starts: the
 *     answer is on its way. Only its last attempt may fail at the provider meanwhile, which ends it.
 *  3. Money is never dropped: a session that has ended claims late money, too. */
import type { Turn, Verdict } from '../../src/runtime/model/actor.ts';
import type { Instant } from '../../src/kernel/time.ts';
import type { MoneyAnswer, Claim, Payment } from './attempt.ts';
import type { SessionCommands } from './commands.ts';
import { withDeciding } from './legs.ts';
import { isPaid, paymentAfter } from './payment.ts';
import { withDoubt } from './review.ts';
import { withReviewRecorded } from './review-record.ts';
import { transition } from './transition.ts';
import type { CheckoutSession, LivingSession, SessionState } from './state.ts';
import { ended, hasClaim, paid, paymentOf, withPayment } from './steps.ts';

type X = Turn<CheckoutSession>;

/** A cell for a session without a claim; with one, `otherwise` applies. */
export const unlessClaimed =
  <S extends LivingSession, C>(
    handle: (session: S, command: C, x: X) => Verdict,
    otherwise: (session: S, command: C, x: X) => Verdict,
  ) =>
  (session: S, command: C, x: X): Verdict =>
    (hasClaim(session) ? otherwise : handle)(session, command, x);

/** Whether the subscription decides about verified money of this payment. Of a session that is paid it is a
 *  duplicate in any case. */
export const isClaimed = ({ order, status }: SessionState, payment: Payment): boolean =>
  order.subscriptionId !== undefined &&
  status !== 'success' &&
  !isPaid(payment) &&
  payment.claim === undefined;

/** The money of the leg that decides is there; what waited for the look-up waits for the answer. */
export function withClaim(
  session: SessionState,
  payment: Payment,
  { providerRef, traceId, fee, otherAmount }: MoneyAnswer,
  at: Instant,
): SessionState {
  const other = otherAmount === undefined ? {} : { otherAmount };
  const claim: Claim = { at, brought: { providerRef, traceId, fee, ...other } };
  const claiming = withPayment(session, withDeciding({ ...payment, claim }, { clear: true }));
  return claiming.status === 'initiated' ? { ...claiming, waiting: null } : claiming;
}

export function claimed(
  session: SessionState,
  { paymentId, duplicate }: SessionCommands['claimed'],
  x: X,
): Verdict {
  const asked = paymentOf(session, paymentId);
  if (asked?.claim === undefined) return x.ok();
  const next = duplicate
    ? paidInVain(session, asked, asked.claim, x.now)
    : paidFor(session, asked, asked.claim);
  return transition(x, session, withReviewOver(next, asked, x.now), { cause: 'invoice' });
}

/** Nobody knows what it pays: it is taken as paid, and a person looks at it. */
export function claimRefused(
  session: SessionState,
  { data }: SessionCommands['claimRefused'],
  x: X,
): Verdict {
  // `data` is that of our own tell
  const { paymentId } = data as { readonly paymentId: string };
  const asked = paymentOf(session, paymentId);
  if (asked?.claim === undefined) return x.ok();
  const taken = paidFor(session, asked, asked.claim);
  const payment = paymentOf(taken, paymentId);
  if (payment === null) return x.ok();
  const doubted = withPayment(taken, paymentAfter(payment, 'disputed', null));
  const known = { cause: 'invoice', answer: { amountPaisa: null }, doubt: noInvoice } as const;
  const reviewed = withReviewRecorded(withDoubt(doubted, payment, noInvoice), payment, known, x.now);
  const summary = `Under review: ${noInvoice}`;
  return transition(x, session, reviewed, {
    cause: 'invoice',
    notes: [{ about: paymentId, kind: 'note', summary, cause: 'invoice' }],
  });
}

const noInvoice = 'paid, but the subscription of its invoice is not known';

function paidFor(session: SessionState, asked: Payment, { at, brought }: Claim): SessionState {
  const payment = withoutClaim(asked);
  return paid(withPayment(session, payment), payment, brought, at);
}

/** The invoice was paid or voided before. A session that is still open has nothing left to be paid. */
function paidInVain(
  session: SessionState,
  asked: Payment,
  { at, brought }: Claim,
  now: Instant,
): SessionState {
  const data = { answer: brought, duplicate: true, now: at };
  const next = withPayment(session, paymentAfter(withoutClaim(asked), 'paid', data));
  return 'endedAt' in next ? next : ended(next, 'expired', now);
}

function withoutClaim({ claim: _answered, ...payment }: Payment): Payment {
  return payment;
}

/** A review that was open when the money was verified is over. */
const withReviewOver = (session: SessionState, asked: Payment, now: Instant): SessionState =>
  withReviewRecorded(session, asked, { cause: 'invoice', answer: { amountPaisa: null }, doubt: null }, now);
