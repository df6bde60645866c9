/** The simulated wallet_c in one value. */
import { callbackOf } from '../../../src/providers/wallet-c/simulator.ts';
import { has } from '../faults.ts';
import type { SimulatedProvider } from '../simulated-provider.ts';
import { walletC } from './page.ts';
import { shownOf, walletCDoors } from './wallet-c.ts';

export const simulatedWalletC: SimulatedProvider = {
  doors: (deps) => walletCDoors(deps, walletC),
  buyersPayBy: walletC,
  callback(known, faults) {
    const { body, signature } = callbackOf(shownOf(known, faults), has(faults, 'bad_signature') !== null);
    return { body, headers: { signature } };
  },
};
