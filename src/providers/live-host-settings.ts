/** The settings of the providers' live addresses.
 *  Boundary: names, reasons and allowed values, derived from each provider's traits; src/config.ts reads them. */
import { formAddress, providerAddress, setting, type Setting } from '../kernel/setting-values.ts';
import { catalog, providerNames, traitsOf, type LiveHostName, type Provider } from './catalog.ts';

const liveHost = (
  name: LiveHostName,
  reason: string,
  read = providerAddress,
): readonly [LiveHostName, Setting<string>] => [
  name,
  setting({
    name,
    default: null,
    allowed: 'an https address without query (http is allowed on loopback only)',
    reason,
    read,
  }),
];

/** The live address of each provider, under the names in its traits. Every LiveHostName belongs to a
 *  provider, so each has its row. */
export const liveHosts = Object.fromEntries(
  providerNames.flatMap((provider) => {
    const { calls, pages } = catalog[provider].liveHost;
    const { apart } = traitsOf(provider);
    if (apart !== undefined) return apartHosts(provider, apart.isFormAddress === true);
    const page = liveHost(
      pages,
      `live host of ${provider}; unset: its live starts end in 502 provider_unavailable`,
    );
    const call = liveHost(
      calls,
      `live host of ${provider} that answers look-ups; unset: the same as ${pages}`,
    );
    return calls === pages ? [page] : [page, call];
  }),
) as { readonly [Name in LiveHostName]: Setting<string> };

/** Of a provider whose calls and pages are at two addresses. */
function apartHosts(
  provider: Provider,
  isForm: boolean,
): readonly (readonly [LiveHostName, Setting<string>])[] {
  const { calls, pages } = catalog[provider].liveHost;
  const unset = 'unset: its live starts end in 502 provider_unavailable';
  const what = isForm ? 'of the page that takes the form of' : 'of the pages of';
  return [
    liveHost(
      pages,
      `live address ${what} ${provider}; set together with ${calls}`,
      isForm ? formAddress : providerAddress,
    ),
    liveHost(calls, `live address of ${provider} for our calls; set together with ${pages}; ${unset}`),
  ];
}
