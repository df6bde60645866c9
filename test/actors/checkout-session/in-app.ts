/** A buyer of wallet_a in its app and on the web: one payment with two legs, for the tests beside this file. */
import type { SessionCommands } from '../../../actors/checkout-session/commands.ts';
import type { Order } from '../../../actors/checkout-session/order.ts';
import type { LookupAnswer, LookupOutcome } from '../../../src/providers/answers.ts';
import {
  created,
  lookupsInFlight,
  minutes,
  pay,
  pendingOf,
  picks,
  saying,
  type SessionStory,
} from './buyer.ts';

export const booking = { bookingId: 'BK-1', correlationId: 'CR-1' };
export const inApp = 'BK-1 CR-1';
export const onWebOf = (n: number): string => `pay-${pay(n).slice(4)}`;
export const onWeb = onWebOf(1);
export type Leg = 'intent' | 'web';

/** The provider books attempt n in its app. */
export const books = (story: SessionStory, n = 1): SessionStory =>
  story.settle('provider.start', {
    paymentId: pay(n),
    durationMs: 90,
    answer: {
      outcome: 'started',
      instructions: { kind: 'intent', method: 'GET', url: 'https://links.example/pay/Zx81', fields: {} },
      lookupReference: inApp,
      providerExpiresAt: story.now + minutes(30),
      booking,
    },
  } satisfies SessionCommands['startAnswered']);

/** The buyer picks wallet_a, and the app is booked. */
export const booked = (change: Partial<Order> = {}): SessionStory =>
  books(picks(created(change), 1, 'wallet_a'));

export const goesToTheWeb = (story: SessionStory): SessionStory =>
  story.when('start', { paymentId: pay(7), provider: 'wallet_a', variant: 'web' });

/** The web form of attempt n is there. */
export const webOpens = (story: SessionStory, n = 1): SessionStory =>
  story.settle('provider.start', {
    paymentId: pay(n),
    durationMs: 0,
    answer: {
      outcome: 'started',
      instructions: {
        kind: 'form',
        method: 'POST',
        url: 'https://wallet-a.example/form',
        fields: { a: '1' },
      },
      lookupReference: onWebOf(n),
      providerExpiresAt: null,
    },
  } satisfies SessionCommands['startAnswered']);

/** Both legs are open; the web decides. */
export const twoLegs = (change: Partial<Order> = {}): SessionStory => webOpens(goesToTheWeb(booked(change)));

export const callback = (story: SessionStory, told?: number | null, n = 1): SessionStory =>
  story.when('hint', {
    paymentId: pay(n),
    from: 'callback',
    says: 'paid',
    verified: true,
    summary: 'Callback of the app: SUCCESS',
    leg: 'intent',
    told: { reference: 'CR-1', amountPaisa: told === undefined ? story.state.order.amount : told },
  });

const isOf =
  (leg: Leg) =>
  ({ kind, data }: SessionStory['pending'][number]): boolean =>
    kind === 'provider.lookup' && ((data as { leg?: Leg }).leg ?? 'web') === leg;

export const legIsAsked = (story: SessionStory, leg: Leg): boolean => story.pending.some(isOf(leg));
export const legTimer = (story: SessionStory, leg: Leg, n = 1): number | null =>
  story.timer(leg === 'intent' ? `poll/${pay(n)}-i` : `poll/${pay(n)}`);

/** The look-up in flight of this leg is answered so. */
export function legSays(
  story: SessionStory,
  leg: Leg,
  outcome: LookupOutcome,
  change: Partial<LookupAnswer> = {},
): SessionStory {
  const isIts = isOf(leg);
  story.pending = [...story.pending.filter(isIts), ...story.pending.filter((effect) => !isIts(effect))];
  const { paymentId, cause, lookupReference } = pendingOf(story, 'provider.lookup');
  const amounts = leg === 'intent' ? { amountPaisa: null } : {};
  return story.settle('provider.lookup', {
    paymentId,
    ...(leg === 'intent' ? { leg } : {}),
    cause,
    answer: saying(outcome, lookupReference, { ...amounts, ...change }),
  } satisfies SessionCommands['lookupAnswered']);
}

/** The next look-up of this leg is made, unless one is in flight, and answered so. */
export function learns(
  story: SessionStory,
  leg: Leg,
  outcome: LookupOutcome,
  change: Partial<LookupAnswer> = {},
  n = 1,
): SessionStory {
  if (!legIsAsked(story, leg)) {
    const at = legTimer(story, leg, n);
    if (at === null) throw new Error(`the leg ${leg} has no look-up planned`);
    story.wait(at - story.now);
  }
  return legSays(story, leg, outcome, change);
}

/** Answers `pending` to every look-up of both legs until `until`. */
export function legsWait(story: SessionStory, until: number, n = 1): SessionStory {
  while (story.now < until || lookupsInFlight(story).length > 0) {
    const { leg = 'web' } = lookupsInFlight(story)[0] ?? {};
    if (lookupsInFlight(story).length > 0) legSays(story, leg, 'pending');
    else {
      const due = [legTimer(story, 'intent', n), legTimer(story, 'web', n)].filter((at) => at !== null);
      story.wait(Math.min(until, ...due) - story.now);
    }
  }
  return story;
}
