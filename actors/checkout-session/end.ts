/** How a session ends without money (decisions 9): cancel, expire, time up, a wait that took too long.
 *  1. Merchant and buyer end it at once; the clock grants a running attempt one last look-up.
 *  2. Ending arms the late look-ups of every attempt the provider knows. */
import type { Turn, Verdict } from '../../src/runtime/actor.ts';
import type { CheckoutSession, InitiatedSession, LivingSession } from './messages.ts';
import { paymentAfter } from './payment.ts';
import { settle } from './settle.ts';
import { afterAttempt, ended, runningOf, switched, waitOf, withPayment } from './steps.ts';

type X = Turn<CheckoutSession>;

export const cancel = (session: LivingSession, _command: unknown, x: X): Verdict =>
  settle(x, session, ended(session, 'cancelled', x.now), { cause: 'cancel' });

export const expire = (session: LivingSession, _command: unknown, x: X): Verdict =>
  settle(x, session, ended(session, 'expired', x.now), {
    cause: x.by === 'system' ? 'expires_at' : 'expire',
  });

/** The time is up: one last look-up of the running attempt, if there is anything to ask about. */
export function expiryReached(session: InitiatedSession, command: unknown, x: X): Verdict {
  if (session.waiting?.is === 'lastLook') return x.ok();
  const running = runningOf(session);
  if (running.lookupReference === null) return expire(session, command, x);
  const waiting = { is: 'lastLook', ...waitOf(running, x.now) } as const;
  return settle(x, session, { ...session, waiting }, { cause: 'expires_at' });
}

/** A code of a hosted session has had its time: back to the chooser. What was paid at the last moment is found by the
 *  look-ups of closed attempts. */
export function attemptOver(session: InitiatedSession, { key }: { readonly key: string }, x: X): Verdict {
  if (session.running !== key || session.waiting?.is === 'lastLook') return x.ok();
  const closed = withPayment(session, paymentAfter(runningOf(session), 'timeOver', null));
  return settle(x, session, afterAttempt(closed, 'expired', ['hosted'], x.now), { cause: 'attempt_over' });
}

/** The awaited look-up has had its time. What it brings later is heard like any other. */
export function lookOver(session: InitiatedSession, _command: unknown, x: X): Verdict {
  const { waiting } = session;
  if (waiting === null) return x.ok();
  return waiting.is === 'lastLook'
    ? settle(x, session, ended(session, 'expired', x.now), { cause: 'expires_at' })
    : settle(x, session, switched(session, waiting, x.now), { cause: 'start' });
}
