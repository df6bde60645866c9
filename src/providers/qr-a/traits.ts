/** The traits of qr_a: how it is shown, its settings, its protocol's capabilities and its possible faults. */
import { qrDrawing } from '../drawings.ts';
import { faultIn, type ProviderTraits } from '../traits.ts';

export const qrATraits = {
  label: 'QR A',
  tile: { ground: '#1f4e8c', drawing: qrDrawing },
  approval: 'code',
  liveHost: { calls: 'GALLA_QR_A_URL', pages: 'GALLA_QR_A_URL' },
  credentials: [
    { name: 'merchantCode', label: 'Merchant code', identifies: true },
    { name: 'secretKey', label: 'Secret key' },
    { name: 'username', label: 'User name' },
    { name: 'password', label: 'Password' },
  ],
  inCheckout: true,
  inBilling: false,
  directQr: true,
  wire: ['socket', 'scanned_code', 'lookup_without_amount'],
  faults: { create_status: faultIn('start'), bad_crc: faultIn('start'), no_amount: faultIn('lookup') },
} as const satisfies ProviderTraits;
