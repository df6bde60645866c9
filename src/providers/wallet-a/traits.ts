/** The traits of wallet_a: how it is shown, its settings, its protocol's capabilities and its possible
 *  faults. */
import { walletDrawing } from '../drawings.ts';
import { faultIn, type ProviderTraits } from '../traits.ts';

export const walletATraits = {
  label: 'Wallet A',
  tile: { ground: '#2f6f3e', drawing: walletDrawing },
  approval: 'wallet',
  liveHost: { calls: 'GALLA_WALLET_A_STATUS_URL', pages: 'GALLA_WALLET_A_URL' },
  credentials: [
    { name: 'merchantCode', label: 'Merchant code', identifies: true },
    { name: 'secretKey', label: 'Secret key' },
    { name: 'intentProductCode', label: 'App-intent product code', optional: true, identifies: true },
    { name: 'intentSecretKey', label: 'App-intent secret key', optional: true },
  ],
  inCheckout: true,
  inBilling: true,
  wire: ['returns', 'signed_returns', 'spellings', 'app_intent', 'callbacks'],
  faults: {
    booking_short: faultIn('start'),
    deeplink_dead: { calls: ['start'], counts: 'moment', replaces: false },
  },
} as const satisfies ProviderTraits;
