/** What can still be refunded of a payment: of the actor's refunds, and of those that the dashboard shows. Pure. */
import type { Paisa } from '../../src/kernel/money.ts';

interface Share {
  readonly amount: Paisa;
  readonly status: string;
}

export const sumOf = (refunds: readonly Pick<Share, 'amount'>[]): Paisa =>
  refunds.reduce((sum, { amount }) => sum + amount, 0);

/** What of `amount` is left: a failed refund has released its share. */
export const refundable = (amount: Paisa, refunds: readonly Share[]): Paisa =>
  amount - sumOf(refunds.filter(({ status }) => status !== 'failed'));
