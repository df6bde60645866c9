/** A refund's story in a merchant's words, for the tests beside this file. */
import type { SessionCommands } from '../../../actors/checkout-session/commands.ts';
import type { Refund, RefundStatus } from '../../../actors/checkout-session/refund.ts';
import { refundTexts } from '../../../actors/checkout-session/refund.ts';
import type { LookupOutcome, Provider, RefundAnswer } from '../../../src/providers/answers.ts';
import {
  comesBack,
  created,
  hours,
  opens,
  order,
  pay,
  picks,
  says,
  seconds,
  sessionOf,
  type SessionStory,
} from './buyer.ts';

/** The id of the n-th refund. */
export const ref = (n: number): string => `ref_n5zwhtr4dz3e8j7wc7qbkk${String(n).padStart(2, '0')}`;

export const { amount } = order;

/** A paid session. wallet_b refunds by a call, the others in a portal. */
export const paidBy = (provider: Provider = 'wallet_b'): SessionStory =>
  says(comesBack(opens(picks(created(), 1, provider))), 'paid');

/** The merchant asks for refund n. */
export const asksRefund = (
  story: SessionStory,
  n = 1,
  of = amount,
  more: Partial<SessionCommands['refund']> = {},
): SessionStory =>
  story.when('refund', {
    id: ref(n),
    paymentId: pay(1),
    amount: of,
    reason: 'customer_request',
    notes: null,
    mobileNumber: null,
    ...more,
  });

/** The oldest call in flight is answered. */
export const answers = (
  story: SessionStory,
  outcome: RefundAnswer['outcome'],
  more: Partial<RefundAnswer> = {},
): SessionStory => {
  const call = story.pending.find(({ kind }) => kind === 'provider.refund');
  if (call === undefined) throw new Error('no refund call is in flight');
  const { refundId } = call.data as unknown as SessionCommands['refundAnswered'];
  const base = { providerRefundId: null, message: null, httpStatus: 200, durationMs: 90, raw: '{}' };
  return story.settle('provider.refund', { refundId, answer: { ...base, outcome, ...more } });
};

/** The next look-up of its refunds falls due, and says this. */
export const looks = (story: SessionStory, outcome: LookupOutcome): SessionStory => {
  const at = story.timer(`refund/${pay(1)}`);
  if (at === null) throw new Error('no look-up for a refund is planned');
  return says(story.wait(Math.max(0, at - story.now)), outcome);
};

/** A look-up by a hint says this, in whatever status its refunds are. */
export const learnsByHint = (story: SessionStory, outcome: LookupOutcome): SessionStory =>
  says(comesBack(story.wait(seconds(2))), outcome);

export const ends = (story: SessionStory, how: 'complete' | 'cancel', n = 1, notes: string | null = null) =>
  story.when(`${how}Refund`, { refundId: ref(n), notes });

export function refundIn(story: SessionStory, n = 1): Refund {
  const refund = sessionOf(story).refunds[n - 1];
  if (refund === undefined) throw new Error(`there is no refund ${n}`);
  return refund;
}

/** Every look-up up to 72 hours shows nothing new. */
export function waitsInVain(story: SessionStory, outcome: LookupOutcome = 'paid'): SessionStory {
  for (let n = 0; n < 100 && refundIn(story).status === 'processing'; n++) looks(story, outcome);
  return story;
}

/** A refund of `of` paisa in each status, of a payment by wallet_b. */
export const refundInStatus: { readonly [S in RefundStatus]: (of?: number) => SessionStory } = {
  processing: (of) => answers(asksRefund(paidBy(), 1, of), 'unknown'),
  requires_action: (of) => waitsInVain(answers(asksRefund(paidBy(), 1, of), 'unknown')),
  succeeded: (of) => answers(asksRefund(paidBy(), 1, of), 'done'),
  failed: (of) => answers(asksRefund(paidBy(), 1, of), 'refused', { message: 'Not today.' }),
};

export { hours, refundTexts };
