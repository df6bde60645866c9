import { expect, test } from 'vitest';
import type { Failure, Payment } from '../../../actors/checkout-session/attempt.ts';
import { failure, newPayment } from '../../../actors/checkout-session/payment.ts';
import { mintId } from '../../../src/kernel/id.ts';
import {
  statusCodes,
  statusCodeOf,
  publicStatuses,
  type StatusCode,
} from '../../../gateways/status/status-codes.ts';

const amount = 10_000;
const at = 1_800_000_000_000;

const payment = (of: Partial<Payment>): Payment => ({ ...newPayment(mintId('pay'), 'wallet_b', at), ...of });
const closed = (code: Parameters<typeof failure>[0]): { closedFor: Failure; failure: Failure } => ({
  closedFor: failure(code),
  failure: failure(code),
});
const money = (refundedAmount: number): Partial<Payment> => ({
  status: 'success',
  paidAt: at,
  refundedAmount,
});

const standing = (status: string, payments: readonly Payment[], namesPayment: boolean): StatusCode =>
  statusCodeOf({
    matchedBy: 'session_id',
    session: { state: { status, payments, order: { amount } } },
    payment: payments.at(-1) ?? null,
    namesPayment,
  } as unknown as Parameters<typeof statusCodeOf>[0]);

test.each<readonly [StatusCode, string, Partial<Payment>]>([
  ['processing', 'pending', { status: 'pending' }],
  ['processing', 'processing', { status: 'processing' }],
  ['under_review', 'pending and unclear', { status: 'pending', needsReview: true }],
  ['under_review', 'failed and unclear', { status: 'failed', needsReview: true }],
  [
    'under_review',
    'its time over and unclear',
    { status: 'cancelled', needsReview: true, ...closed('session_expired') },
  ],
  ['paid', 'success', money(0)],
  ['paid', 'success and unclear', { ...money(0), needsReview: true }],
  ['partially_refunded', 'one paisa refunded', money(1)],
  ['partially_refunded', 'all but one paisa refunded', money(amount - 1)],
  ['refunded', 'all refunded', money(amount)],
  ['failed', 'declined', { status: 'failed', ...closed('declined') }],
  ['cancelled', 'cancelled by the buyer', { status: 'cancelled', ...closed('user_cancelled') }],
  ['cancelled', 'superseded', { status: 'cancelled', ...closed('superseded') }],
  ['expired', 'ended with its session', { status: 'cancelled', ...closed('session_expired') }],
  ['expired', 'ended at its provider', { status: 'cancelled', ...closed('attempt_expired') }],
])('a payment is %s: %s', (code, _title, of) => {
  expect(standing('initiated', [payment(of)], true)).toBe(code);
});

test.each<readonly [StatusCode, string, string, readonly Partial<Payment>[]]>([
  ['awaiting_payment', 'pending', 'nobody has tried', []],
  ['awaiting_payment', 'pending', 'a try failed', [{ status: 'failed' }]],
  ['processing', 'initiated', 'a try runs', [{ status: 'pending' }]],
  ['under_review', 'initiated', 'a try is unclear', [{ status: 'processing', needsReview: true }]],
  [
    'under_review',
    'pending',
    'an older try is unclear',
    [{ status: 'failed', needsReview: true }, { status: 'failed' }],
  ],
  ['under_review', 'expired', 'a try is unclear', [{ status: 'cancelled', needsReview: true }]],
  ['paid', 'success', 'paid', [money(0)]],
  [
    'paid',
    'success',
    'paid, and a second payment is unclear',
    [{ status: 'cancelled', needsReview: true }, money(0)],
  ],
  ['partially_refunded', 'success', 'a part refunded', [money(1)]],
  ['refunded', 'success', 'all refunded', [money(amount)]],
  ['failed', 'failed', 'declined', [{ status: 'failed' }]],
  ['cancelled', 'cancelled', 'nobody has tried', []],
  ['expired', 'expired', 'nobody has tried', []],
])('a session is %s: %s, %s', (code, status, _title, payments) => {
  expect(standing(status, payments.map(payment), false)).toBe(code);
});

test('what may change is to be asked for again, what has ended is not', () => {
  const open = statusCodes.filter((code) => !publicStatuses[code].terminal);
  expect(open).toEqual(['awaiting_payment', 'processing', 'under_review']);
});
