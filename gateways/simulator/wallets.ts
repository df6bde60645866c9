/** Every simulated wallet a buyer can stand in front of, one line each. */
import type { Provider } from '../../src/providers/answers.ts';
import type { Wallet } from './wallet.ts';
import { walletA } from './wallet-a/page.ts';
import { walletB } from './wallet-b/page.ts';

export const wallets: ReadonlyMap<Provider, Wallet> = new Map<Provider, Wallet>([
  [walletA.provider, walletA],
  [walletB.provider, walletB],
]);
