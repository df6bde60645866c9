/** The descriptor of every provider, one line each. The compiler requires all that catalog.ts has. */
import { bankADescriptor } from './bank-a/descriptor.ts';
import { providerNames, type Provider } from './catalog.ts';
import type { Credentials, ProviderDescriptor } from './provider.ts';
import { qrADescriptor } from './qr-a/descriptor.ts';
import { walletADescriptor } from './wallet-a/descriptor.ts';
import { walletBDescriptor } from './wallet-b/descriptor.ts';
import { walletCDescriptor } from './wallet-c/descriptor.ts';

const descriptors: { readonly [P in Provider]: ProviderDescriptor } = {
  wallet_a: walletADescriptor,
  wallet_b: walletBDescriptor,
  qr_a: qrADescriptor,
  bank_a: bankADescriptor,
  wallet_c: walletCDescriptor,
};

/** In the order of the catalog. */
export const providers: ReadonlyMap<Provider, ProviderDescriptor> = new Map<Provider, ProviderDescriptor>(
  providerNames.map((provider) => [provider, descriptors[provider]]),
);

/** The credentials of a new sandbox project: they are accepted only by the simulator. */
export const sandboxCredentialsOf = (provider: Provider): Credentials =>
  descriptors[provider].sandboxCredentials;
