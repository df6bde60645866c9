/** Everything about wallet_z in one value. */
import type { ProviderDescriptor } from '../../src/providers/provider.ts';
import { simulatorCredentials } from './simulator.ts';
import { walletZTraits } from './traits.ts';
import { walletZ } from './wallet-z.ts';

export const walletZDescriptor: ProviderDescriptor = {
  ...walletZTraits,
  adapter: walletZ,
  sandboxCredentials: simulatorCredentials,
};
