/** The traits of bank_a: how it is shown, its settings, its protocol's capabilities. */
import { bankDrawing } from '../drawings.ts';
import type { ProviderTraits } from '../traits.ts';

export const bankATraits = {
  label: 'Bank A',
  tile: { ground: '#3d4a57', drawing: bankDrawing },
  approval: 'bank',
  liveHost: { calls: 'GALLA_BANK_A_URL', pages: 'GALLA_BANK_A_PAGE_URL' },
  apart: { calls: '/ws', pages: '/gateway' },
  credentials: [
    { name: 'merchantId', label: 'Merchant id', identifies: true },
    { name: 'appId', label: 'App id', identifies: true, charactersMax: 15 },
    { name: 'appName', label: 'App name', identifies: true, charactersMax: 30 },
    { name: 'appPassword', label: 'App password' },
    { name: 'privateKey', label: 'Private key (PEM)', pem: true },
  ],
  inCheckout: false,
  inBilling: true,
  wire: ['returns'],
  faults: {},
} as const satisfies ProviderTraits;
