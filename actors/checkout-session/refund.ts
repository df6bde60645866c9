/** Refund x trigger of docs/reference/api/refunds.md: what happens to one refund. The handlers in refunds.ts decide
 *  when.
 *  1. The call to a provider is made at most once per refund. Afterwards only look-ups and the merchant
 *     decide.
 *  2. `succeeded` and `failed` are final: nothing leaves them. */
import type { Paisa } from '../../src/kernel/money.ts';
import type { Instant } from '../../src/kernel/time.ts';
import { hasTrait } from '../../src/providers/catalog.ts';
import type { ActorTypes, Turn } from '../../src/runtime/model/actor.ts';
import type { Payment } from './attempt.ts';

export const refundReasons = ['customer_request', 'duplicate', 'fraudulent', 'other'] as const;
export type RefundReason = (typeof refundReasons)[number];

export const refundStatuses = ['processing', 'succeeded', 'failed', 'requires_action'] as const;
export type RefundStatus = (typeof refundStatuses)[number];

/** Refunds of one payment, failed ones included: they are kept in the session's document, whose size is
 *  bounded. */
export const refundsMax = 50;

export interface Refund {
  readonly id: string;
  readonly paymentId: string;
  readonly amount: Paisa;
  readonly reason: RefundReason;
  readonly status: RefundStatus;
  readonly providerRefundId: string | null;
  readonly failureReason: string | null;
  readonly notes: string | null;
  readonly mobileNumber: string | null;
  readonly sequence: number;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  // Internal fields, never shown outside.
  /** The one call to the provider; `none`: the provider has no refund call, or there must be none; `waits`: for a
   *  look-up, after a restore. */
  readonly call: 'none' | 'waits' | 'asked' | 'answered';
  /** Its `providerRefundId` once it has succeeded, unless the provider's answer names another. */
  readonly derivedId: string | null;
  /** Its own schedule of look-ups (refund-schedule.ts); null while it has none. */
  readonly look: RefundLookup | null;
}

export interface RefundLookup {
  readonly phase: RefundPhase;
  readonly since: Instant;
  /** Look-ups of this phase that are behind us. */
  readonly step: number;
}

/** `unconfirmed`: its call had no answer. `portal`: the merchant refunds it in the provider's portal. */
export type RefundPhase = 'unconfirmed' | 'portal';

/** What the merchant, or a duplicate payment, asks for. */
export interface RefundRequest {
  readonly id: string;
  readonly amount: Paisa;
  readonly reason: RefundReason;
  readonly notes: string | null;
  readonly mobileNumber: string | null;
}

/** `earlier`: how many refunds its payment has already. */
export function newRefund(
  payment: Payment,
  request: RefundRequest,
  earlier: number,
  { now, eras }: Pick<Turn<ActorTypes>, 'now' | 'eras'>,
): Refund {
  const isCalled = hasTrait(payment.provider, 'refund_call');
  const era = eras.length === 0 ? '' : `-e${eras.length}`;
  return {
    id: request.id,
    paymentId: payment.id,
    amount: request.amount,
    reason: request.reason,
    status: isCalled ? 'processing' : 'requires_action',
    providerRefundId: null,
    failureReason: isCalled ? null : refundTexts.noRefundApi,
    notes: request.notes,
    mobileNumber: request.mobileNumber,
    sequence: 1,
    createdAt: now,
    updatedAt: now,
    call: isCalled ? (payment.unchecked === true ? 'waits' : 'asked') : 'none',
    derivedId:
      isCalled && payment.providerRef !== null ? `${payment.providerRef}${era}-r${earlier + 1}` : null,
    look: null,
  };
}

/** Texts of `failureReason`; for a refusal, the provider's own. */
export const refundTexts = {
  noRefundApi:
    "This provider has no refund API. Refund it in the provider's merchant portal, then mark it complete.",
  unconfirmed: 'The provider has not confirmed this refund. Check its portal.',
  shown:
    'This service was restored from a backup, and the provider shows a refund of this payment. Nothing was called. ' +
    'Check its portal, then mark this refund complete or cancel it.',
  cancelled: 'Cancelled by the merchant.',
  refused: 'The provider refused this refund.',
} as const;

/** It holds its amount: the provider or the merchant may still pay it out. */
export const isOpenRefund = ({ status }: Refund): boolean =>
  status === 'processing' || status === 'requires_action';

/** Its call waits for a look-up: the provider cannot have made it. */
export const isCallWaiting = ({ call }: Refund): boolean => call === 'waits';

/** Its call is on its way: the answer is awaited before anything else is concluded. */
export const isCallOut = ({ status, call }: Refund): boolean => status === 'processing' && call === 'asked';

/** The triggers of a refund, and the data known for each. */
export interface RefundTriggers {
  /** The provider answered 2xx; its own id of the refund, if it named one. */
  done: { readonly providerRefundId: string | null };
  /** The provider answered 4xx, with this text. */
  refused: { readonly message: string | null };
  /** Timeout, 5xx, unreadable: only look-ups decide now. */
  unanswered: null;
  /** A look-up proves that the money was returned. */
  proven: null;
  /** After a restore: a look-up shows no refund, so it is called now. */
  checked: null;
  /** After a restore: a look-up shows a refund, which may be this one. */
  refundShown: null;
  /** 72 hours without proof. */
  overdue: null;
  complete: { readonly notes: string | null };
  cancel: { readonly notes: string | null };
}

/** null: not allowed in this status (409). */
type Cell<Data> = (refund: Refund, data: Data) => Refund | null;
type RefundTable = {
  readonly [T in keyof RefundTriggers]: { readonly [S in RefundStatus]: Cell<RefundTriggers[T]> };
};

/** The refund after a trigger: the same object when the cell has no effect, null when it is not allowed. */
export function refundAfter<T extends keyof RefundTriggers>(
  refund: Refund,
  trigger: T,
  data: RefundTriggers[T],
): Refund | null {
  const row: { readonly [S in RefundStatus]: Cell<RefundTriggers[T]> } = refundTable[trigger];
  return row[refund.status](refund, data);
}

const same = (refund: Refund): Refund => refund;
const notNow = (): null => null;

const succeed = (refund: Refund, providerRefundId: string | null): Refund => ({
  ...refund,
  status: 'succeeded',
  providerRefundId: providerRefundId ?? refund.derivedId,
  failureReason: null,
  call: refund.call === 'asked' ? 'answered' : refund.call,
});
const proven = (refund: Refund): Refund => succeed(refund, null);

const fail = (refund: Refund, failureReason: string): Refund => ({
  ...refund,
  status: 'failed',
  failureReason,
  call: refund.call === 'asked' ? 'answered' : refund.call,
});

const withNotes = (refund: Refund, notes: string | null): Refund =>
  notes === null ? refund : { ...refund, notes: refund.notes === null ? notes : `${refund.notes}\n${notes}` };

/** It is about an open refund: nothing leaves `succeeded` and `failed`. */
const ifOpen = <Data>(processing: Cell<Data>, requires_action: Cell<Data> = same) => ({
  processing,
  requires_action,
  succeeded: same,
  failed: same,
});
/** It ends a refund that waits for the merchant. */
const ifRequired = <Data>(requires_action: Cell<Data>) => ({
  processing: notNow,
  requires_action,
  succeeded: notNow,
  failed: notNow,
});

const refundTable: RefundTable = {
  done: ifOpen((refund, { providerRefundId }) => succeed(refund, providerRefundId)),
  refused: ifOpen((refund, { message }) => fail(refund, message ?? refundTexts.refused)),
  unanswered: ifOpen((refund) => ({ ...refund, call: 'answered' })),
  proven: ifOpen(proven, proven),
  checked: ifOpen((refund) => ({ ...refund, call: 'asked' })),
  refundShown: ifOpen((refund) => ({
    ...refund,
    status: 'requires_action',
    failureReason: refundTexts.shown,
    call: 'none',
  })),
  overdue: ifOpen((refund) => ({
    ...refund,
    status: 'requires_action',
    failureReason: refundTexts.unconfirmed,
    call: refund.call === 'waits' ? 'none' : refund.call,
  })),
  complete: ifRequired((refund, { notes }) => withNotes(succeed(refund, null), notes)),
  cancel: ifRequired((refund, { notes }) => withNotes(fail(refund, refundTexts.cancelled), notes)),
};
