/** The dependencies of calls to providers: a provider's address and its credentials. */
import type { Provider } from './answers.ts';
import { merchantAt, type MerchantState } from '../../actors/merchant/messages.ts';
import { projectAt, settingsOf, type ProjectState } from '../../actors/project/messages.ts';
import type { Settings } from '../config.ts';
import type { Seal } from '../kernel/seal.ts';
import type { Http } from '../outbound/http.ts';
import { isLive, projectOf, type Mode } from '../runtime/model/address.ts';
import type { Client } from '../runtime/model/client.ts';
import type { Log } from '../telemetry/log.ts';
import type { Breakers } from './breaker.ts';
import type { ProviderDeps } from './call.ts';
import type { OnAnswer } from './refusal.ts';
import { catalog, traitsOf } from './catalog.ts';
import { openingWith } from './credentials.ts';
import { providers } from './registry.ts';
import { createSender } from './sender.ts';

export interface CallParts {
  readonly settings: Settings;
  readonly seal: Seal;
  /** Our address for browsers. */
  readonly baseUrl: string;
  /** Our listening address, where our own simulator is reached. */
  readonly listenerUrl: string;
  readonly http: Http;
  readonly breakers: Breakers;
  readonly onAnswer: OnAnswer;
  readonly log: Log;
  /** Whether a plan includes payments in a provider's app. */
  readonly isAppIntentIn: (of: { readonly plan: MerchantState['plan']; readonly mode: Mode }) => boolean;
  /** Called when the first call is made. */
  readonly client: () => Pick<Client, 'read'>;
}

/** Where our simulator plays the provider: `/sim/bank_a/ws`. */
export const simulatedPath = (provider: Provider, which: 'calls' | 'pages'): string =>
  `/sim/${provider}${traitsOf(provider).apart?.[which] ?? ''}`;

/** The address of live calls to a provider; null: it has none here. One without an address of its own for calls is
 *  called at that of its pages. */
export function liveCallsAt(settings: Settings, provider: Provider): string | null {
  const { calls, pages } = catalog[provider].liveHost;
  return settings[calls] ?? (traitsOf(provider).apart === undefined ? settings[pages] : null);
}

export function providerDeps(parts: CallParts): ProviderDeps {
  const { settings, seal, baseUrl, listenerUrl, http, breakers, onAnswer, log, client } = parts;
  const openedCredentials = openingWith(seal);
  const livePages = (provider: Provider): string | null => settings[catalog[provider].liveHost.pages];
  const simulated = (base: string, provider: Provider, which: 'calls' | 'pages'): string | null =>
    settings.simulator === 'off' ? null : `${base}${simulatedPath(provider, which)}`;
  const hasAppIntent = async (merchantId: string, mode: Mode): Promise<boolean> => {
    const merchant = await client().read<MerchantState>(merchantAt(merchantId), null);
    return merchant !== null && parts.isAppIntentIn({ plan: merchant.state.plan, mode });
  };
  return {
    adapter: (provider) => providers.get(provider)?.adapter ?? null,
    async settings(scope, provider) {
      const projectId = projectOf(scope);
      const mode = isLive(scope) ? 'live' : 'sandbox';
      const project = await client().read<ProjectState>(projectAt(projectId), null);
      if (project === null) return null;
      const found = settingsOf(project.state.providers, provider, mode);
      const credentials = openedCredentials(projectId, found);
      if (credentials !== null) {
        const { enabled, appIntent: isOn } = found;
        if (!isOn) return { enabled, credentials };
        const isInPlan = await hasAppIntent(project.state.merchantId, mode);
        return { enabled, credentials, appIntent: { isOn, isInPlan } };
      }
      if (found.sealedCredentials !== null)
        log.error({ provider, scope }, 'stored credentials do not open: was GALLA_SECRETS_KEY changed?');
      return null;
    },
    root(scope, provider) {
      if (isLive(scope)) return liveCallsAt(settings, provider);
      return simulated(listenerUrl, provider, 'calls');
    },
    pageRoot(scope, provider) {
      if (isLive(scope)) return livePages(provider);
      return simulated(baseUrl, provider, 'pages');
    },
    returnBase: baseUrl,
    send: createSender(http),
    breakers,
    onAnswer,
    log,
  };
}
