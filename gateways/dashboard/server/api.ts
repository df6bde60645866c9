/** The API for the dashboard's pages: `/dashboard/api/{projectId}/{mode}/...` instead of `/v1/...`, and
 *  `/dashboard/api/operator/...` instead of `/admin/v1/...`.
 *  1. No route is written twice: the routes of the API are instantiated again behind another gate. Their
 *     checks, answers and limits are the same. What no key may do is in settings.ts.
 *  2. Only the routes named here are offered; a new route of the API is not added automatically. */
import { todayOf } from '../../http/today.ts';
import { done } from '../../http/route/answer.ts';
import type { ApiParts } from '../../http/api-parts.ts';
import type { Door } from '../../server/door.ts';
import { routeMaker, type MakeRoute, type RouteParts } from '../../http/route/route.ts';
import { checkoutRoutes } from '../../http/routes/checkout.ts';
import { customerRoutes } from '../../http/routes/customers.ts';
import { deliveryRoutes } from '../../http/routes/deliveries.ts';
import { endpointActionRoutes } from '../../http/routes/endpoint-actions.ts';
import { eventRoutes } from '../../http/routes/events.ts';
import { invoiceActionRoutes } from '../../http/routes/invoice-actions.ts';
import { invoiceRoutes } from '../../http/routes/invoices.ts';
import { merchantRoutes } from '../../http/routes/merchants.ts';
import { paymentLinkRoutes } from '../../http/routes/payment-links.ts';
import { paymentRoutes } from '../../http/routes/payments.ts';
import { planRoutes } from '../../http/routes/plans.ts';
import { receiptRoutes } from '../../http/routes/receipts.ts';
import { refundRoutes } from '../../http/routes/refunds.ts';
import { statementRoutes } from '../../http/routes/statements.ts';
import { subscriptionActionRoutes } from '../../http/routes/subscription-actions.ts';
import { subscriptionRoutes } from '../../http/routes/subscriptions.ts';
import { testClockRoutes } from '../../http/routes/test-clock.ts';
import { webhookRoutes } from '../../http/routes/webhooks.ts';
import { apiBase } from './api-base.ts';
import { attentionDoor } from './attention.ts';
import { customerNamesDoor } from './billing.ts';
import { openCheckoutsDoor } from './checkouts.ts';
import { headersRead } from '../../http/access/csrf.ts';
import { incidentDoors } from './provider-incidents.ts';
import { requestDoors } from './requests.ts';
import { descriptionsDoor, paymentDoor } from './payments.ts';
import { reviewDoors } from './reviews.ts';
import { settingsDoors } from './settings.ts';
import { webhookDoors } from './webhooks.ts';

export const operatorBase = '/dashboard/api/operator';

/** Routes of /v1 and /admin/v1 that the pages use. */
const offered: ReadonlySet<string> = new Set([
  'GET /v1/checkout',
  'GET /v1/events',
  'GET /v1/events/{id}',
  'GET /v1/checkout/{id}',
  'GET /v1/payments',
  'GET /v1/payments/{id}/timeline',
  'GET /v1/payments/{id}/receipt',
  'GET /v1/payment-links',
  'POST /v1/payment-links',
  'GET /v1/payment-links/{id}',
  'PATCH /v1/payment-links/{id}',
  'GET /v1/billing/plans',
  'POST /v1/billing/plans',
  'GET /v1/billing/plans/{id}',
  'PATCH /v1/billing/plans/{id}',
  'GET /v1/billing/customers',
  'POST /v1/billing/customers',
  'GET /v1/billing/customers/{id}',
  'PATCH /v1/billing/customers/{id}',
  'GET /v1/billing/subscriptions',
  'POST /v1/billing/subscriptions',
  'GET /v1/billing/subscriptions/{id}',
  'PATCH /v1/billing/subscriptions/{id}',
  'POST /v1/billing/subscriptions/{id}/pause',
  'POST /v1/billing/subscriptions/{id}/resume',
  'POST /v1/billing/subscriptions/{id}/cancel',
  'POST /v1/billing/subscriptions/{id}/change-plan',
  'POST /v1/billing/subscriptions/{id}/end-trial',
  'POST /v1/billing/subscriptions/{id}/extend-trial',
  'GET /v1/billing/subscriptions/{id}/preview-proration',
  'GET /v1/billing/invoices',
  'GET /v1/billing/invoices/{id}',
  'POST /v1/billing/invoices/{id}/pay-link',
  'POST /v1/billing/invoices/{id}/send',
  'POST /v1/billing/invoices/{id}/void',
  'POST /v1/billing/invoices/{id}/mark-paid',
  'GET /v1/refunds',
  'POST /v1/refunds',
  'POST /v1/refunds/{id}/complete',
  'POST /v1/refunds/{id}/cancel',
  'GET /v1/reconciliation/statements',
  'POST /v1/reconciliation/statements',
  'GET /v1/reconciliation/statements/{id}',
  'GET /v1/reconciliation/statements/{id}/items',
  'GET /v1/test/clock',
  'POST /v1/test/clock/advance',
  'POST /v1/test/clock/stop',
  'GET /v1/webhooks',
  'POST /v1/webhooks',
  'GET /v1/webhooks/{id}',
  'PATCH /v1/webhooks/{id}',
  'DELETE /v1/webhooks/{id}',
  'POST /v1/webhooks/{id}/rotate-secret',
  'POST /v1/webhooks/{id}/recover',
  'GET /v1/webhooks/{id}/deliveries',
  'GET /v1/webhooks/deliveries/{id}',
  'POST /v1/webhooks/deliveries/{id}/retry',
  'POST /v1/webhooks/{id}/test',
  'GET /admin/v1/merchants',
  'POST /admin/v1/merchants',
  'GET /admin/v1/merchants/{id}',
  'PATCH /admin/v1/merchants/{id}',
  'POST /admin/v1/merchants/{id}/suspend',
  'POST /admin/v1/merchants/{id}/unsuspend',
  'POST /admin/v1/merchants/{id}/reset-password',
]);

export function dashboardApi(parts: ApiParts, routeParts: RouteParts): readonly Door[] {
  const make = routeMaker(routeParts);
  const route = underDashboard(make);
  const doors = [
    checkoutRoutes,
    paymentRoutes,
    paymentLinkRoutes,
    planRoutes,
    customerRoutes,
    subscriptionRoutes,
    subscriptionActionRoutes,
    invoiceRoutes,
    invoiceActionRoutes,
    testClockRoutes,
    receiptRoutes,
    refundRoutes,
    statementRoutes,
    webhookRoutes,
    endpointActionRoutes,
    deliveryRoutes,
    eventRoutes,
    merchantRoutes,
  ].flatMap((routes) => routes(route, parts));
  const today = make({
    method: 'GET',
    path: `${apiBase}/today`,
    key: 'secret',
    reply: 200,
    handle: async ({ caller }) => done({ ...(await todayOf(parts.client, caller.scope)) }),
  });
  const own = [
    today,
    openCheckoutsDoor(make, parts),
    paymentDoor(make, parts),
    descriptionsDoor(make, parts),
    attentionDoor(make, parts),
    customerNamesDoor(make, parts),
    ...reviewDoors(make, parts),
    ...requestDoors(make, parts),
    ...incidentDoors(make, parts),
    ...webhookDoors(make, parts),
    ...settingsDoors(make, parts, routeParts),
  ].map(withHeaders);
  return [...doors.filter((door) => door !== notOffered), ...own];
}

/** Placeholder for a route that is not offered. */
const notOffered: Door = {
  method: 'GET',
  path: '/',
  handle: () => Promise.reject(new Error('never mounted')),
};

const underDashboard =
  (make: MakeRoute): MakeRoute =>
  (spec) =>
    offered.has(`${spec.method} ${spec.path}`)
      ? withHeaders(
          make({ ...spec, path: spec.path.replace(/^\/v1/, apiBase).replace(/^\/admin\/v1/, operatorBase) }),
        )
      : notOffered;

/** A body arrives after the first await: the headers that the gate reads must still be available. */
const withHeaders = (door: Door): Door =>
  door.method === 'GET' ? door : { ...door, lateHeaders: [...(door.lateHeaders ?? []), ...headersRead] };
