/** What the dashboard knows of providers. The build puts the values in the place of this file (config/vite.config.ts),
 *  so that browsers are not sent the rest of the catalog. */
import { catalog, offeredProviders, providerNames } from '../../../../src/providers/catalog.ts';

export const providerLabels: Readonly<Record<string, string>> = Object.fromEntries(
  providerNames.map((provider) => [provider, catalog[provider].label]),
);

/** Of any other there is no payment here yet. */
export const offeredIds: readonly string[] = offeredProviders;
