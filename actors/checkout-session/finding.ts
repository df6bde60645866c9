/** Interprets the answer of a look-up for its payment.
 *  1. Paid counts only when amount and reference equal ours. A provider with the trait
 *     `lookup_without_amount`, and a booking in a provider's app, may leave out the amount, never state another one.
 *  2. An answer we cannot read settles nothing; an answer we can read but not interpret goes to review.
 *     Neither is ever paid or failed. */
import { displayNpr, type Paisa } from '../../src/kernel/money.ts';
import type { Failure, Leg, Payment, RefundShown } from './attempt.ts';
import type { LookupAnswer } from '../../src/providers/answers.ts';
import { hasTrait } from '../../src/providers/catalog.ts';
import { failure } from './payment.ts';

export type Finding =
  | { readonly is: 'paid'; readonly summary: string }
  /** Money may have moved, but not as agreed. */
  | {
      readonly is: 'disputed';
      readonly failure: Failure | null;
      readonly summary: string;
      /** Paid under our reference, but this; absent: something else is doubtful. */
      readonly otherAmount?: Paisa;
    }
  | { readonly is: 'refunded'; readonly shown: RefundShown; readonly summary: string }
  | { readonly is: 'declined'; readonly failure: Failure; readonly summary: string }
  | { readonly is: 'buyerCancelled' | 'providerExpired'; readonly summary: string }
  /** No result yet. `active`: the provider knows the attempt. `clear`: the provider states that no money
   *  was paid. */
  | { readonly is: 'open'; readonly active: boolean; readonly clear: boolean; readonly summary: string };

/** Compares an answer about a leg with our request. `amount`: what the payment is of. */
export function findingOf(payment: Payment, leg: Leg, amount: Paisa, answer: LookupAnswer): Finding {
  const { outcome } = answer;
  if (!answer.answered) return { is: 'open', active: false, clear: false, summary: 'no readable answer' };
  if (outcome === 'not_found') {
    return { is: 'open', active: false, clear: true, summary: 'the provider does not know this attempt' };
  }
  if (outcome === 'pending') {
    // a provider that ends attempts itself, and still reports pending long afterwards, has not been clear
    // about the money
    return { is: 'open', active: true, clear: leg.providerExpiresAt === null, summary: 'pending' };
  }
  if (outcome === 'ambiguous') {
    return { is: 'disputed', failure: null, summary: unclear(answer) };
  }
  if (answer.reference !== null && answer.reference !== leg.lookupReference) {
    return { is: 'disputed', failure: null, summary: `${outcome}, but the reference is not ours` };
  }
  if (outcome === 'paid') return paidFinding(payment, leg, amount, answer);
  if (outcome === 'refunded') return { is: 'refunded', shown: 'whole', summary: 'refunded' };
  if (outcome === 'partially_refunded') return { is: 'refunded', shown: 'part', summary: 'refunded in part' };
  if (answer.reference === null && outcome !== 'expired')
    return {
      is: 'open',
      active: false,
      clear: false,
      summary: `${outcome}, but of which payment is not said`,
    };
  if (outcome === 'cancelled') return { is: 'buyerCancelled', summary: 'cancelled by the buyer' };
  if (outcome === 'expired') return { is: 'providerExpired', summary: 'the provider has ended the attempt' };
  return { is: 'declined', failure: failure(answer.failureCode ?? 'declined'), summary: 'declined' };
}

const unclear = ({ word }: LookupAnswer): string =>
  `an answer that is not clear${word === undefined ? '' : `: ${word}`}`;

function paidFinding(payment: Payment, leg: Leg, amount: Paisa, answer: LookupAnswer): Finding {
  if (answer.reference === null) {
    return { is: 'disputed', failure: null, summary: 'paid, but the provider names no reference' };
  }
  // the signed booking has fixed the amount
  const fixed = leg.name === 'intent' || hasTrait(payment.provider, 'lookup_without_amount');
  const missing = answer.amountPaisa === null && fixed;
  if (answer.amountPaisa !== amount && !missing) {
    const amounts =
      answer.amountPaisa === null
        ? 'without an amount'
        : `${displayNpr(answer.amountPaisa)} instead of ${displayNpr(amount)}`;
    const { amountPaisa } = answer;
    const other = amountPaisa === null || amountPaisa <= 0 ? {} : { otherAmount: amountPaisa };
    return { is: 'disputed', failure: failure('amount_mismatch'), summary: `paid, but ${amounts}`, ...other };
  }
  return { is: 'paid', summary: 'paid, amount and reference equal' };
}
