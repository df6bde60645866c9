/** Everything about wallet_c in one value. */
import type { ProviderDescriptor } from '../provider.ts';
import { simulatorCredentials } from './simulator.ts';
import { walletCTraits } from './traits.ts';
import { walletC } from './wallet-c.ts';

export const walletCDescriptor: ProviderDescriptor = {
  ...walletCTraits,
  adapter: walletC,
  sandboxCredentials: simulatorCredentials,
};
