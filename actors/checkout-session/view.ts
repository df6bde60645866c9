/** A session and its payments as outsiders see them: API bodies, event data, tags.
 *  1. Keys are in the documented order; absent values are null.
 *  2. `wallet_a_intent` and all internal fields are never shown. */
import { isLive, projectOf, type Json, type ViewMeta, type ViewRow } from '../../src/runtime/model/actor.ts';
import { iso, isoOrNull, kathmanduDay, type Instant } from '../../src/kernel/time.ts';
import type { Payment } from './attempt.ts';
import type { Order, PostalAddress } from './order.ts';
import { amountOf } from './payment.ts';
import { orderIdsOf, searchTag, wordsOfPayment } from './payment-words.ts';
import type { HiddenSession, InitiatedSession, SessionState } from './state.ts';

/** The session's id and its scope. */
type Where = Pick<ViewMeta, 'id' | 'scope'>;
type Metadata = { readonly [key: string]: Json };
/** The Checkout session object of docs/reference/api/checkout.md. */
export const sessionView = (session: SessionState, { id, scope }: Where) => ({
  id,
  livemode: isLive(scope),
  status: session.status,
  flow: session.order.flow,
  provider: session.provider,
  source: session.order.source,
  amount: session.order.amount,
  currency: session.order.currency,
  description: session.order.description,
  checkout_url: session.order.checkoutUrl,
  returnUrl: session.order.returnUrl,
  cancelUrl: session.order.cancelUrl,
  collectAddress: session.order.collectAddress,
  customer: customerView(session.order),
  customerAddress: addressView(session.customerAddress),
  metadata: publicMetadata(session.order.metadata),
  referenceId: session.order.referenceId,
  paymentId: paymentIdOf(session),
  attempts: session.payments.length,
  late: session.status === 'success' && session.late,
  needsReview: needsReview(session),
  sequence: session.sequence,
  expires_at: iso(session.expiresAt),
  createdAt: iso(session.createdAt),
  updatedAt: iso(session.updatedAt),
});

/** The Payment object of docs/reference/api/payments.md. */
export const paymentView = (payment: Payment, session: SessionState, { id, scope }: Where) => ({
  id: payment.id,
  livemode: isLive(scope),
  projectId: projectOf(scope),
  sessionId: id,
  invoiceId: session.order.invoiceId ?? null,
  customerId: session.order.customerId ?? null,
  linkReferenceId: session.order.link?.referenceId ?? null,
  amount: amountOf(payment, session.order),
  amountExpected: payment.amountPaid === undefined ? null : session.order.amount,
  currency: session.order.currency,
  provider: payment.provider,
  providerRef: payment.providerRef,
  traceId: payment.traceId,
  status: payment.status,
  failureCode: payment.failure?.code ?? null,
  failureReason: payment.failure?.reason ?? null,
  refundedAmount: payment.refundedAmount,
  fee: payment.fee,
  customer: buyerView(session.order),
  metadata: publicMetadata(session.order.metadata),
  late: payment.late,
  duplicate: payment.duplicate,
  needsReview: payment.needsReview,
  sequence: payment.sequence,
  paidAt: isoOrNull(payment.paidAt),
  createdAt: iso(payment.createdAt),
  updatedAt: iso(payment.updatedAt),
});

export type PaymentView = ReturnType<typeof paymentView>;

/** The body of a row that may have been written before payments had this field. */
export const shownPayment = <Body extends object>(body: Body): Body =>
  'amountExpected' in body ? body : { ...body, amountExpected: null };

/** `data` of a `payment.*` event: the payment and the identifiers the merchant knows it by. Added to the new view: a
 *  spread that gets more fields costs many times as much. */
export const paymentEventData = (payment: Payment, session: SessionState, where: Where) =>
  Object.assign(paymentView(payment, session, where), {
    session: {
      id: where.id,
      referenceId: session.order.referenceId,
      metadata: publicMetadata(session.order.metadata),
    },
    customerAddress: addressView(session.customerAddress),
  });

/** Tags and body are made only when they are read: of most rows only the sequence is compared. A class, because an
 *  object literal with a getter costs as much as the body. */
class PaymentRow implements ViewRow {
  readonly kind = 'payment';
  readonly id: string;
  readonly sequence: number;
  readonly createdAt: Instant;
  readonly #payment: Payment;
  readonly #session: SessionState;
  readonly #meta: ViewMeta;

  constructor(payment: Payment, session: SessionState, meta: ViewMeta) {
    this.id = payment.id;
    this.sequence = payment.sequence;
    this.createdAt = payment.createdAt;
    this.#payment = payment;
    this.#session = session;
    this.#meta = meta;
  }
  get tags(): readonly string[] {
    return paymentTags(this.#payment, this.#session);
  }
  get body(): PaymentView {
    return paymentView(this.#payment, this.#session, this.#meta);
  }
}

/** One view row `payment` per attempt. */
export const paymentRows = (session: SessionState, meta: ViewMeta): readonly ViewRow[] =>
  session.payments.map((payment) => new PaymentRow(payment, session, meta));

function paymentTags(
  { providerRef, paidAt, needsReview }: Payment,
  session: SessionState,
): readonly string[] {
  const { customer, description, metadata, link } = session.order;
  return [
    ...tagsOf(session),
    ...wordsOfPayment({ customer, description, providerRef, metadata }).map(searchTag),
    ...(paidAt === null ? [] : [paidOnTag(paidAt)]),
    ...(needsReview ? [underReviewTag] : []),
    ...(link === undefined ? [] : [linkTag(link.id)]),
  ];
}

/** `paidOn=2026-11-20`: finds the payments paid on that day, in Asia/Kathmandu. No API filter can express
 *  this, and late money is found on the day it arrived, however old its payment is. */
export const paidOnTag = (at: Instant): string => `paidOn=${kathmanduDay(at)}`;

/** Begins the tag of each session that is the record of an Idempotency-Key. */
export const keyTagPrefix = 'idempotencyKey=';
/** Finds the sessions of an Idempotency-Key. `tag` is derived from scope and key: the key itself is not stored. */
export const keyTag = (tag: string): string => `${keyTagPrefix}${tag}`;

/** Finds what a buyer or a shop knows by this reference, in all projects. */
export const orderIdTag = (orderId: string): string => `orderId=${orderId}`;
export const providerRefTag = (providerRef: string): string => `providerRef=${providerRef}`;

/** Finds the sessions and the payments that came by a payment link. */
export const linkTag = (linkId: string): string => `link=${linkId}`;

/** Carried beside a reference's tag by what is paid: of several with one reference, the paid one is found
 *  without reading the others. */
export const paidTag = (tag: string): string => `paid ${tag}`;

const referenceTags = ({ providerRef, paidAt }: Payment): readonly string[] => {
  if (providerRef === null) return [];
  const tag = providerRefTag(providerRef);
  return paidAt === null ? [tag] : [tag, paidTag(tag)];
};

/** Finds what an operator must review, in all projects. */
export const underReviewTag = 'review=open';

/** A hidden session as it will look once it is visible. */
export const shownSession = (session: HiddenSession): InitiatedSession => ({
  ...session,
  status: 'initiated',
  source: session.order.source,
  waiting: null,
});

/** The payment of a hidden session, stored under another kind: no list contains it and no API reads it, but
 *  the sandbox's provider finds the owner of the attempt. Removed when the session becomes visible or is
 *  deleted. */
export const hiddenRows = (session: HiddenSession, meta: ViewMeta): readonly ViewRow[] =>
  paymentRows(shownSession(session), meta).map(({ id, sequence, createdAt, body }) => ({
    kind: 'hidden_payment',
    id,
    sequence,
    createdAt,
    tags: [],
    body,
  }));

/** `metadata.<key>=<text>` of each top-level scalar, `orderId=<text>` of order_id and orderId. */
export function tagsOf({ order }: SessionState): readonly string[] {
  const tags = new Set<string>();
  for (const [key, value] of Object.entries(publicMetadata(order.metadata))) {
    if (value === null || typeof value === 'object') continue;
    tags.add(`metadata.${key}=${String(value)}`);
  }
  for (const orderId of orderIdsOf(order)) tags.add(orderIdTag(orderId));
  return [...tags];
}

/** Of the session itself. Its payments carry these references only as words of a search, which another index
 *  holds: each reference is one entry of this one. */
export function sessionTags(session: SessionState): readonly string[] {
  const { order } = session;
  const references = [
    ...orderIdsOf(order).map(orderIdTag),
    ...(order.link === undefined ? [] : [linkTag(order.link.id)]),
  ];
  return [
    ...new Set([
      ...tagsOf(session),
      ...(session.keyed === undefined ? [] : [keyTag(session.keyed.tag)]),
      ...references,
      ...(session.status === 'success' ? references.map(paidTag) : []),
      ...session.payments.flatMap(referenceTags),
    ]),
  ];
}

/** The paying payment, else the running one, else null. */
export function paymentIdOf(session: SessionState): string | null {
  if (session.status === 'success') return session.paidBy;
  return session.status === 'initiated' ? session.running : null;
}

/** A session needs review while one of its payments does. */
export const needsReview = ({ payments }: SessionState): boolean =>
  payments.some((payment) => payment.needsReview);

/** The parts of a session's view that can change. */
export const sessionMarks = (session: SessionState): readonly unknown[] => [
  session.status,
  session.provider,
  session.expiresAt,
  JSON.stringify(session.customerAddress),
  paymentIdOf(session),
  session.payments.length,
  session.status === 'success' && session.late,
  needsReview(session),
];

/** The parts of a payment's view that can change. */
export const paymentMarks = (payment: Payment): readonly unknown[] => [
  payment.status,
  payment.providerRef,
  payment.traceId,
  payment.failure?.code,
  payment.failure?.reason,
  payment.amountPaid,
  payment.refundedAmount,
  payment.fee,
  payment.late,
  payment.duplicate,
  payment.needsReview,
  payment.paidAt,
];

const reservedKey = 'wallet_a_intent';

function publicMetadata(metadata: Metadata): Metadata {
  if (!Object.hasOwn(metadata, reservedKey)) return metadata;
  const { [reservedKey]: _internal, ...rest } = metadata;
  return rest;
}

const customerView = ({ customer }: Order) =>
  customer === null ? null : { ...buyer(customer), address: addressView(customer.address) };

const buyerView = ({ customer }: Order) => (customer === null ? null : buyer(customer));

const buyer = ({ name, email, phone }: NonNullable<Order['customer']>) => ({ name, email, phone });

const addressView = (address: PostalAddress | null): PostalAddress | null =>
  address === null
    ? null
    : {
        line1: address.line1,
        line2: address.line2,
        city: address.city,
        state: address.state,
        postalCode: address.postalCode,
        country: address.country,
      };
