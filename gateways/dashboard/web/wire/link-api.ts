/** What the screens of payment links ask for, and its data. */
import { pathOf, type Asked } from './asked.ts';
import type { Result } from './failure.ts';
import type { Place } from './types.ts';

export type LinkStatus = 'active' | 'inactive' | 'expired' | 'completed';

/** Amounts in paisa; times as ISO texts. */
export interface PaymentLink {
  readonly id: string;
  readonly referenceId: string;
  readonly name: string;
  readonly description: string | null;
  /** null: the buyer enters one from `minAmount` to `maxAmount`. */
  readonly amount: number | null;
  readonly minAmount: number | null;
  readonly maxAmount: number | null;
  /** The page to send buyers to. */
  readonly url: string;
  readonly status: LinkStatus;
  /** null: no limit. */
  readonly maxUses: number | null;
  readonly usedCount: number;
  readonly returnUrl: string | null;
  readonly collectAddress: boolean;
  readonly sequence: number;
  readonly expiresAt: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** A link to create. */
export type LinkRequest = Pick<
  PaymentLink,
  'name' | 'amount' | 'maxUses' | 'expiresAt' | 'returnUrl' | 'collectAddress'
> & {
  readonly description?: string;
  readonly minAmount?: number;
  readonly maxAmount?: number;
};

/** Absent: unchanged. */
export type LinkChange = Partial<Pick<PaymentLink, 'maxUses' | 'expiresAt'>> & { readonly active?: boolean };

export interface LinkApi {
  link(place: Place, id: string): Promise<Result<PaymentLink>>;
  /** Sent again with the same key, it is created once. */
  newLink(place: Place, request: LinkRequest, idempotencyKey: string): Promise<Result<PaymentLink>>;
  changeLink(place: Place, id: string, change: LinkChange): Promise<Result<PaymentLink>>;
}

export const linkCallsOf = (asked: Asked): LinkApi => ({
  link: (place, id) => asked('GET', linkOf(place, id)),
  newLink: (place, request, key) => asked('POST', linksOf(place), request, key),
  changeLink: (place, id, change) => asked('PATCH', linkOf(place, id), change),
});

const linksOf = (place: Place): string => `${pathOf(place)}/payment-links`;
const linkOf = (place: Place, id: string): string => `${linksOf(place)}/${encodeURIComponent(id)}`;
