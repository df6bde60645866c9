/** The commands of a merchant account. Always `system` scope. */
import { address, type Address } from '../../src/runtime/model/actor.ts';
import type { Instant } from '../../src/kernel/time.ts';

export const merchantAt = (id: string): Address<MerchantCommands> => address('merchant', id);

export interface MerchantCommands {
  open: {
    readonly name: string;
    readonly email: string;
    readonly plan: 'free' | 'premium';
    readonly projectId: string;
  };
  suspend: { readonly reason: string };
  unsuspend: Record<string, never>;
  change: {
    readonly plan?: 'free' | 'premium';
    readonly verified?: boolean;
    readonly name?: string;
    readonly logoUrl?: string | null;
    readonly shopUrl?: string | null;
    readonly createPerSecond?: number | null;
  };
  /** What the merchant itself may change. */
  changeBusiness: {
    readonly name?: string;
    readonly logoUrl?: string | null;
    readonly shopUrl?: string | null;
  };
}

interface MerchantFields {
  readonly name: string;
  readonly email: string;
  readonly plan: 'free' | 'premium';
  readonly projectId: string;
  readonly verified: boolean;
  /** The address that the operator gave, or the path of the uploaded picture on this service (`/logo/...`). */
  readonly logoUrl: string | null;
  /** Absent in documents of version 0.1: none. */
  readonly shopUrl?: string | null;
  /** Checkouts, Direct-QRs and refunds per second in live; null = the default limit. */
  readonly createPerSecond: number | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export type MerchantState =
  | (MerchantFields & { readonly status: 'active' })
  | (MerchantFields & {
      readonly status: 'suspended';
      readonly suspension: { readonly at: Instant; readonly reason: string };
    });

export interface MerchantTypes {
  state: MerchantState;
  terminal: never;
  commands: MerchantCommands;
  effects: Record<never, never>;
}
