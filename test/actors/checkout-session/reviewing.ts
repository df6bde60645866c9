/** How a person ends the review of a payment, for the tests beside this file. */
import type { WayOut } from '../../../actors/checkout-session/other-amount.ts';
import { order, pay, type SessionStory } from './buyer.ts';

/** What the provider names in place of what was asked for. */
export const otherAmount = order.amount - 100;

/** `amount`: of `keep` and `refund`. */
export function endsReview(story: SessionStory, n: number, how: WayOut, amount = otherAmount): SessionStory {
  const of = { paymentId: pay(n), reason: 'seen to' };
  const isMoney = how === 'keep' || how === 'refund';
  return story.when('endReview', isMoney ? { ...of, how, amount } : { ...of, how });
}
