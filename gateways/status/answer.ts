/** The public status of a payment, as it is shown to anybody who knows a reference of it.
 *  Boundary: chooses fields; lookup.ts has found the session or the payment link.
 *  1. Nothing of the buyer, no metadata but the order id, no failure text and no address of the shop is
 *     copied here: each field is named, no object is passed on whole. */
import { amountOf as paymentAmountOf } from '../../actors/checkout-session/payment.ts';
import { orderIdsOf } from '../../actors/checkout-session/payment-words.ts';
import { displayNpr, type Paisa } from '../../src/kernel/money.ts';
import { iso, type Instant } from '../../src/kernel/time.ts';
import { traitsOf } from '../../src/providers/catalog.ts';
import { isLive, type Mode, type Scope } from '../../src/runtime/model/address.ts';
import type { Client } from '../../src/runtime/model/client.ts';
import { logoAddress } from '../logo/address.ts';
import {
  lookbackMonths,
  matchOf,
  type Asked,
  type LinkFound,
  type Match,
  type MatchedBy,
  type SessionFound,
} from './lookup.ts';
import { linkStatusCodes, refreshMs, statusCodeOf, publicStatuses } from './status-codes.ts';

/** The merchant as anybody may see it. */
export interface MerchantShown {
  readonly name: string;
  readonly logoUrl: string | null;
  /** The operator has checked who this is. */
  readonly verified: boolean;
}

export interface StatusParts {
  readonly client: Pick<Client, 'read' | 'readRow' | 'newestTagged' | 'now'>;
  readonly merchantOf: (scope: Scope) => Promise<MerchantShown>;
  /** Public address of the service. */
  readonly baseUrl: string;
  /** Real time. */
  readonly now: () => Instant;
}

export type PublicStatus = ReturnType<typeof statusBody>;
export type LookUp = (asked: Asked) => Promise<PublicStatus | 'ambiguous' | null>;

/** Rejects when the store does not answer. */
export const createLookUp =
  ({ client, merchantOf, baseUrl, now }: StatusParts): LookUp =>
  async (asked) => {
    const match = await matchOf(client, asked, now());
    if (match === null || match === 'ambiguous') return match;
    const { scope } = match.session === null ? match.link.meta : match.session.meta;
    const merchant = await merchantOf(scope);
    return statusBody(match, asked, { ...merchant, logoUrl: logoAddress(merchant.logoUrl, baseUrl) });
  };

/** Keys in the documented order; blocks with nothing in them are null. */
function statusBody(match: Match, { query }: Asked, merchant: MerchantShown) {
  const { name, logoUrl, verified } = merchant;
  const { matchedBy } = match;
  const of = match.session === null ? linkBody(match) : sessionBody(match, query, matchedBy);
  const { label, terminal } = publicStatuses[of.code];
  return {
    lookup: { query, matchedBy, type: of.type, lookbackMonths },
    status: {
      code: of.code,
      label,
      summary: of.summary,
      terminal,
      autoRefresh: !terminal,
      refreshIntervalMs: terminal ? 0 : refreshMs,
    },
    merchant: { name, logoUrl, verified },
    amount: of.amount,
    provider: of.provider,
    payment: of.payment,
    session: of.session,
    references: of.references,
    mode: of.mode,
    updatedAt: of.updatedAt,
  } as const;
}

const amountOf = (amount: Paisa) =>
  ({ value: amount, currency: 'NPR', display: displayNpr(amount) }) as const;
const modeOf = (scope: Scope): Mode => (isLive(scope) ? 'live' : 'sandbox');

function linkBody({ link: { state, meta } }: LinkFound) {
  return {
    type: 'payment_link',
    ...linkStatusCodes[state.status],
    amount: state.amount === null ? null : amountOf(state.amount),
    provider: null,
    payment: null,
    session: null,
    references: { orderId: null, linkReferenceId: state.referenceId, providerRef: null },
    mode: modeOf(meta.scope),
    updatedAt: iso(state.updatedAt),
  } as const;
}

function sessionBody(found: SessionFound, query: string, matchedBy: MatchedBy) {
  const { session, payment, namesPayment } = found;
  const { state, meta } = session;
  const { order } = state;
  const code = statusCodeOf(found);
  const provider = payment?.provider ?? state.provider;
  const orderIds = orderIdsOf(order);
  const changedAt = payment === null ? state.updatedAt : Math.max(state.updatedAt, payment.updatedAt);
  return {
    type: payment === null ? 'session' : 'payment',
    code,
    summary: publicStatuses[code].summary,
    amount: amountOf(payment === null ? order.amount : paymentAmountOf(payment, order)),
    provider: provider === null ? null : { id: provider, label: traitsOf(provider).label },
    payment:
      payment === null
        ? null
        : {
            id: payment.id,
            status: payment.status,
            providerRef: payment.providerRef,
            createdAt: iso(payment.createdAt),
            updatedAt: iso(payment.updatedAt),
          },
    session: {
      id: meta.id,
      status: state.status,
      referenceId: order.referenceId,
      expiresAt: iso(state.expiresAt),
      createdAt: iso(state.createdAt),
      updatedAt: iso(state.updatedAt),
    },
    references: {
      orderId: orderIds.find((each) => matchedBy === 'order_id' && each === query) ?? orderIds[0] ?? null,
      linkReferenceId: order.link?.referenceId ?? null,
      providerRef: payment?.providerRef ?? null,
    },
    mode: modeOf(meta.scope),
    updatedAt: iso(namesPayment && payment !== null ? payment.updatedAt : changedAt),
  } as const;
}
