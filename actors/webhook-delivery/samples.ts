/** Samples of events, to try an endpoint with (decisions 14): made by the very functions that make the real ones, so
 *  what a shop learns to read is what it will get.
 *  Boundary: nothing here has happened; the envelope says so, and its ids belong to nobody.
 *  1. Only of kinds that fire: a sample promises that the real one comes. */
import type { Scope } from '../../src/runtime/actor.ts';
import type { Payment } from '../checkout-session/attempt.ts';
import type { Order } from '../checkout-session/order.ts';
import type { PaidSession, Purchase, UnpaidSession } from '../checkout-session/state.ts';
import { failure, newPayment } from '../checkout-session/payment.ts';
import { paymentEventData, sessionView } from '../checkout-session/view.ts';
import { envelopeText } from '../event-log/envelope.ts';
import type { EndpointState } from '../webhook-endpoint/messages.ts';
import { endpointView } from '../webhook-endpoint/view.ts';
import { iso, minutes, type Instant } from '../../src/kernel/time.ts';

/** Whose test it is, and when. */
export interface SampleOf {
  readonly eventId: string;
  readonly scope: Scope;
  readonly now: Instant;
  readonly endpoint: { readonly id: string; readonly state: EndpointState };
}

type Data = { readonly sequence: number; readonly [field: string]: unknown };

/** The body of a test of this kind, an envelope with `"test": true`. */
export function sampleEnvelope(type: SampleKind, of: SampleOf): string {
  const { eventId: id, now: at, scope } = of;
  return envelopeText({ id, type, at, scope, object: samples[type](of), test: true });
}

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

const failed = (of: SampleOf, ended: Partial<Payment>): Data => {
  const session = { ...unpaid(of, 'expired'), provider: 'wallet_b' } as const;
  return paymentEventData(payment(of, ended), session, where(of));
};

const succeeded = (of: SampleOf, ended: Partial<Payment>): Data => {
  const paid = payment(of, { status: 'success', providerRef: 'TXSAMPLE', fee: 0, paidAt: of.now, ...ended });
  const session: PaidSession = {
    ...purchase(of),
    status: 'success',
    provider: 'wallet_b',
    payments: [paid],
    paidBy: paymentId,
    late: false,
    endedAt: of.now,
  };
  return paymentEventData(paid, session, where(of));
};

/** Data that is no API object, and its sequence. */
const bare = (data: object): Data => ({ sequence: 1, toJSON: () => data });

const samples = {
  'test.ping': () => bare({ message: 'ping' }),
  'checkout.created': (of) =>
    sessionView({ ...purchase(of), status: 'pending', sequence: 1, createdAt: of.now }, where(of)),
  'checkout.expired': (of) => sessionView(unpaid(of, 'expired'), where(of)),
  'checkout.cancelled': (of) => sessionView(unpaid(of, 'cancelled'), where(of)),
  'payment.succeeded': (of) => succeeded(of, {}),
  'payment.duplicate': (of) => succeeded(of, { duplicate: true }),
  'payment.failed': (of) => failed(of, { status: 'failed', failure: failure('declined') }),
  'payment.cancelled': (of) => failed(of, { status: 'cancelled', failure: failure('user_cancelled') }),
  'reconciliation.mismatch': ({ now }) =>
    bare({
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
  'webhook_endpoint.disabled': ({ endpoint: { id, state }, scope, now }) =>
    endpointView({ ...state, status: 'disabled', disabledReason: 'failing', updatedAt: now }, { id, scope }),
} satisfies { readonly [kind: string]: (of: SampleOf) => Data };

export type SampleKind = keyof typeof samples;
export const sampleKinds = Object.keys(samples) as SampleKind[];
