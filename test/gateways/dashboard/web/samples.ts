/** Objects as the service tells them, for tests of the dashboard. */
import { checkoutSession } from '../../../../gateways/http/schemas/checkout.ts';
import { payment } from '../../../../gateways/http/schemas/payment.ts';
import type {
  Checkout,
  Delivery,
  Payment,
  Snapshot,
  TimelineEntry,
} from '../../../../gateways/dashboard/web/wire/types.ts';

export const noon = Date.parse('2026-11-20T06:15:00.000Z');
const iso = (at: number): string => new Date(at).toISOString();

export function paymentOf(fields: Partial<Payment> = {}): Payment {
  return {
    ...payment.example,
    id: 'pay_0000000000000001',
    sessionId: 'cs_000000000000000000000001',
    invoiceId: null,
    linkReferenceId: null,
    amount: 125_050,
    amountExpected: null,
    provider: 'wallet_b',
    providerRef: null,
    traceId: null,
    status: 'pending',
    failureCode: null,
    failureReason: null,
    refundedAmount: 0,
    fee: null,
    customer: { name: 'Asha Rai', email: 'asha@example.com', phone: null },
    metadata: { order_id: '1001' },
    late: false,
    duplicate: false,
    needsReview: false,
    sequence: 1,
    paidAt: null,
    createdAt: iso(noon),
    updatedAt: iso(noon),
    ...fields,
  };
}

/** Begun `minutes` after noon. */
export const paymentAt = (minutes: number, fields: Partial<Payment> = {}): Payment =>
  paymentOf({
    id: `pay_${String(minutes).padStart(16, '0')}`,
    createdAt: iso(noon + minutes * 60_000),
    updatedAt: iso(noon + minutes * 60_000),
    ...fields,
  });

export const paid = (before: Payment, sequence = before.sequence + 1): Payment => ({
  ...before,
  status: 'success',
  sequence,
  paidAt: before.updatedAt,
});

export const snapshotOf = (payments: readonly Payment[], fields: Partial<Snapshot> = {}): Snapshot => ({
  at: iso(noon),
  payments,
  checkouts: [],
  today: { paidCount: 0, paidAmount: 0, failedCount: 0, openCount: 0 },
  ...fields,
});

export const checkoutOf = (fields: Partial<Checkout> = {}): Checkout =>
  ({
    ...checkoutSession.example,
    id: 'cs_000000000000000000000001',
    status: 'pending',
    flow: 'hosted',
    provider: null,
    source: 'checkout',
    amount: 125_050,
    description: null,
    checkout_url: null,
    customer: null,
    metadata: {},
    referenceId: null,
    paymentId: null,
    attempts: 0,
    late: false,
    needsReview: false,
    sequence: 1,
    expires_at: iso(noon),
    createdAt: iso(noon),
    updatedAt: iso(noon),
    ...fields,
  }) as Checkout;

export const deliveryOf = (fields: Partial<Delivery> = {}): Delivery => ({
  id: 'whd_000000000000000000000001',
  webhookEndpointId: 'we_000000000000000000000001',
  eventId: 'evt_000000000000000000000001',
  eventType: 'payment.succeeded',
  payload: null,
  status: 'pending',
  attempts: 0,
  lastAttemptAt: null,
  nextAttemptAt: null,
  responseStatus: null,
  responseBody: null,
  durationMs: null,
  createdAt: iso(noon),
  ...fields,
});

/** `seconds` after noon. */
export const entryAt = (seconds: number, fields: Partial<TimelineEntry>): TimelineEntry => ({
  at: iso(noon + seconds * 1000),
  kind: 'poll',
  summary: 'Lookup: pending',
  from: null,
  to: null,
  cause: null,
  durationMs: null,
  detail: null,
  ...fields,
});
