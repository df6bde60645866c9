/** The API for pages of the dashboard: `/dashboard/api/{projectId}/{mode}/...` in the place of `/v1/...`.
 *  1. No route is written twice: the very routes of /v1 are made once more, with another gate before them. What they
 *     check, answer and limit is the same.
 *  2. Only what is named here is offered; a route that is new under /v1 is not. */
import { todayOf } from '../../http/today.ts';
import { done } from '../../http/route/answer.ts';
import type { ApiParts } from '../../http/api-parts.ts';
import type { Door } from '../../server/door.ts';
import { routeMaker, type MakeRoute, type RouteParts } from '../../http/route/route.ts';
import { checkoutRoutes } from '../../http/routes/checkout.ts';
import { deliveryRoutes } from '../../http/routes/deliveries.ts';
import { paymentRoutes } from '../../http/routes/payments.ts';
import { webhookRoutes } from '../../http/routes/webhooks.ts';
import { headersRead } from './csrf.ts';

export const apiBase = '/dashboard/api/{projectId}/{mode}';

/** Routes of /v1 that pages use. */
const offered: ReadonlySet<string> = new Set([
  'GET /v1/checkout',
  'GET /v1/checkout/{id}',
  'GET /v1/payments',
  'GET /v1/payments/{id}',
  'GET /v1/payments/{id}/timeline',
  'GET /v1/webhooks',
  'GET /v1/webhooks/{id}',
  'GET /v1/webhooks/{id}/deliveries',
  'GET /v1/webhooks/deliveries/{id}',
  'POST /v1/webhooks/deliveries/{id}/retry',
  'POST /v1/webhooks/{id}/test',
]);

export function dashboardApi(parts: ApiParts, routeParts: RouteParts): readonly Door[] {
  const make = routeMaker(routeParts);
  const route = underDashboard(make);
  const doors = [checkoutRoutes, paymentRoutes, webhookRoutes, deliveryRoutes].flatMap((routes) =>
    routes(route, parts),
  );
  const today = make({
    method: 'GET',
    path: `${apiBase}/today`,
    key: 'secret',
    reply: 200,
    handle: async ({ caller }) => done({ ...(await todayOf(parts.client, caller.scope)) }),
  });
  return [...doors.filter((door) => door !== notOffered), withHeaders(today)];
}

/** Stands for a route that is not made. */
const notOffered: Door = {
  method: 'GET',
  path: '/',
  handle: () => Promise.reject(new Error('never mounted')),
};

const underDashboard =
  (make: MakeRoute): MakeRoute =>
  (spec) =>
    offered.has(`${spec.method} ${spec.path}`)
      ? withHeaders(make({ ...spec, path: spec.path.replace(/^\/v1/, apiBase) }))
      : notOffered;

/** A body comes after the first await: what the gate reads must still be there. */
const withHeaders = (door: Door): Door =>
  door.method === 'GET' ? door : { ...door, lateHeaders: [...(door.lateHeaders ?? []), ...headersRead] };
