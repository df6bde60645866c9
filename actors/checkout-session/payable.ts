/** By which providers a session may be paid: some are for invoices alone, and some for certain amounts.
 *  Boundary: pure; the project decides which of them it has. */
import type { Provider } from '../../src/providers/answers.ts';
import { traitsOf } from '../../src/providers/catalog.ts';
import type { Order } from './order.ts';

export function isPayableBy(
  { source, amount }: Pick<Order, 'source' | 'amount'>,
  provider: Provider,
): boolean {
  const { inCheckout, amounts } = traitsOf(provider);
  if (source !== 'invoice' && !inCheckout) return false;
  return amounts === undefined || (amount >= amounts.min && amount <= amounts.max);
}
