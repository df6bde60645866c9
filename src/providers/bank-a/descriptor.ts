/** Everything about bank_a in one value. */
import type { ProviderDescriptor } from '../provider.ts';
import { bankA } from './bank-a.ts';
import { simulatorCredentials } from './simulator.ts';
import { bankATraits } from './traits.ts';

export const bankADescriptor: ProviderDescriptor = {
  ...bankATraits,
  adapter: bankA,
  sandboxCredentials: simulatorCredentials,
};
