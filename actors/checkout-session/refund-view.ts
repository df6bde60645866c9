/** A refund as outsiders see it: API body, event data, view rows.
 *  1. Keys are in the documented order; absent values are null. Internal fields are never shown. */
import { isLive, projectOf, type ViewMeta, type ViewRow } from '../../src/runtime/model/actor.ts';
import { iso } from '../../src/kernel/time.ts';
import type { Payment } from './attempt.ts';
import type { Refund } from './refund.ts';
import type { SessionState } from './state.ts';
import { paymentEventData } from './view.ts';

/** The Refund object of docs/reference/api/refunds.md. */
export const refundView = (refund: Refund, { scope }: Pick<ViewMeta, 'scope'>) => ({
  id: refund.id,
  livemode: isLive(scope),
  paymentId: refund.paymentId,
  projectId: projectOf(scope),
  mode: isLive(scope) ? ('live' as const) : ('sandbox' as const),
  amount: refund.amount,
  currency: 'NPR' as const,
  reason: refund.reason,
  status: refund.status,
  providerRefundId: refund.providerRefundId,
  failureReason: refund.failureReason,
  notes: refund.notes,
  mobileNumber: refund.mobileNumber,
  sequence: refund.sequence,
  createdAt: iso(refund.createdAt),
  updatedAt: iso(refund.updatedAt),
});

/** `data` of `payment.refunded`: the payment as of now, and the refund that has succeeded. */
export const paymentRefundedData = (
  payment: Payment,
  refund: Refund,
  session: SessionState,
  where: Pick<ViewMeta, 'id' | 'scope'>,
) => ({ ...paymentEventData(payment, session, where), refund: refundView(refund, where) });

/** One view row `refund` per refund. */
export const refundRows = (session: SessionState, meta: ViewMeta): readonly ViewRow[] =>
  session.refunds.map((refund) => ({
    kind: 'refund',
    id: refund.id,
    sequence: refund.sequence,
    createdAt: refund.createdAt,
    tags: [],
    body: refundView(refund, meta),
  }));

/** The parts of a refund's view that can change. */
export const refundMarks = (refund: Refund): readonly unknown[] => [
  refund.status,
  refund.providerRefundId,
  refund.failureReason,
  refund.notes,
];
