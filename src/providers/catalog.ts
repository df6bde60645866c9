/** The traits of every provider, one line each: all other tables of providers are derived from this list.
 *  Boundary: plain data, for actors, pages and the browser; adapters are in registry.ts.
 *  1. The compiler requires the other parts of each: a descriptor in registry.ts and a simulator in
 *     gateways/simulator/simulated.ts. */
import { bankATraits } from './bank-a/traits.ts';
import { qrATraits } from './qr-a/traits.ts';
import type { ProviderTraits, WireTrait } from './traits.ts';
import { walletATraits } from './wallet-a/traits.ts';
import { walletBTraits } from './wallet-b/traits.ts';
import { walletCTraits } from './wallet-c/traits.ts';

/** In display order. */
export const catalog = {
  wallet_a: walletATraits,
  wallet_b: walletBTraits,
  qr_a: qrATraits,
  bank_a: bankATraits,
  wallet_c: walletCTraits,
} as const satisfies { readonly [provider: string]: ProviderTraits };

type Catalog = typeof catalog;
export type Provider = keyof Catalog;

/** Names of settings that hold a live host. */
export type LiveHostName = Catalog[Provider]['liveHost']['calls' | 'pages'];

/** The faults that only one provider's protocol can show. */
export type OwnFaultKind = { [P in Provider]: keyof Catalog[P]['faults'] }[Provider];

// every key is a provider: the table is the one above, and constant
export const providerNames = Object.keys(catalog) as readonly Provider[];

export const checkoutProviders: readonly Provider[] = providerNames.filter(
  (each) => catalog[each].inCheckout,
);

/** Those that a plan or a subscription may prefer. */
export const billingProviders: readonly Provider[] = providerNames.filter((each) => catalog[each].inBilling);

export const hasTrait = (provider: Provider, trait: WireTrait): boolean =>
  traitsOf(provider).wire.includes(trait);

/** Without the fields that only one provider's row has. */
export const traitsOf = (provider: Provider): ProviderTraits => catalog[provider];

// one has the trait, which a test holds
export const directQrProvider = providerNames.find((each) => traitsOf(each).directQr === true) as Provider;
