/** What a session does for the books: one more look-up of a payment, and the fee that a statement names.
 *  1. Neither moves money: the answer of a look-up does, by the rules of every look-up. */
import { displayNpr } from '../../src/kernel/money.ts';
import type { Turn, Verdict } from '../../src/runtime/model/actor.ts';
import type { SessionCommands } from './commands.ts';
import { lookedUpAgain } from './legs.ts';
import { isPaid } from './payment.ts';
import { transition } from './transition.ts';
import type { CheckoutSession, SessionState } from './state.ts';
import { paymentOf, withPayment } from './steps.ts';

type X = Turn<CheckoutSession>;

/** Once for each run. A running attempt is looked up all the time. */
export function reconcile(
  session: SessionState,
  { paymentId, run }: SessionCommands['reconcile'],
  x: X,
): Verdict {
  const payment = paymentOf(session, paymentId);
  if (payment === null) return x.refuse('not_found');
  const runs = session.status === 'initiated' && session.running === paymentId;
  if (runs || payment.legs[0].lookupReference === null || (payment.reconciledIn ?? 0) >= run) return x.ok();
  const cause = 'daily_lookup';
  const next = withPayment(session, { ...lookedUpAgain(payment, cause), reconciledIn: run });
  return transition(x, session, next, { cause });
}

export function recordFee(
  session: SessionState,
  { paymentId, fee }: SessionCommands['recordFee'],
  x: X,
): Verdict {
  const payment = paymentOf(session, paymentId);
  if (payment === null) return x.refuse('not_found');
  if (!isPaid(payment) || payment.fee === fee) return x.ok();
  const summary = `Fee of ${displayNpr(fee)}, from a statement`;
  return transition(x, session, withPayment(session, { ...payment, fee }), {
    cause: 'statement',
    notes: [{ about: paymentId, kind: 'note', summary, cause: 'statement' }],
  });
}
