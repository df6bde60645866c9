/** The payment providers of a project, and how they fare now. */
import { isTroubled, rateOf } from '../../buyer/success-rates.ts';
import { iso } from '../../../src/kernel/time.ts';
import { offeredProviders, traitsOf, type OfferedProvider } from '../../../src/providers/catalog.ts';
import type { Caller } from '../access/auth.ts';
import type { ApiParts } from '../api-parts.ts';
import { done } from '../route/answer.ts';
import type { Resource } from '../route/description.ts';
import type { MakeRoute } from '../route/route.ts';
import { allOf } from '../schemas/parts.ts';
import { allProviders, providerHealth } from '../schemas/provider.ts';
import type { Door } from '../../server/door.ts';

const providers: Resource = {
  name: 'Providers',
  description: 'The wallets and banks that buyers can pay with.',
};

type Parts = Pick<ApiParts, 'isDown' | 'rates'>;

export const providerRoutes = (route: MakeRoute, { isDown, rates }: Parts): readonly Door[] => [
  route({
    method: 'GET',
    path: '/v1/providers',
    resource: providers,
    operation: 'listProviders',
    summary: 'List the providers and how they fare',
    description: 'In the order of the hosted page. Figures are of this project and mode.',
    answer: allOf(providerHealth, allProviders),
    key: 'secret',
    reply: 200,
    async handle({ caller }) {
      const { at, of } = await rates.countedIn(caller.scope);
      const data = offeredProviders.map((id) => {
        const counted = of.get(id) ?? { attempts: 0, paid: 0 };
        const health = isDown(id, caller.scope) ? 'down' : isTroubled(counted) ? 'degraded' : 'up';
        return {
          id,
          label: traitsOf(id).label,
          ...settingsOf(caller, id),
          health,
          successRate15m: rateOf(counted),
          attempts15m: counted.attempts,
          checkedAt: iso(at),
        };
      });
      return done({ data });
    },
  }),
];

function settingsOf({ providers }: Caller, id: OfferedProvider): object {
  const settings = providers.find(({ provider }) => provider === id);
  // no provider has an app-intent flow yet
  return { configured: settings !== undefined, enabled: settings?.enabled ?? false, appIntent: false };
}
