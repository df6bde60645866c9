/** What has a payment looked up: a hint that somebody sends, and the timer of its schedule.
 *  1. A hint only causes a look-up; only the result of a look-up moves money (look-up.ts). */
import type { Turn, Verdict } from '../../src/runtime/model/actor.ts';
import type { Leg, LookupCause, Payment, SignedAmount } from './attempt.ts';
import type { SessionCommands } from './commands.ts';
import { legNamed, legOfKey, reopened, wantedAgain, withLeg, withSeen } from './legs.ts';
import { requestedByTimer } from './lookup-scheduling.ts';
import { paymentAfter } from './payment.ts';
import { withScan } from './qr-log.ts';
import { transition } from './transition.ts';
import type { CheckoutSession, SessionState } from './state.ts';
import { paymentOf, runs, withPayment } from './steps.ts';

/** Per leg. Anybody can repeat a return; further ones are ignored, and polling finds the money. Only an amount
 *  that the provider has signed still counts: otherwise a buyer could keep it out by returning. */
export const hintsMax = 100;

type X = Turn<CheckoutSession>;
type Hint = SessionCommands['hint'];

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
  const [decides] = payment.legs;
  // a leg that was never begun has no look-ups: what is about it is about the payment
  const leg = legNamed(payment, command.leg ?? 'web') ?? decides;
  const signed = signedAmountOf(payment, leg, command);
  const { hints = 0 } = leg.look;
  if (hints >= hintsMax && (signed === null || signed.amountPaisa === leg.seen?.toldAmount)) return x.ok();
  const { from, says, verified, summary } = command;
  const cause = causes[from];
  const isRunning = runs(session, payment);
  const hinted: Payment = {
    ...(isRunning ? paymentAfter(payment, 'activity', null) : payment),
    ...(signed === null && isEarly(payment, command) ? { toldEarly: command.told } : {}),
    returned: payment.returned || (from === 'return' && leg === decides),
    ...(from === 'scan' && isRunning ? { scanned: true } : {}),
  };
  const unpaid = from === 'return' && (says === 'failed' || says === 'cancelled');
  const returned = unpaid ? withSeen(leg, { returnedUnpaid: true }) : leg;
  const seen = signed === null ? returned : withSeen(returned, { toldAmount: signed.amountPaisa });
  // there is no reference to look up for an attempt that was never opened
  const look = payment.start === 'failed' ? leg.look : wantedAgain(leg.look, cause);
  const scanned = from === 'scan' ? withScan(session, x) : session;
  const next = withPayment(
    scanned,
    withLeg(hinted, { ...reopened(seen), look: { ...look, hints: hints + 1 } }),
  );
  return transition(x, session, next, {
    cause,
    notes: [{ about: payment.id, kind: cause, summary, cause: from, detail: { from, says, verified } }],
  });
}

/** The amount that the provider has signed for this very attempt; null when it names none. */
function signedAmountOf({ booking }: Payment, { name }: Leg, { verified, told }: Hint): SignedAmount | null {
  const isIts = name === 'intent' && told?.reference === booking?.correlationId;
  return verified && isIts && told !== undefined ? told : null;
}

/** A callback may overtake the answer to the booking, which says whether it is about this attempt (start.ts). */
const isEarly = (
  { start, booking }: Payment,
  command: Hint,
): command is Hint & { readonly told: SignedAmount } =>
  command.verified && start === 'asked' && booking === undefined && command.told !== undefined;

export function pollDue(session: SessionState, { key }: SessionCommands['pollDue'], x: X): Verdict {
  const { paymentId, leg: name } = legOfKey(key);
  const payment = paymentOf(session, paymentId);
  const leg = payment === null ? null : legNamed(payment, name);
  if (payment === null || leg === null) return x.ok();
  if (leg.look.asked !== null || leg.lookupReference === null) return x.ok();
  const looked = { ...reopened(leg), look: requestedByTimer(leg.look, x.now) };
  return transition(x, session, withPayment(session, withLeg(payment, looked)), { cause: 'poll' });
}
