/** Every payment provider, one line each: the only registration. */
import type { Adapter, Credentials, Provider } from './provider.ts';
import { qrA } from './qr-a/qr-a.ts';
import { simulatorCredentials as qrASandbox } from './qr-a/simulator.ts';
import { simulatorCredentials as walletASandbox } from './wallet-a/simulator.ts';
import { walletA } from './wallet-a/wallet-a.ts';
import { simulatorCredentials as walletBSandbox } from './wallet-b/simulator.ts';
import { walletB } from './wallet-b/wallet-b.ts';

export interface Registered {
  readonly adapter: Adapter;
  /** What a new sandbox project starts with: they open the simulator and nothing else (operations 4). */
  readonly sandboxCredentials: Credentials;
}

export const providers: ReadonlyMap<Provider, Registered> = new Map<Provider, Registered>([
  ['wallet_a', { adapter: walletA, sandboxCredentials: walletASandbox }],
  ['wallet_b', { adapter: walletB, sandboxCredentials: walletBSandbox }],
  ['qr_a', { adapter: qrA, sandboxCredentials: qrASandbox }],
]);
