/** Stories of a payment in the app of wallet_a, and of its other leg on the web. */
import type { SessionCommands } from '../../../actors/checkout-session/commands.ts';
import type { Order } from '../../../actors/checkout-session/order.ts';
import type { LookupAnswer, LookupOutcome } from '../../../src/providers/answers.ts';
import { created, minutes, pay, pendingOf, saying, type SessionStory } from './buyer.ts';

export const booking = { bookingId: 'BK-1', correlationId: 'CR-1' };
export const inApp = 'BK-1 CR-1';
export const onWeb = `pay-${pay(1).slice(4)}`;
type Leg = 'intent' | 'web';

/** The buyer picks wallet_a, and the app is booked. */
export function booked(change: Partial<Order> = {}): SessionStory {
  const story = created(change).when('start', { paymentId: pay(1), provider: 'wallet_a', variant: null });
  return story.settle('provider.start', {
    paymentId: pay(1),
    durationMs: 90,
    answer: {
      outcome: 'started',
      instructions: { kind: 'intent', method: 'GET', url: 'https://links.example/pay/Zx81', fields: {} },
      lookupReference: inApp,
      providerExpiresAt: story.now + minutes(30),
      booking,
    },
  } satisfies SessionCommands['startAnswered']);
}

export const goesToTheWeb = (story: SessionStory): SessionStory =>
  story.when('start', { paymentId: pay(7), provider: 'wallet_a', variant: 'web' });

export const webOpens = (story: SessionStory): SessionStory =>
  story.settle('provider.start', {
    paymentId: pay(1),
    durationMs: 0,
    answer: {
      outcome: 'started',
      instructions: {
        kind: 'form',
        method: 'POST',
        url: 'https://wallet-a.example/form',
        fields: { a: '1' },
      },
      lookupReference: onWeb,
      providerExpiresAt: null,
    },
  } satisfies SessionCommands['startAnswered']);

/** Both legs are open; the web decides. */
export const twoLegs = (change: Partial<Order> = {}): SessionStory => webOpens(goesToTheWeb(booked(change)));

/** The next look-up of this leg is made, unless one is in flight, and answered so. */
export function learns(
  story: SessionStory,
  leg: Leg,
  outcome: LookupOutcome,
  change: Partial<LookupAnswer> = {},
): SessionStory {
  const isIts = ({ kind, data }: (typeof story.pending)[number]): boolean =>
    kind === 'provider.lookup' && ((data as { leg?: Leg }).leg ?? 'web') === leg;
  if (!story.pending.some(isIts)) {
    const at = story.timer(leg === 'intent' ? `poll/${pay(1)}-i` : `poll/${pay(1)}`);
    if (at === null) throw new Error(`the leg ${leg} has no look-up planned`);
    story.wait(at - story.now);
  }
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
