/** Samples of the events of a checkout session, built by the same functions that build the real ones.
 *  Boundary: nothing here describes a real payment; its ids belong to no object. */
import { iso, minutes } from '../../src/kernel/time.ts';
import { bareSample, type MakeSample, type SampleData, type SampleOf } from '../kind.ts';
import type { Payment } from './attempt.ts';
import type { Order } from './order.ts';
import { failure, newPayment } from './payment.ts';
import { newRefund, refundTexts, type Refund } from './refund.ts';
import { paymentRefundedData, refundView } from './refund-view.ts';
import type { PaidSession, Purchase, UnpaidSession } from './state.ts';
import { paymentEventData, sessionView } from './view.ts';

const sessionId = 'cs_00000000000000000000samp';
const paymentId = 'pay_000000000000samp';
const amount = 125_050;
const before = minutes(2);

const order: Order = {
  amount,
  currency: 'NPR',
  description: 'A sample order',
  returnUrl: 'https://shop.example/return',
  cancelUrl: null,
  collectAddress: false,
  customer: { name: 'Asha Rai', email: 'asha@example.com', phone: '9800000000', address: null },
  metadata: { order_id: '1001' },
  flow: 'hosted',
  preselected: null,
  referenceId: 'A-1001',
  source: 'checkout',
  checkoutUrl: `https://pay.example/pay/${sessionId}`,
};

const purchase = ({ now }: SampleOf): Purchase => ({
  order,
  source: 'checkout',
  provider: null,
  payments: [],
  refunds: [],
  expiresAt: now - before + minutes(30),
  customerAddress: null,
  qrMessage: null,
  qrLog: [],
  sequence: 2,
  createdAt: now - before,
  updatedAt: now,
});

const where = ({ scope }: SampleOf) => ({ id: sessionId, scope });

const unpaid = (of: SampleOf, status: UnpaidSession['status']): UnpaidSession => ({
  ...purchase(of),
  status,
  endedAt: of.now,
});

const payment = ({ now }: SampleOf, ended: Partial<Payment>): Payment => ({
  ...newPayment(paymentId, 'wallet_b', now - before),
  sequence: 3,
  updatedAt: now,
  ...ended,
});

const failed = (of: SampleOf, ended: Partial<Payment>): SampleData => {
  const session = { ...unpaid(of, 'expired'), provider: 'wallet_b' } as const;
  return paymentEventData(payment(of, ended), session, where(of));
};

const paid = (of: SampleOf, ended: Partial<Payment>): Payment =>
  payment(of, { status: 'success', providerRef: 'TXSAMPLE', fee: 0, paidAt: of.now, ...ended });

const paidSession = (of: SampleOf, payments: readonly Payment[]): PaidSession => ({
  ...purchase(of),
  status: 'success',
  provider: 'wallet_b',
  payments,
  paidBy: paymentId,
  late: false,
  endedAt: of.now,
});

const succeeded = (of: SampleOf, ended: Partial<Payment>): SampleData => {
  const one = paid(of, ended);
  return paymentEventData(one, paidSession(of, [one]), where(of));
};

/** A part of the sample payment. */
const refund = (of: SampleOf, ended: Partial<Refund>): Refund => {
  const request = {
    id: 'ref_00000000000000000000samp',
    amount: 25_050,
    reason: 'customer_request',
    notes: 'Returned one item',
    mobileNumber: null,
  } as const;
  const opened = newRefund(paid(of, {}), request, 0, { now: of.now - before, eras: [] });
  return { ...opened, sequence: 2, updatedAt: of.now, ...ended };
};

export const samples = {
  'checkout.created': (of) =>
    sessionView({ ...purchase(of), status: 'pending', sequence: 1, createdAt: of.now }, where(of)),
  'checkout.expired': (of) => sessionView(unpaid(of, 'expired'), where(of)),
  'checkout.cancelled': (of) => sessionView(unpaid(of, 'cancelled'), where(of)),
  'payment.succeeded': (of) => succeeded(of, {}),
  'payment.duplicate': (of) => succeeded(of, { duplicate: true }),
  'payment.refunded': (of) => {
    const done = refund(of, { status: 'succeeded', providerRefundId: 'TXSAMPLE-r1' });
    const { amount: refundedAmount } = done;
    return paymentRefundedData(paid(of, { refundedAmount }), done, paidSession(of, []), where(of));
  },
  'refund.created': (of) => refundView(refund(of, { sequence: 1, createdAt: of.now }), where(of)),
  'refund.succeeded': (of) =>
    refundView(refund(of, { status: 'succeeded', providerRefundId: 'TXSAMPLE-r1' }), where(of)),
  'refund.failed': (of) =>
    refundView(refund(of, { status: 'failed', failureReason: refundTexts.refused }), where(of)),
  'refund.requires_action': (of) =>
    refundView(refund(of, { status: 'requires_action', failureReason: refundTexts.unconfirmed }), where(of)),
  'payment.failed': (of) => failed(of, { status: 'failed', failure: failure('declined') }),
  'payment.cancelled': (of) => failed(of, { status: 'cancelled', failure: failure('user_cancelled') }),
  'reconciliation.mismatch': ({ now }) =>
    bareSample({
      paymentId,
      provider: 'wallet_b',
      field: 'status',
      ours: 'success',
      theirs: 'cancelled',
      amountOurs: amount,
      amountProvider: amount,
      source: 'lookup',
      detectedAt: iso(now),
    }),
} satisfies { readonly [event: string]: MakeSample };
