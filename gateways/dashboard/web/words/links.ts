/** A payment link in words: what a buyer pays by it, and how much of it is used. Pure. */
import { displayNpr } from '../../../../src/kernel/money.ts';
import type { PaymentLink } from '../wire/types.ts';
import { countText } from './money.ts';

type Amounts = Pick<PaymentLink, 'amount' | 'minAmount' | 'maxAmount'>;

/** `NPR 500.00`, `NPR 10.00 to NPR 5,000.00`. */
export const linkAmountText = ({ amount, minAmount, maxAmount }: Amounts): string =>
  amount === null ? `${displayNpr(minAmount ?? 0)} to ${displayNpr(maxAmount ?? 0)}` : displayNpr(amount);

/** `3 of 20 uses`, `3 uses`. */
export function usesText({ usedCount, maxUses }: Pick<PaymentLink, 'usedCount' | 'maxUses'>): string {
  if (maxUses !== null) return `${countText(usedCount)} of ${countText(maxUses)} uses`;
  return usedCount === 1 ? '1 use' : `${countText(usedCount)} uses`;
}
