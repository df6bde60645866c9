/** The simulated wallet_a in one value. */
import type { SimulatedProvider } from '../simulated-provider.ts';
import { walletPageDoors } from '../wallet-page.ts';
import { has } from '../faults.ts';
import { callbackBody } from '../../../src/providers/wallet-a/app/simulator.ts';
import { shownOf as shownInApp, walletAApp, walletAAppDoors } from './app.ts';
import { walletA } from './page.ts';
import { walletADoors } from './wallet-a.ts';

export const simulatedWalletA: SimulatedProvider = {
  doors: (deps) => [
    ...walletADoors(deps, walletA),
    ...walletAAppDoors(deps),
    ...walletPageDoors(deps, walletAApp),
  ],
  buyersPayBy: walletA,
  app: walletAApp,
  callback: (known, faults) => ({
    body: callbackBody(shownInApp(known, faults), {
      badSignature: has(faults, 'bad_signature') !== null,
      statusUnsigned: has(faults, 'missing_signed_field') !== null,
    }),
    headers: {},
  }),
};
