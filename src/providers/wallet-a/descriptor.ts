/** Everything about wallet_a in one value. */
import type { ProviderDescriptor } from '../provider.ts';
import { simulatorCredentials } from './simulator.ts';
import { walletATraits } from './traits.ts';
import { walletA } from './wallet-a.ts';

export const walletADescriptor: ProviderDescriptor = {
  ...walletATraits,
  adapter: walletA,
  sandboxCredentials: simulatorCredentials,
};
