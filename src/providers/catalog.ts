/** Every provider by its traits, one line each: the list all other tables of providers come from.
 *  Boundary: plain data, for actors, pages and the browser; adapters are registry.ts's.
 *  1. The compiler asks for the rest of an offered provider: a descriptor in registry.ts, a simulator in
 *     gateways/simulator/simulated.ts. */
import { bankATraits } from './bank-a/traits.ts';
import { qrATraits } from './qr-a/traits.ts';
import type { ProviderTraits, WireTrait } from './traits.ts';
import { walletATraits } from './wallet-a/traits.ts';
import { walletBTraits } from './wallet-b/traits.ts';
import { walletCTraits } from './wallet-c/traits.ts';

/** In the order in which people are shown them. */
export const catalog = {
  wallet_a: walletATraits,
  wallet_b: walletBTraits,
  qr_a: qrATraits,
  bank_a: bankATraits,
  wallet_c: walletCTraits,
} as const satisfies { readonly [provider: string]: ProviderTraits };

type Catalog = typeof catalog;
export type Provider = keyof Catalog;

/** Those that have an adapter and a simulator. */
export type OfferedProvider = {
  [P in Provider]: Catalog[P]['isOffered'] extends true ? P : never;
}[Provider];

/** Names of settings that hold a live host. */
export type LiveHostName = Catalog[Provider]['liveHost']['calls' | 'pages'];

/** The faults that one provider's wire alone can show. */
export type OwnFaultKind = { [P in Provider]: keyof Catalog[P]['faults'] }[Provider];

// every key is a provider's: the table is the one above, and constant
export const providerNames = Object.keys(catalog) as readonly Provider[];

export const isOffered = (provider: Provider): provider is OfferedProvider => catalog[provider].isOffered;
export const offeredProviders: readonly OfferedProvider[] = providerNames.filter(isOffered);

export const checkoutProviders: readonly Provider[] = providerNames.filter(
  (each) => catalog[each].inCheckout,
);

export const hasTrait = (provider: Provider, trait: WireTrait): boolean =>
  traitsOf(provider).wire.includes(trait);

/** Without what only one provider's row says. */
export const traitsOf = (provider: Provider): ProviderTraits => catalog[provider];
