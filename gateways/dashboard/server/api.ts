/** The API for the dashboard's pages: `/dashboard/api/{projectId}/{mode}/...` instead of `/v1/...`, and
 *  `/dashboard/api/operator/...` instead of `/admin/v1/...`.
 *  1. No route is written twice: a route that says `at: { dashboard }` is mounted again behind the dashboard's gate,
 *     with the same checks, answers and limits.
 *  2. Only such routes are offered; a new route of the API is not added automatically. */
import { Type, type TSchema } from 'typebox';
import { todayOf } from '../../http/today.ts';
import { done } from '../../http/route/answer.ts';
import type { ApiParts } from '../../http/api-parts.ts';
import type { Door } from '../../server/door.ts';
import { routeMaker, type RouteParts } from '../../http/route/route.ts';
import { ownRoute, projectPath, type AnyParams, type AnyRules, type Route } from '../../http/route/spec.ts';
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
  const doors = dashboardRoutes(parts).map(({ rules }) => make(rules));
  return [...doors, logoUploadDoor(`${apiBase}/logo`, parts, routeParts.gate)].map(withHeaders);
}

/** The routes that it offers, as they are written and as they are mounted. */
export const dashboardRoutes = (parts: ApiParts) =>
  [...routesOf(parts), ...ownRoutesOf(parts)].flatMap((route: Route) => {
    const rules = rulesAt(route);
    return rules === null ? [] : [{ route, rules }];
  });

/** The routes of the pages alone. */
export const ownRoutesOf = (parts: ApiParts) => [
  ownRoute({
    method: 'GET',
    at: { dashboard: 'today' },
    does:
      '`{paidCount, paidAmount, failedCount, openCount}` of the day in Asia/Kathmandu; counts over ' +
      "more than 10,000 payments may be as old as a list's `total`",
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
function rulesAt({ at, does: _documented, ...route }: Route): AnyRules | null {
  const { api = '', operator, dashboard } = at;
  if (dashboard === undefined) return null;
  if (typeof dashboard === 'string') {
    const own = { ...route, key: 'secret', path: `${apiBase}/${dashboard}` } as const;
    return operator === undefined ? own : atPlace(own, operator.startsWith(projectPath));
  }
  return operator === undefined
    ? { ...route, path: api.replace('/v1', apiBase) }
    : { ...route, path: operator.replace('/admin/v1', operatorBase) };
}

/** What the operator sends as the path's project, and as `mode`, is what the place says. */
function atPlace(rules: AnyRules, isOfProject: boolean): AnyRules {
  const { mints = {}, body, query } = rules;
  const paramsIn = (params: AnyParams): AnyParams =>
    isOfProject ? { ...params, id: params['projectId'] ?? '' } : params;
  const [bodyHere, queryHere] = [withoutMode(body), withoutMode(query)];
  return {
    ...rules,
    ...(bodyHere === undefined ? {} : { body: bodyHere }),
    ...(queryHere === undefined ? {} : { query: queryHere }),
    mints: Object.fromEntries(
      Object.entries(mints).map(([name, mint]) => [name, (params: AnyParams) => mint(paramsIn(params))]),
    ),
    handle: (call) => {
      const mode = call.caller?.mode;
      return rules.handle({
        ...call,
        params: paramsIn(call.params),
        body: bodyHere === body ? call.body : { ...Object(call.body), mode },
        query: queryHere === query ? call.query : { ...Object(call.query), mode },
      });
    },
  };
}

/** The same schema where it has no `mode`. */
function withoutMode(schema: TSchema | undefined): TSchema | undefined {
  if (!Type.IsObject(schema) || schema.properties['mode'] === undefined) return schema;
  const { mode: _ofPlace, ...properties } = schema.properties;
  return Type.Object(properties);
}

/** A body arrives after the first await: the headers that the gate reads must still be available. */
const withHeaders = (door: Door): Door =>
  door.method === 'GET' ? door : { ...door, lateHeaders: [...(door.lateHeaders ?? []), ...headersRead] };
