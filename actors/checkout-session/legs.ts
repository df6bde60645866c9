/** The two legs of one payment (docs/decisions/0030-one-payment-two-legs.md): paid in the provider's app, or on
 *  its web pages.
 *  1. One leg decides; the fields of the payment are its. The other leg is looked up too, and only its money
 *     counts.
 *  2. The leg whose money arrives first becomes the one that decides. Money of both is two payments: the second
 *     is a duplicate. */
import { sha256Base32 } from '../../src/kernel/hash.ts';
import { placedBeside } from '../../src/kernel/id.ts';
import type { Instant } from '../../src/kernel/time.ts';
import type { Leg, LookupCause, LookupState, OtherLeg, Payment } from './attempt.ts';
import { freshLook, newPayment, wantedAgain } from './payment.ts';
import type { Waiting } from './state.ts';

/** The leg that decides. */
export const legOf = ({ leg }: Pick<Payment, 'leg'>): Leg => leg ?? 'web';

/** The key of a leg's timers: two legs of one payment are looked up independently. */
export const lookupKey = (paymentId: string, leg: Leg): string =>
  leg === 'intent' ? `${paymentId}-i` : paymentId;

export const legOfKey = (key: string): { readonly paymentId: string; readonly leg: Leg } =>
  key.endsWith('-i') ? { paymentId: key.slice(0, -2), leg: 'intent' } : { paymentId: key, leg: 'web' };

/** The payment with its legs exchanged; the same when there is only one. */
export function exchanged(payment: Payment): Payment {
  const { other } = payment;
  return other === undefined ? payment : { ...withLeg(payment, other), other: legIn(payment) };
}

/** The payment as one of its legs shows it; null when it has no such leg. */
export function asLeg(payment: Payment, leg: Leg): Payment | null {
  if (legOf(payment) === leg) return payment;
  return payment.other?.leg === leg ? exchanged(payment) : null;
}

/** The payment after something happened to one of its legs, seen with `asLeg`. */
export const fromLeg = (seen: Payment, before: Payment): Payment =>
  legOf(seen) === legOf(before) ? seen : exchanged(seen);

/** The buyer has left the app: the payment goes on with its leg on the web, which starts now. */
export function onTheWeb(payment: Payment, now: Instant): Payment {
  const { leg: _leg, seen: _seen, differenceReported: _reported, ...rest } = payment;
  return {
    ...rest,
    webOnly: true,
    webStarts: (payment.webStarts ?? 0) + 1,
    start: 'asked',
    instructions: null,
    lookupReference: null,
    providerExpiresAt: null,
    returned: false,
    clear: false,
    other: legIn(payment),
    look: freshLook(now),
  };
}

/** The web did not start: the app, if the buyer may still pay there; otherwise null. */
export function backInTheApp(payment: Payment): Payment | null {
  const { other, webOnly: _webOnly, ...rest } = payment;
  return other === undefined || other.settled ? null : { ...withLeg(rest, other), start: 'answered' };
}

/** The other leg is paid too: it becomes a payment of its own, which the caller marks as paid. The id is
 *  derived, so the same leg never becomes two. */
export function separated(
  payment: Payment,
  sessionId: string,
  now: Instant,
): { readonly first: Payment; readonly second: Payment } {
  const { other, ...first } = payment;
  const id = placedBeside('pay', sessionId, sha256Base32([payment.id, 'second leg'], 16));
  const { provider, booking } = payment;
  const fresh = { ...newPayment(id, provider, now), start: 'answered' as const };
  if (other === undefined) return { first, second: fresh };
  const named = other.leg === 'intent' && booking !== undefined ? { booking } : {};
  return { first, second: withLeg({ ...fresh, ...named }, { ...other, instructions: null }) };
}

/** The other leg brings no money. */
export function withOtherSettled(payment: Payment): Payment {
  const { other } = payment;
  return other === undefined ? payment : { ...payment, other: { ...other, settled: true } };
}

/** Both legs are looked up once more, the other one only if it may still bring money. */
export function lookedUpAgain(payment: Payment, cause: LookupCause): Payment {
  const { look, other } = payment;
  const next = { ...payment, look: wantedAgain(look, cause) };
  if (other === undefined || other.settled || other.lookupReference === null) return next;
  return { ...next, other: { ...other, look: wantedAgain(other.look, cause) } };
}

/** Whether a look-up can say anything about it. */
export const canBeLookedUp = ({ lookupReference, other }: Payment): boolean =>
  lookupReference !== null || (other?.lookupReference ?? null) !== null;

/** Whether every leg has answered a look-up that was requested since the wait began. */
export function hasAnsweredSince({ lookupReference, look, other }: Payment, waiting: Waiting): boolean {
  if (other === undefined) return look.count > waiting.looks;
  const answered = (reference: string | null, { count, asked }: LookupState, looks: number): boolean =>
    reference === null || (count > looks && asked === null);
  return (
    answered(lookupReference, look, waiting.looks) &&
    (other.settled || answered(other.lookupReference, other.look, waiting.otherLooks ?? 0))
  );
}

function legIn(payment: Payment): OtherLeg {
  const { lookupReference, providerExpiresAt, instructions, clear, differenceReported, seen, look } = payment;
  return {
    leg: legOf(payment),
    lookupReference,
    providerExpiresAt,
    instructions,
    settled: false,
    ...(clear ? { clear: true as const } : {}),
    ...(differenceReported === undefined ? {} : { differenceReported }),
    ...(seen === undefined ? {} : { seen }),
    look,
  };
}

function withLeg(payment: Payment, { leg, settled: _settled, clear, ...its }: OtherLeg): Payment {
  const { leg: _leg, seen: _seen, differenceReported: _reported, ...rest } = payment;
  return { ...rest, ...its, clear: clear === true, ...(leg === 'intent' ? { leg } : {}) };
}
