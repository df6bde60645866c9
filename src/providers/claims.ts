/** What buyers bring back from a provider, and what its server tells us, read with the project's own keys.
 *  1. A claim is a reason to look up, never a result. */
import type { Scope } from '../runtime/model/address.ts';
import type { CallbackHint, CallbackRequest, Provider, ReturnHint } from './answers.ts';
import type { ProviderDeps } from './call.ts';
import { providerNames } from './catalog.ts';
import type { ReturnRequest } from './provider.ts';
import { seconds, type DurationMs } from '../kernel/time.ts';
import type { Http } from '../outbound/http.ts';

/** The claim of a return, read with the project's own keys, if it still has them; null for a provider
 *  without an adapter, or one that does not send browsers back. May reject when the settings cannot be
 *  read. */
export const providerReturn =
  (deps: Pick<ProviderDeps, 'adapter' | 'settings'>) =>
  async (scope: Scope, provider: Provider, request: ReturnRequest): Promise<ReturnHint | null> => {
    const parseReturn = deps.adapter(provider)?.parseReturn ?? null;
    if (parseReturn === null) return null;
    const access = await deps.settings(scope, provider);
    return parseReturn(request, access?.credentials ?? {});
  };

/** The payment that a return to a registered address names; null: none of ours, or the provider has no such
 *  addresses. */
export const returnedPayment =
  (deps: Pick<ProviderDeps, 'adapter'>) =>
  (provider: string, query: URLSearchParams): string | null => {
    const known = providerNames.find((each) => each === provider);
    return known === undefined ? null : (deps.adapter(known)?.paymentOfReturn?.(query) ?? null);
  };

/** The claim of a call of the provider's server, read with the project's own keys; null when it does not prove
 *  that the provider sent it. May reject when the settings cannot be read. */
export const providerCallback =
  (deps: Pick<ProviderDeps, 'adapter' | 'settings'>) =>
  async (scope: Scope, provider: Provider, call: CallbackRequest): Promise<CallbackHint | null> => {
    const adapter = deps.adapter(provider);
    if (adapter?.parseCallback === undefined) return null;
    const access = await deps.settings(scope, provider);
    return access === null ? null : adapter.parseCallback(call, access.credentials);
  };

/** Less than the app has to open. */
const answerMsMax: DurationMs = seconds(2);
const answerBytesMax = 1024;

type LeadsToApp = (scope: Scope, provider: Provider, link: string, userAgent: string) => Promise<boolean>;

/** Whether a link still leads to a wallet's app. A phone's page asks before it opens the link: one that answers
 *  with a page of its own, or with an error, would take the place of our page, and with it of the way to pay on
 *  the web. Only an address of the provider is called, and no redirect is followed. Any other link passes unasked. */
export const leadsToApp =
  ({ root, pageRoot }: Pick<ProviderDeps, 'root' | 'pageRoot'>, http: Http): LeadsToApp =>
  async (scope, provider, link, userAgent) => {
    const [called, shown] = [root(scope, provider), pageRoot(scope, provider)];
    if (called === null || shown === null || !link.startsWith(`${shown}/`)) return true;
    const result = await http.send({
      method: 'GET',
      url: `${called}${link.slice(shown.length)}`,
      headers: { 'user-agent': userAgent },
      timeoutMs: answerMsMax,
      answerBytesMax,
    });
    return result.is === 'answered' && result.status >= 300 && result.status < 400;
  };
