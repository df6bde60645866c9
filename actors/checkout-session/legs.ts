/** The two legs of one payment (docs/decisions/0030-one-payment-two-legs.md): paid in the provider's app, or on
 *  its web pages.
 *  1. The first leg decides. The other one is looked up too, and only its money counts.
 *  2. The leg whose money arrives first becomes the one that decides. Money of both is two payments: the second
 *     is a duplicate (look-up.ts). */
import type { Instant } from '../../src/kernel/time.ts';
import type { Seen } from '../../src/providers/answers.ts';
import type { Leg, LegName, LookupCause, LookupState, Payment } from './attempt.ts';
import type { Waiting } from './state.ts';

/** The key of a leg's timers: two legs of one payment are looked up independently. */
export const lookupKey = (paymentId: string, leg: LegName): string =>
  leg === 'intent' ? `${paymentId}-i` : paymentId;

export const legOfKey = (key: string): { readonly paymentId: string; readonly leg: LegName } =>
  key.endsWith('-i') ? { paymentId: key.slice(0, -2), leg: 'intent' } : { paymentId: key, leg: 'web' };

/** A leg whose start is asked for. */
export const newLeg = (name: LegName, now: Instant): Leg => ({
  name,
  instructions: null,
  lookupReference: null,
  providerExpiresAt: null,
  clear: false,
  look: {
    asked: null,
    askedAt: null,
    count: 0,
    again: null,
    dueAt: null,
    phase: 'running',
    since: now,
    step: 0,
  },
});

export const legNamed = ({ legs }: Payment, name: LegName): Leg | null =>
  legs.find((leg) => leg.name === name) ?? null;

/** Each leg as `change` makes it; the same payment when that changes none. */
export function withLegs(payment: Payment, change: (leg: Leg, isOther: boolean) => Leg): Payment {
  const [first, ...others] = payment.legs;
  const legs = [change(first, false), ...others.map((leg) => change(leg, true))] as const;
  return legs.every((leg, at) => leg === payment.legs[at]) ? payment : { ...payment, legs };
}

/** `leg` in place of the one with its name. */
export const withLeg = (payment: Payment, leg: Leg): Payment =>
  withLegs(payment, (old) => (old.name === leg.name ? leg : old));

/** Changes of the leg that decides. */
export const withDeciding = (payment: Payment, change: Partial<Leg>): Payment =>
  withLegs(payment, (leg, isOther) => (isOther ? leg : { ...leg, ...change }));

/** The leg of this name decides. */
export const decidedBy = (payment: Payment, { name }: Leg): Payment => {
  const [first, other] = payment.legs;
  return other?.name === name ? { ...payment, legs: [other, first] } : payment;
};

/** Something is known of it again, or asked. */
export function reopened({ settled: _no, ...leg }: Leg): Leg {
  return leg;
}

export const withSeen = (leg: Leg, more: Partial<Seen>): Leg => ({
  ...leg,
  seen: { returnedUnpaid: false, wasPending: false, ...leg.seen, ...more },
});

/** The buyer has left the app: the payment goes on with its leg on the web, which starts now. */
export const onTheWeb = (payment: Payment, now: Instant): Payment => ({
  ...payment,
  webOnly: true,
  webStarts: (payment.webStarts ?? 0) + 1,
  start: 'asked',
  returned: false,
  legs: [newLeg('web', now), payment.legs[0]],
});

/** The web did not start: the app, if the buyer may still pay there; otherwise null. */
export function backInTheApp({ webOnly: _no, ...payment }: Payment): Payment | null {
  const [, app] = payment.legs;
  return app === undefined || app.settled === true ? null : { ...payment, start: 'answered', legs: [app] };
}

/** A look-up is wanted soon. Another reason does not replace the daily look-up, nor a hint a person's: what an answer
 *  leads to depends on who has asked. */
export function wantedAgain(look: LookupState, cause: LookupCause): LookupState {
  const strongest = strongCauses.find((one) => one === look.again || one === cause);
  return { ...look, again: strongest ?? cause };
}

const strongCauses: readonly LookupCause[] = ['daily_lookup', 'operator'];

/** Both legs are looked up once more, the other one only if it may still bring money. */
export const lookedUpAgain = (payment: Payment, cause: LookupCause): Payment =>
  withLegs(payment, (leg, isOther) =>
    isOther && (leg.settled === true || leg.lookupReference === null)
      ? leg
      : { ...leg, look: wantedAgain(leg.look, cause) },
  );

/** Whether a look-up can say anything about it. */
export const canBeLookedUp = ({ legs }: Payment): boolean =>
  legs.some(({ lookupReference }) => lookupReference !== null);

/** The look-ups of a leg when the wait began. */
export const looksBefore = ({ looks, otherLooks = 0 }: Waiting, isOther: boolean): number =>
  isOther ? otherLooks : looks;

/** Whether every leg has answered a look-up that was requested since the wait began. */
export const hasAnsweredSince = ({ legs }: Payment, waiting: Waiting): boolean =>
  legs.every(
    ({ settled, lookupReference, look }, at) =>
      settled === true ||
      lookupReference === null ||
      (look.asked === null && look.count > looksBefore(waiting, at > 0)),
  );
