/** Everything about wallet_b in one value. */
import type { ProviderDescriptor } from '../provider.ts';
import { simulatorCredentials } from './simulator.ts';
import { walletBTraits } from './traits.ts';
import { walletB } from './wallet-b.ts';

export const walletBDescriptor: ProviderDescriptor = {
  ...walletBTraits,
  adapter: walletB,
  sandboxCredentials: simulatorCredentials,
};
