/** Every payment provider, one line each: the only registration. */
import type { Adapter, Credentials, Provider } from './provider.ts';
import { simulatorCredentials as walletBSandbox } from './wallet-b/simulator.ts';
import { walletB } from './wallet-b/wallet-b.ts';

export interface Registered {
  readonly adapter: Adapter;
  /** What a new sandbox project starts with: they open the simulator and nothing else (operations 4). */
  readonly sandboxCredentials: Credentials;
}

export const providers: ReadonlyMap<Provider, Registered> = new Map([
  ['wallet_b', { adapter: walletB, sandboxCredentials: walletBSandbox }],
]);
