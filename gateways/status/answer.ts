/** The public status of a payment, as it is shown to anybody who knows a reference of it.
 *  Boundary: chooses fields; lookup.ts has found the session.
 *  1. Nothing of the buyer, no metadata but the order id, no failure text and no address of the shop is
 *     copied here: each field is named, no object is passed on whole. */
import { orderIdsOf } from '../../actors/checkout-session/payment-words.ts';
import { displayNpr } from '../../src/kernel/money.ts';
import { iso, type Instant } from '../../src/kernel/time.ts';
import { traitsOf } from '../../src/providers/catalog.ts';
import { isLive, type Scope } from '../../src/runtime/model/address.ts';
import type { Client } from '../../src/runtime/model/client.ts';
import { logoAddress } from '../logo/address.ts';
import { lookbackMonths, matchOf, type Asked, type Match } from './lookup.ts';
import { refreshMs, standingOf, standings } from './standing.ts';

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
    const merchant = await merchantOf(match.session.meta.scope);
    return statusBody(match, asked, { ...merchant, logoUrl: logoAddress(merchant.logoUrl, baseUrl) });
  };

/** Keys in the documented order; blocks with nothing in them are null. */
function statusBody(match: Match, { query }: Asked, merchant: MerchantShown) {
  const { matchedBy, session, payment, namesPayment } = match;
  const { state, meta } = session;
  const { order } = state;
  const code = standingOf(match);
  const { label, summary, terminal } = standings[code];
  const provider = payment?.provider ?? state.provider;
  const orderIds = orderIdsOf(order);
  const changedAt = payment === null ? state.updatedAt : Math.max(state.updatedAt, payment.updatedAt);
  return {
    lookup: { query, matchedBy, type: payment === null ? 'session' : 'payment', lookbackMonths },
    status: {
      code,
      label,
      summary,
      terminal,
      autoRefresh: !terminal,
      refreshIntervalMs: terminal ? 0 : refreshMs,
    },
    merchant: { name: merchant.name, logoUrl: merchant.logoUrl, verified: merchant.verified },
    amount: { value: order.amount, currency: order.currency, display: displayNpr(order.amount) },
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
      linkReferenceId: null,
      providerRef: payment?.providerRef ?? null,
    },
    mode: isLive(meta.scope) ? 'live' : 'sandbox',
    updatedAt: iso(namesPayment && payment !== null ? payment.updatedAt : changedAt),
  } as const;
}
