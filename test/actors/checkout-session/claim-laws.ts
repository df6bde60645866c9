/** What always holds of claims: verified money of an invoice's session, about which its subscription is asked. */
import { expect } from 'vitest';
import type { Payment } from '../../../actors/checkout-session/attempt.ts';
import { isPaid } from '../../../actors/checkout-session/payment.ts';
import type { SessionState } from '../../../actors/checkout-session/state.ts';
import { sessionOf, type SessionStory } from './buyer.ts';
import { told } from './claiming.ts';

export interface ClaimAnswer {
  /** Which of the open claims. */
  readonly n: number;
  readonly as: 'paid' | 'duplicate';
}

const isOver = (state: SessionState): boolean => 'endedAt' in state;

/** The subscription answers one of the open claims; a repeated answer changes nothing. */
export function answersClaim(story: SessionStory, { n, as }: ClaimAnswer): void {
  const claims = openClaims(sessionOf(story));
  const paymentId = claims[n % Math.max(1, claims.length)]?.id;
  if (paymentId !== undefined) story.when('claimed', { paymentId, duplicate: as === 'duplicate' });
}

export const openClaims = ({ payments }: SessionState): readonly Payment[] =>
  payments.filter(({ claim }) => claim !== undefined);

/** The subscription is told of each claim once; until it has answered, the payment and the session wait. */
export function claimLaws(
  story: SessionStory,
  state: SessionState,
  before: SessionState,
  action: string | null,
): void {
  const claimed = told(story).filter((line) => line.startsWith('claim '));
  expect(new Set(claimed).size).toBe(claimed.length);
  expect(claimed).toEqual(expect.arrayContaining(openClaims(state).map(({ id }) => `claim ${id}`)));
  // of a session that is paid, other money is a duplicate at once
  const unasked = state.payments.filter((p) => isPaid(p) && !claimed.includes(`claim ${p.id}`));
  if (state.order.subscriptionId !== undefined)
    expect(unasked.every(({ duplicate }) => duplicate)).toBe(true);
  for (const old of openClaims(before)) {
    const payment = state.payments.find(({ id }) => id === old.id);
    const isAnswered = payment?.claim === undefined;
    expect(isAnswered).toBe(isAnswered && action === 'claimed');
    expect(isAnswered ? payment?.status : 'success').toBe('success');
    if (!isAnswered) expect([old.status, 'processing']).toContain(payment.status);
  }
  if (openClaims(before).length > 0 && !isOver(before) && isOver(state))
    expect(['claimed', 'look']).toContain(action);
  const over = told(story).filter((line) => line === 'sessionOver').length;
  const hasEndedUnpaid = isOver(state) && (state.status !== 'success' || state.late);
  if (state.order.subscriptionId !== undefined) expect(over).toBe(hasEndedUnpaid ? 1 : 0);
}
