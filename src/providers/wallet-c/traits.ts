/** The traits of wallet_c: how it is shown, its settings, its protocol's capabilities and its possible faults. */
import { walletDrawing } from '../drawings.ts';
import type { ProviderTraits } from '../traits.ts';

export const walletCTraits = {
  label: 'Wallet C',
  tile: { ground: '#8a4b12', drawing: walletDrawing },
  approval: 'wallet',
  liveHost: { calls: 'GALLA_WALLET_C_URL', pages: 'GALLA_WALLET_C_PAGE_URL' },
  apart: { calls: '', pages: '/gateway', isFormAddress: true },
  credentials: [
    { name: 'merchantId', label: 'Merchant id', identifies: true },
    { name: 'clientId', label: 'Client id' },
    { name: 'clientApiKey', label: 'Client API key' },
    { name: 'clientSecret', label: 'Client secret' },
    { name: 'webhookSecret', label: 'Webhook secret' },
  ],
  inCheckout: false,
  inBilling: true,
  amounts: { min: 1000, max: 5_000_000 },
  wire: ['returns', 'callbacks', 'spellings'],
  faults: {},
} as const satisfies ProviderTraits;
