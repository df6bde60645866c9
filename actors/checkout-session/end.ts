/** How a session ends without a payment: cancel, expire, timeout, a wait that took too long.
 *  1. Merchant and buyer end it at once. A timeout gives a running attempt one last look-up, whether the
 *     session's time is up or the attempt's own.
 *  2. Ending arms the late look-ups of every attempt known to the provider. */
import type { Turn, Verdict } from '../../src/runtime/model/actor.ts';
import type { CheckoutSession, InitiatedSession, LivingSession } from './state.ts';
import { canBeLookedUp } from './legs.ts';
import { isPaid } from './payment.ts';
import { transition } from './transition.ts';
import { afterWait, ended, runningOf, waitOf } from './steps.ts';

type X = Turn<CheckoutSession>;

export const cancel = (session: LivingSession, _command: unknown, x: X): Verdict =>
  transition(x, session, ended(session, 'cancelled', x.now), { cause: 'cancel' });

const expiring =
  (cause: 'expire' | 'expires_at') =>
  (session: LivingSession, _command: unknown, x: X): Verdict =>
    transition(x, session, ended(session, 'expired', x.now), { cause });

/** By its merchant, or by the subscription whose invoice was settled in another way. */
export const expire = expiring('expire');
export const timeIsUp = expiring('expires_at');

/** The time is up: one last look-up of the running attempt, if the provider can be asked about it. */
export function expiryReached(session: InitiatedSession, command: unknown, x: X): Verdict {
  if (session.waiting?.is === 'lastLook') return x.ok();
  const running = runningOf(session);
  if (isPaid(running) || !canBeLookedUp(running)) return timeIsUp(session, command, x);
  const waiting = { is: 'lastLook', ...waitOf(running, x.now) } as const;
  return transition(x, session, { ...session, waiting }, { cause: 'expires_at' });
}

/** The QR code of a hosted session has expired: one last look-up, then back to the provider choice. */
export function attemptOver(session: InitiatedSession, { key }: { readonly key: string }, x: X): Verdict {
  if (session.running !== key || session.waiting !== null) return x.ok();
  const waiting = { is: 'attemptEnd', ...waitOf(runningOf(session), x.now) } as const;
  return transition(x, session, { ...session, waiting }, { cause: 'attempt_over' });
}

/** The awaited look-up timed out. Its later result is handled like any other. */
export function lookupTimedOut(session: InitiatedSession, _command: unknown, x: X): Verdict {
  const { waiting } = session;
  if (waiting === null) return x.ok();
  return transition(x, session, afterWait(session, waiting, x.now), { cause: causes[waiting.is] });
}

const causes = { lastLook: 'expires_at', attemptEnd: 'attempt_over', switch: 'start' };
