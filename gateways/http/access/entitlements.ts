/** What the plans include, in each mode. */
import type { MerchantState } from '../../../actors/merchant/messages.ts';
import type { Entitlement, ErrorDetails } from '../../../src/errors.ts';
import type { Mode } from '../../../src/runtime/model/address.ts';

type Plan = MerchantState['plan'];

const included: {
  readonly [E in Entitlement]: { readonly [mode in Mode]: readonly Plan[] } & { readonly message: string };
} = {
  'qr_a.directQr': {
    sandbox: ['premium'],
    live: ['premium'],
    message: 'Direct-QR is not part of your plan.',
  },
  'wallet_a.intent': {
    sandbox: ['free', 'premium'],
    live: [],
    message: 'The app-intent flow of wallet_a is not part of any plan in live mode.',
  },
};

// every key is an entitlement: the table is the one above, and constant
export const entitlements = Object.keys(included) as readonly Entitlement[];

/** What `appIntent` needs. */
export const appIntentEntitlement: Entitlement = 'wallet_a.intent';

export const isEntitled = (
  entitlement: Entitlement,
  { plan, mode }: { readonly plan: Plan; readonly mode: Mode },
): boolean => included[entitlement][mode].includes(plan);

/** The fields of the refusal. */
export const lacking = (entitlement: Entitlement): ErrorDetails => ({
  message: included[entitlement].message,
  entitlement,
});
