/** The API for the dashboard's pages: `/dashboard/api/{projectId}/{mode}/...` instead of `/v1/...`, and
 *  `/dashboard/api/operator/...` instead of `/admin/v1/...`.
 *  1. No route is written twice: a route that says `at: { dashboard }` is mounted again behind the dashboard's gate,
 *     with the same checks, answers and limits.
 *  2. Only such routes are offered; a new route of the API is not added automatically. */
import { todayOf } from '../../http/today.ts';
import { done } from '../../http/route/answer.ts';
import type { ApiParts } from '../../http/api-parts.ts';
import type { Door } from '../../server/door.ts';
import { routeMaker, type RouteParts } from '../../http/route/route.ts';
import { ownRoute, type AnyRules, type Route } from '../../http/route/spec.ts';
import { routesOf } from '../../http/routes.ts';
import { logoUploadDoor } from '../../http/routes/business.ts';
import { attentionRoute } from './attention.ts';
import { customerNamesRoute } from './billing.ts';
import { openCheckoutsRoute } from './checkouts.ts';
import { headersRead } from '../../http/access/csrf.ts';
import { incidentsRoute } from './provider-incidents.ts';
import { requestsRoute } from './requests.ts';
import { descriptionsRoute, paymentRoute } from './payments.ts';
import { webhookRoutes } from './webhooks.ts';

/** Project and mode are part of every path but the operator's. */
const apiBase = '/dashboard/api/{projectId}/{mode}';
const operatorBase = '/dashboard/api/operator';

export function dashboardApi(parts: ApiParts, routeParts: RouteParts): readonly Door[] {
  const make = routeMaker(routeParts);
  const all: readonly Route[] = [...routesOf(parts), ...ownRoutesOf(parts)];
  const doors = all.flatMap((route) => {
    const rules = rulesAt(route);
    return rules === null ? [] : [make(rules)];
  });
  return [...doors, logoUploadDoor(`${apiBase}/logo`, parts, routeParts.gate)].map(withHeaders);
}

/** The routes of the pages alone. */
export const ownRoutesOf = (parts: ApiParts) => [
  ownRoute({
    method: 'GET',
    at: { dashboard: 'today' },
    reply: 200,
    handle: async ({ caller }) => done({ ...(await todayOf(parts.client, caller.scope)) }),
  }),
  openCheckoutsRoute(parts),
  paymentRoute(parts),
  descriptionsRoute(parts),
  attentionRoute(parts),
  customerNamesRoute(parts),
  requestsRoute(parts),
  incidentsRoute(parts),
  ...webhookRoutes(parts),
];

/** The route at the dashboard; null: it is not offered there. */
function rulesAt({ at, ...route }: Route): AnyRules | null {
  const { api = '', operator, dashboard } = at;
  if (dashboard === undefined) return null;
  if (typeof dashboard === 'string') return { ...route, key: 'secret', path: `${apiBase}/${dashboard}` };
  return operator === undefined
    ? { ...route, path: api.replace('/v1', apiBase) }
    : { ...route, path: operator.replace('/admin/v1', operatorBase) };
}

/** A body arrives after the first await: the headers that the gate reads must still be available. */
const withHeaders = (door: Door): Door =>
  door.method === 'GET' ? door : { ...door, lateHeaders: [...(door.lateHeaders ?? []), ...headersRead] };
