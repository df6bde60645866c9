/** Every door of the API, one line per resource. */
import type { ApiParts } from './api-parts.ts';
import type { Door } from '../server/door.ts';
import { Gate } from './access/gate.ts';
import { documentOfApi, merchantApi, operatorApi } from './openapi/documents.ts';
import { documentDoor } from './openapi/door.ts';
import { operationOf, type Operation } from './openapi/operation.ts';
import { routeMaker } from './route/route.ts';
import type { AnySpec, Route } from './route/spec.ts';
import { streamOperations } from './openapi/stream-operations.ts';
import { businessRoutes } from './routes/business.ts';
import { checkoutRoutes } from './routes/checkout.ts';
import { clusterRoutes } from './routes/cluster.ts';
import { customerRoutes } from './routes/customers.ts';
import { deliveryRoutes } from './routes/deliveries.ts';
import { endpointActionRoutes } from './routes/endpoint-actions.ts';
import { eventRoutes } from './routes/events.ts';
import { healthDoors } from './routes/health.ts';
import { idempotencyRoutes } from './routes/idempotency.ts';
import { invoiceActionRoutes } from './routes/invoice-actions.ts';
import { invoiceRoutes } from './routes/invoices.ts';
import { keyRoutes } from './routes/keys.ts';
import { liveTicketRoutes } from './routes/live-tickets.ts';
import { merchantRoutes } from './routes/merchants.ts';
import { metricsDoor } from './routes/metrics.ts';
import { paymentLinkRoutes } from './routes/payment-links.ts';
import { paymentRoutes } from './routes/payments.ts';
import { planRoutes } from './routes/plans.ts';
import { providerRoutes } from './routes/providers.ts';
import { publicStatusRoutes } from './routes/public-status.ts';
import { qrRoutes } from './routes/qr.ts';
import { receiptRoutes } from './routes/receipts.ts';
import { projectProviderRoutes } from './routes/project-providers.ts';
import { refundRoutes } from './routes/refunds.ts';
import { reviewRoutes } from './routes/reviews.ts';
import { simulateRoutes } from './routes/simulate.ts';
import { statementRoutes } from './routes/statements.ts';
import { subscriptionActionRoutes } from './routes/subscription-actions.ts';
import { subscriptionPreviewRoute } from './routes/subscription-preview.ts';
import { subscriptionRoutes } from './routes/subscriptions.ts';
import { testEventRoutes } from './routes/test-events.ts';
import { testMessageRoutes } from './routes/test-messages.ts';
import { testClockRoutes } from './routes/test-clock.ts';
import { webhookRoutes } from './routes/webhooks.ts';

export function routes(parts: ApiParts): readonly Door[] {
  const { auth, limits, idempotency, largeBodies, log, allowPrivateHosts, versions } = parts;
  const gate = new Gate(auth, limits);
  const make = routeMaker({ gate, idempotency, largeBodies, log, allowPrivateHosts, versions });
  return [
    ...specsOf(parts).map((spec) => make(spec)),
    ...healthDoors(parts),
    metricsDoor(gate, parts.metrics),
    ...[merchantApi, operatorApi].map((api) =>
      documentDoor(api.path, () => documentOfApi(api, operationsOf(parts), parts.baseUrl)),
    ),
  ];
}

/** What the doors of the API declare, the event streams among them. */
export const operationsOf = (parts: ApiParts): readonly Operation[] => [
  ...specsOf(parts).map(operationOf),
  ...streamOperations,
];

/** The routes that a key or the operator's token may call, at their paths. */
export const specsOf = (parts: ApiParts): readonly AnySpec[] =>
  routesOf(parts).flatMap(({ at, ...route }: Route) => {
    const path = at.api ?? at.operator;
    // a route with such a path is described: `route` does not compile otherwise
    return path === undefined ? [] : [{ ...route, path } as unknown as AnySpec];
  });

/** Every route, whoever may call it. */
export function routesOf(parts: ApiParts) {
  return [
    ...checkoutRoutes(parts),
    ...qrRoutes(parts),
    ...paymentRoutes(parts),
    ...receiptRoutes(parts),
    ...paymentLinkRoutes(parts),
    ...planRoutes(parts),
    ...customerRoutes(parts),
    ...subscriptionRoutes(parts),
    ...subscriptionActionRoutes(parts),
    subscriptionPreviewRoute(parts),
    ...invoiceRoutes(parts),
    ...invoiceActionRoutes(parts),
    ...providerRoutes(parts),
    ...refundRoutes(parts),
    ...statementRoutes(parts),
    ...publicStatusRoutes(parts),
    ...webhookRoutes(parts),
    ...endpointActionRoutes(parts),
    ...deliveryRoutes(parts),
    ...eventRoutes(parts),
    ...idempotencyRoutes(parts),
    ...liveTicketRoutes(parts),
    ...testClockRoutes(parts),
    ...testEventRoutes(parts),
    ...testMessageRoutes(parts),
    ...(parts.simulate === null ? [] : simulateRoutes(parts.client, parts.simulate)),
    ...merchantRoutes(parts),
    ...keyRoutes(parts),
    ...projectProviderRoutes(parts),
    ...reviewRoutes(parts),
    ...businessRoutes(parts),
    ...clusterRoutes(parts),
  ];
}
