/** What must hold of refunds after every command, whatever the story. */
import { expect } from 'vitest';
import { isPaid } from '../../../actors/checkout-session/payment.ts';
import { refundable, sumOf } from '../../../actors/checkout-session/refundable.ts';
import type { SessionState } from '../../../actors/checkout-session/state.ts';
import { order, type SessionStory } from './buyer.ts';

/** The refunds whose call is in flight. */
export const refundCalls = (story: SessionStory): readonly string[] =>
  story.pending
    .filter(({ kind }) => kind === 'provider.refund')
    .map(({ data }) => (data as unknown as { readonly refundId: string }).refundId);

export function refundLaws(story: SessionStory, state: SessionState, before: SessionState): void {
  for (const payment of state.payments) {
    const refunds = state.refunds.filter(({ paymentId }) => paymentId === payment.id);
    expect(refundable(order.amount, refunds)).toBeGreaterThanOrEqual(0);
    const succeeded = sumOf(refunds.filter(({ status }) => status === 'succeeded'));
    expect(payment.refundedAmount).toBe(succeeded);
    expect(payment.status === 'refunded').toBe(succeeded === order.amount);
    if (!isPaid(payment)) expect(refunds).toEqual([]);
    if (payment.duplicate) expect(refunds.filter(({ reason }) => reason === 'duplicate')).toHaveLength(1);
  }
  for (const [index, old] of before.refunds.entries()) {
    const refund = state.refunds[index];
    expect(refund?.id).toBe(old.id);
    if (old.status === 'succeeded' || old.status === 'failed') expect(refund).toEqual(old);
  }
  // a call is asked for with its refund, and never again
  const inFlight = refundCalls(story);
  expect(inFlight.toSorted()).toEqual(
    state.refunds
      .filter(({ call }) => call === 'asked')
      .map(({ id }) => id)
      .toSorted(),
  );
}
