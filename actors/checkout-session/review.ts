/** Reviews: what is doubtful about a payment, and how a person resolves it.
 *  1. Nobody can mark a payment as paid: to accept is to look it up once more, and only an answer
 *     equal to ours makes it paid. Money of another amount: other-amount.ts.
 *  2. A dismissed doubt does not open a second review; another doubt does, and so does the same one after a
 *     definite answer. Money is accepted in any case. */
import type { Note, Turn, Verdict } from '../../src/runtime/model/actor.ts';
import { displayNpr } from '../../src/kernel/money.ts';
import type { MoneyEnding, Payment } from './attempt.ts';
import type { SessionCommands } from './commands.ts';
import type { CheckoutSession, SessionState } from './state.ts';
import { lookedUpAgain } from './legs.ts';
import { isPaid, paymentAfter } from './payment.ts';
import { isOpenTo, isTooLittle, moneyEnding } from './other-amount.ts';
import { endedBy, withAcceptance, withDismissal } from './review-record.ts';
import { transition } from './transition.ts';
import { paymentOf, withPayment } from './steps.ts';

type X = Turn<CheckoutSession>;
type EndReview = SessionCommands['endReview'];

export function endReview(session: SessionState, command: EndReview, x: X): Verdict {
  const payment = paymentOf(session, command.paymentId);
  if (payment === null) return x.refuse('not_found');
  if (!payment.needsReview) {
    return hasEnded(payment, command) ? x.ok() : x.refuse('invalid_state', { currentStatus: payment.status });
  }
  const isMoney = command.how === 'keep' || command.how === 'refund';
  if (isMoney && !isOpenTo(payment)) return x.refuse('invalid_state', { currentStatus: payment.status });
  if (command.how === 'keep' && isTooLittle(session.order, command.amount)) return x.refuse('review_changed');
  const notes = [noteOf(payment, command)];
  const person = { by: whoOf(command), reason: command.reason };
  if (command.how === 'dismiss') {
    const dismissed = withDismissal(paymentAfter(payment, 'dismissed', null), person, x.now);
    return transition(x, session, withPayment(session, dismissed), { cause: 'operator', notes });
  }
  const accepting = isMoney ? { ...person, money: moneyEnding(payment, command) } : person;
  return lookedUp(session, withAcceptance(payment, accepting), notes, x);
}

export function lookUpNow(
  session: SessionState,
  { paymentId, who }: SessionCommands['lookUpNow'],
  x: X,
): Verdict {
  const payment = paymentOf(session, paymentId);
  if (payment === null) return x.refuse('not_found');
  if (!payment.needsReview) return x.refuse('invalid_state', { currentStatus: payment.status });
  const summary = `${named(who)}: look up now`;
  const note: Note = { about: paymentId, kind: 'operator', summary, cause: 'look_up', detail: { by: who } };
  return lookedUp(session, payment, [note], x);
}

/** The payment is looked up at once, or as soon as the look-up under way has returned. */
function lookedUp(session: SessionState, payment: Payment, notes: readonly Note[], x: X): Verdict {
  const next = withPayment(session, lookedUpAgain(payment, 'operator'));
  const answer = { lookupCount: payment.legs[0].look.count + 1 };
  return transition(x, session, next, { cause: 'operator', notes, answer });
}

/** The request repeats what has already been done. */
function hasEnded(payment: Payment, command: EndReview): boolean {
  if (payment.review === undefined) return false;
  switch (command.how) {
    case 'accept':
      return isPaid(payment);
    case 'dismiss':
      return payment.review.dismissed;
    case 'keep':
    case 'refund':
      return isEndedWith(payment, command);
  }
}

/** The review has ended with this money, in this way. */
export const isEndedWith = (
  payment: Payment,
  { how, amount }: Pick<MoneyEnding, 'how' | 'amount'>,
): boolean => payment.reviewed?.ended?.how === endedBy[how] && payment.amountPaid === amount;

const noteOf = ({ id: about }: Payment, command: EndReview): Note => {
  const amount = 'amount' in command ? command.amount : null;
  const what = amount === null ? '' : ` of ${displayNpr(amount)}`;
  return {
    about,
    kind: 'operator',
    summary: `${named(whoOf(command))}: ${summaries[command.how]}${what}`,
    cause: command.how,
    detail: { reason: command.reason, by: whoOf(command), ...(amount === null ? {} : { amount }) },
  };
};

const theOperator = 'operator';
const whoOf = ({ who = theOperator }: EndReview): string => who;
const named = (who: string): string => (who === theOperator ? 'Operator' : who);

const summaries = {
  accept: 'accept as paid, if the provider confirms it',
  keep: 'keep what was paid, if the provider confirms payment',
  refund: 'refund what was paid, if the provider confirms payment',
  dismiss: 'review dismissed',
};

export const isDismissed = ({ review }: Payment, doubt: string | null): boolean =>
  review?.dismissed === true && review.doubt === doubt;

/** The session in which the payment carries the reason of its review. `before`: the payment before this
 *  answer. */
export function withDoubt(session: SessionState, before: Payment, doubt: string | null): SessionState {
  const payment = paymentOf(session, before.id);
  if (payment === null || !payment.needsReview || (doubt === null && before.needsReview)) return session;
  return withPayment(session, { ...payment, review: { doubt: doubt ?? noClearAnswer, dismissed: false } });
}

const noClearAnswer = 'no clear answer';
