/** The dependencies of the buyer pages. */
import { createHmac } from 'node:crypto';
import { buyerLimits } from '../../gateways/buyer/limits.ts';
import { createMerchantCache } from '../../gateways/buyer/merchant-cache.ts';
import { createLookUp } from '../../gateways/status/answer.ts';
import type { BuyerParts } from '../../gateways/buyer/parts.ts';
import type { SuccessRates } from '../providers/health/success-rates.ts';
import { mintId } from '../kernel/id.ts';
import { realScheduler } from '../kernel/time.ts';
import { leadsToApp, providerCallback, providerReturn, returnedPayment } from '../providers/claims.ts';
import { catalog, providerNames } from '../providers/catalog.ts';
import type { Provider } from '../providers/answers.ts';
import { providerDeps } from '../providers/provider-calls.ts';
import { providers } from '../providers/registry.ts';
import type { Node } from '../runtime/node/node.ts';
import type { Access } from './access.ts';
import { isDownOf } from './api.ts';
import type { Base } from './base.ts';

export function buyerParts(
  base: Base,
  node: Node,
  { client, auth, limits }: Access,
  rates: SuccessRates,
): BuyerParts {
  const { log, baseUrl, carriers, settings } = base;
  const liveHosts = providerNames.flatMap((each) => settings[catalog[each].liveHost.pages] ?? []);
  const labels = new Map([...providers].map(([id, { label }]) => [id, label]));
  const now = (): number => realScheduler.now();
  const merchants = createMerchantCache({
    client,
    auth,
    now,
    labels,
    isConfigured: base.isConfigured,
    isDown: isDownOf(base, node),
    rates,
  });
  const deps = providerDeps({ ...base, onAnswer: () => undefined, client: () => node.client });
  return {
    client,
    log,
    scheduler: realScheduler,
    formKey: createHmac('sha256', carriers.secretsKey).update('form tokens').digest(),
    baseUrl,
    plainHttpHosts: liveHosts.filter((url) => url.startsWith('http:')),
    ...merchants,
    lookUp: createLookUp({ client, merchantOf: (scope) => merchants.shopOf(scope), baseUrl, now }),
    parseReturn: providerReturn(deps),
    paymentOfReturn: returnedPayment(deps),
    parseCallback: providerCallback(deps),
    paymentOfCallback: (provider, body) =>
      providers.get(provider as Provider)?.adapter.paymentOfCallback?.(body) ?? null,
    leadsToApp: leadsToApp(deps, base.linkHttp),
    mintPaymentId: (sessionId) => mintId('pay', sessionId),
    ...buyerLimits(limits),
  };
}
