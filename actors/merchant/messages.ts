/** What a merchant account understands. Always `system` scope. */
import { address, type Address } from '../../src/runtime/actor.ts';

export const merchantAt = (id: string): Address<MerchantCommands> => address('merchant', id);

export interface MerchantCommands {
  open: {
    readonly name: string;
    readonly email: string;
    readonly plan: 'free' | 'premium';
    readonly projectId: string;
    /** scrypt hash of the dashboard password, `salt:hash` in base64. */
    readonly passwordHash: string;
  };
  suspend: { readonly reason: string };
  unsuspend: Record<string, never>;
  change: {
    readonly plan?: 'free' | 'premium';
    readonly verified?: boolean;
    readonly name?: string;
    readonly logoUrl?: string | null;
    readonly createPerSecond?: number | null;
  };
}
