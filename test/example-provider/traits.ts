/** wallet_z without its adapter: how it is shown, its settings, what its wire can do and how it may fail. */
import { walletDrawing } from '../../src/providers/drawings.ts';
import { faultIn, type ProviderTraits } from '../../src/providers/traits.ts';

export const walletZTraits = {
  label: 'Wallet Z',
  tile: { ground: '#7a1f4b', drawing: walletDrawing },
  approval: 'wallet',
  liveHost: { calls: 'GALLA_WALLET_Z_URL', pages: 'GALLA_WALLET_Z_URL' },
  credentials: [{ name: 'token', label: 'Token' }],
  inCheckout: true,
  inBilling: true,
  wire: ['returns'],
  faults: { no_receipt: faultIn('lookup') },
} as const satisfies ProviderTraits;
