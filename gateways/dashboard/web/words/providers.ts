/** The dashboard's data about providers. The build replaces this file by the values
 *  (config/vite.config.ts), so that browsers do not download the rest of the catalog. */
import { catalog, hasTrait, offeredProviders, providerNames } from '../../../../src/providers/catalog.ts';

export const providerLabels: Readonly<Record<string, string>> = Object.fromEntries(
  providerNames.map((provider) => [provider, catalog[provider].label]),
);

/** No other provider has payments here yet. */
export const offeredIds: readonly string[] = offeredProviders;

/** A refund is a call to them, which may need the buyer's mobile number. */
export const refundCallIds: readonly string[] = offeredProviders.filter((provider) =>
  hasTrait(provider, 'refund_call'),
);
