/** What a look-up proves about the refunds of a paid payment: the evidence table of
 *  docs/reference/api/refunds.md. Pure.
 *  1. Only a change at the provider proves something. The status before is the last one we saw there, or
 *     the one that our own succeeded refunds have caused.
 *  2. A change that the open refunds cannot explain was made outside, and a person must look.
 *  3. While a refund call is in progress a look-up proves nothing: the call's own answer comes first. */
import type { Paisa } from '../../src/kernel/money.ts';
import type { Payment, RefundShown } from './attempt.ts';
import { isCallOut, isCallWaiting, isOpenRefund, type Refund } from './refund.ts';
import { sumOf } from './refundable.ts';

export type Evidence =
  /** No change, or a change that could be one refund or another. */
  | { readonly is: 'nothing'; readonly shown: RefundShown | null }
  | { readonly is: 'proof'; readonly shown: RefundShown; readonly refunds: readonly Refund[] }
  | { readonly is: 'outside'; readonly shown: RefundShown };

/** `refunds`: those of this payment. `amount`: the payment's. `after`: what the provider shows now. Its
 *  `shown` is the status before for the next look-up. */
export function evidenceOf(
  payment: Payment,
  refunds: readonly Refund[],
  amount: Paisa,
  after: RefundShown,
): Evidence {
  const { refundShown = null } = payment;
  if (refunds.some(isCallOut)) return { is: 'nothing', shown: refundShown };
  const succeeded = sumOf(refunds.filter(({ status }) => status === 'succeeded'));
  const before = larger(refundShown, shownBy(succeeded, amount));
  if (rank(after) <= rank(before)) return { is: 'nothing', shown: before };
  const open = refunds.filter((one) => isOpenRefund(one) && !isCallWaiting(one));
  if (after === 'whole') {
    const isWhole = open.length > 0 && succeeded + sumOf(open) >= amount;
    return isWhole ? { is: 'proof', shown: after, refunds: open } : { is: 'outside', shown: after };
  }
  if (open.length > 1) return { is: 'nothing', shown: after };
  // the whole payment was asked for: a part is not this refund
  const isIt = open.every((refund) => refund.amount < amount) && open.length === 1;
  return isIt ? { is: 'proof', shown: after, refunds: open } : { is: 'outside', shown: after };
}

const rank = (shown: RefundShown | null): number => (shown === null ? 0 : shown === 'part' ? 1 : 2);

const larger = (a: RefundShown | null, b: RefundShown | null): RefundShown | null =>
  rank(a) >= rank(b) ? a : b;

const shownBy = (succeeded: Paisa, amount: Paisa): RefundShown | null =>
  succeeded === 0 ? null : succeeded < amount ? 'part' : 'whole';
