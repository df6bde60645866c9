/** Payments under review, and after it. */
import { shown } from '../route/description.ts';
import { payment } from './payment.ts';

const { schema, example } = payment;

/** Its provider names another amount than was asked for. */
const doubted = {
  ...example,
  status: 'processing',
  providerRef: null,
  fee: null,
  paidAt: null,
  sequence: 3,
} as const;

export const reviewedPayment = shown(schema, {
  ...doubted,
  failureCode: 'amount_mismatch',
  failureReason: 'The provider confirmed another amount than the one asked for.',
  needsReview: true,
});
export const dismissedPayment = shown(schema, { ...doubted, sequence: 4 });

/** Its provider's answer was unclear at first. */
export const acceptedPayment = shown(schema, { ...example, sequence: 4 });

/** A rupee less than was asked for. */
const otherAmount = {
  ...example,
  amount: example.amount - 100,
  amountExpected: example.amount,
  sequence: 4,
} as const;
export const keptPayment = shown(schema, otherAmount);
export const refundedPayment = shown(schema, { ...otherAmount, duplicate: true });
