/** The simulated wallet_b in one value. */
import type { SimulatedProvider } from '../simulated-provider.ts';
import { walletB } from './page.ts';
import { walletBDoors } from './wallet-b.ts';

export const simulatedWalletB: SimulatedProvider = { doors: walletBDoors, buyersPayBy: walletB };
