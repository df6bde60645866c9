/** What the operator's screens ask for, and its data. */
import type { Asked } from './asked.ts';
import type { Result } from './failure.ts';

export type Plan = 'free' | 'premium';

export interface Merchant {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly plan: Plan;
  readonly suspended: boolean;
  readonly suspension: { readonly suspended_at: string; readonly reason: string } | null;
  readonly verified: boolean;
  /** null: the usual limit. */
  readonly createPerSecond: number | null;
  readonly projectId: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface NewMerchant {
  readonly merchant: Merchant;
  /** Shown this once. */
  readonly password: string;
}

/** What an operator may change of a merchant. */
export type MerchantChange = Pick<Merchant, 'plan' | 'verified' | 'createPerSecond'>;

export interface OperatorApi {
  merchant(id: string): Promise<Result<Merchant>>;
  /** Sent again, it makes another one. */
  newMerchant(request: Pick<Merchant, 'name' | 'email' | 'plan'>): Promise<Result<NewMerchant>>;
  changeMerchant(id: string, change: MerchantChange): Promise<Result<Merchant>>;
  /** Also replaces the reason of a suspension. */
  suspend(id: string, reason: string): Promise<Result<Merchant>>;
  unsuspend(id: string): Promise<Result<Merchant>>;
  newPassword(id: string): Promise<Result<Pick<NewMerchant, 'password'>>>;
}

export const operatorCallsOf = (asked: Asked): OperatorApi => ({
  merchant: (id) => asked('GET', pathOf(id)),
  newMerchant: (request) => asked('POST', base, request),
  changeMerchant: (id, change) => asked('PATCH', pathOf(id), change),
  suspend: (id, reason) => asked('POST', `${pathOf(id)}/suspend`, { reason }),
  unsuspend: (id) => asked('POST', `${pathOf(id)}/unsuspend`),
  newPassword: (id) => asked('POST', `${pathOf(id)}/reset-password`),
});

const base = 'api/operator/merchants';
const pathOf = (id: string): string => `${base}/${encodeURIComponent(id)}`;
