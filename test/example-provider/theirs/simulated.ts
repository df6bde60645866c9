/** The simulated wallet_z in one value. */
import type { SimulatedProvider } from '../simulated-provider.ts';
import { walletZ } from './page.ts';
import { walletZDoors } from './wallet-z.ts';

export const simulatedWalletZ: SimulatedProvider = { doors: walletZDoors, buyersPayBy: walletZ };
