/** Every simulated provider, one line each. The compiler requires one for each provider in the catalog. */
import { providerNames, type Provider } from '../../src/providers/catalog.ts';
import { simulatedBankA } from './bank-a/bank-a.ts';
import { simulatedQrA } from './qr-a/page.ts';
import { isAppLeg, type Known } from './payments.ts';
import type { SimulatedProvider } from './simulated-provider.ts';
import { simulatedWalletA } from './wallet-a/wallet-a.ts';
import { simulatedWalletB } from './wallet-b/wallet-b.ts';
import { simulatedWalletC } from './wallet-c/wallet-c.ts';
import type { Wallet } from './wallet.ts';

const table: { readonly [P in Provider]: SimulatedProvider } = {
  wallet_a: simulatedWalletA,
  wallet_b: simulatedWalletB,
  qr_a: simulatedQrA,
  bank_a: simulatedBankA,
  wallet_c: simulatedWalletC,
};

/** In the order of the catalog. */
export const allSimulated: readonly SimulatedProvider[] = providerNames.map((provider) => table[provider]);

/** The page on which the buyer of this payment pays; null: its buyers use no such page. */
export const walletFor = ({ paymentId, state: { provider } }: Known): Wallet | null =>
  isAppLeg(paymentId) ? (simulatedBy(provider).app ?? null) : walletOf(provider);

export const simulatedBy = (provider: Provider): SimulatedProvider => table[provider];

/** null: its buyers use no wallet page. */
export function walletOf(provider: Provider): Wallet | null {
  const { buyersPayBy } = simulatedBy(provider);
  return buyersPayBy.is === 'wallet' ? buyersPayBy : null;
}
