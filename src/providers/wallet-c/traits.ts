/** wallet_c, which has no adapter yet: its name, its tile and its settings. */
import { walletDrawing } from '../drawings.ts';
import type { ProviderTraits } from '../traits.ts';

export const walletCTraits = {
  label: 'Wallet C',
  tile: { ground: '#8a4b12', drawing: walletDrawing },
  approval: 'wallet',
  liveHost: { calls: 'GALLA_WALLET_C_URL', pages: 'GALLA_WALLET_C_URL' },
  credentials: [
    { name: 'merchantId', label: 'Merchant id', identifies: true },
    { name: 'clientId', label: 'Client id' },
    { name: 'clientApiKey', label: 'Client API key' },
    { name: 'clientSecret', label: 'Client secret' },
    { name: 'webhookSecret', label: 'Webhook secret' },
  ],
  isOffered: false,
  inCheckout: false,
  wire: [],
  faults: {},
} as const satisfies ProviderTraits;
