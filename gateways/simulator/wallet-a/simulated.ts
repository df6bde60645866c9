/** The simulated wallet_a in one value. */
import type { SimulatedProvider } from '../simulated-provider.ts';
import { walletA } from './page.ts';
import { walletADoors } from './wallet-a.ts';

export const simulatedWalletA: SimulatedProvider = {
  doors: (deps) => walletADoors(deps, walletA),
  buyersPayBy: walletA,
};
