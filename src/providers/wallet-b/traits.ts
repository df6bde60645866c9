/** The traits of wallet_b: how it is shown, its settings, its protocol's capabilities. */
import { walletDrawing } from '../drawings.ts';
import type { ProviderTraits } from '../traits.ts';

export const walletBTraits = {
  label: 'Wallet B',
  tile: { ground: '#5b3a8c', drawing: walletDrawing },
  approval: 'wallet',
  liveHost: { calls: 'GALLA_WALLET_B_URL', pages: 'GALLA_WALLET_B_URL' },
  credentials: [{ name: 'secretKey', label: 'Secret key' }],
  inCheckout: true,
  inBilling: true,
  wire: ['returns', 'fee_later', 'refund_call'],
  faults: {},
} as const satisfies ProviderTraits;
