/** Everything about qr_a in one value. */
import type { ProviderDescriptor } from '../provider.ts';
import { simulatorCredentials } from './simulator.ts';
import { qrATraits } from './traits.ts';
import { qrA } from './qr-a.ts';

export const qrADescriptor: ProviderDescriptor = {
  ...qrATraits,
  adapter: qrA,
  sandboxCredentials: simulatorCredentials,
};
