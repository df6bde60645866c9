/** The payment providers of a project, and how they fare now. */
import { rateOf } from '../../../actors/provider-health/rule.ts';
import { healthOf } from '../../../src/providers/health/success-rates.ts';
import { iso } from '../../../src/kernel/time.ts';
import { traitsOf } from '../../../src/providers/catalog.ts';
import { projectOf } from '../../../src/runtime/model/address.ts';
import type { ApiParts } from '../api-parts.ts';
import { done } from '../route/answer.ts';
import type { Resource } from '../route/description.ts';
import { route } from '../route/spec.ts';
import { allOf } from '../schemas/parts.ts';
import { allProviders, providerHealth } from '../schemas/provider.ts';

const providers: Resource = {
  name: 'Providers',
  description: 'The wallets and banks that buyers can pay with.',
};

type Parts = Pick<ApiParts, 'isDown' | 'rates' | 'credentials'>;

export const providerRoutes = ({ isDown, rates, credentials }: Parts) => [
  route({
    method: 'GET',
    at: { api: '/v1/providers' },
    resource: providers,
    operation: 'listProviders',
    summary: 'List the providers and how they fare',
    description: 'In the order of the hosted page. Figures are of this project and mode.',
    answer: allOf(providerHealth, allProviders),
    key: 'secret',
    reply: 200,
    async handle({ caller }) {
      const { at, of } = await rates.countedIn(caller.scope);
      const data = caller.providers.map((settings) => {
        const { provider: id, enabled, appIntent } = settings;
        const counted = of.get(id) ?? { attempts: 0, paid: 0 };
        return {
          id,
          label: traitsOf(id).label,
          configured: credentials.isConfigured(projectOf(caller.scope), settings),
          enabled,
          appIntent,
          health: healthOf(counted, isDown(id, caller.scope)),
          successRate15m: rateOf(counted),
          attempts15m: counted.attempts,
          checkedAt: iso(at),
        };
      });
      return done({ data });
    },
  }),
];
