/** Whether a link still leads to a wallet's app. A phone's page asks before it opens the link: one that answers
 *  with a page of its own, or with an error, would take the place of our page, and with it of the way to pay on
 *  the web.
 *  1. Only an address of the provider is called, and no redirect is followed. Any other link passes unasked. */
import { seconds, type DurationMs } from '../kernel/time.ts';
import type { Http } from '../outbound/http.ts';
import type { Scope } from '../runtime/model/address.ts';
import type { Provider } from './answers.ts';
import type { ProviderDeps } from './call.ts';

/** Less than the app has to open. */
const answerMsMax: DurationMs = seconds(2);
const answerBytesMax = 1024;

type LeadsToApp = (scope: Scope, provider: Provider, link: string, userAgent: string) => Promise<boolean>;

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
