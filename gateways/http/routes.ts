/** Every door of the API, one line per resource. */
import type { ApiParts } from './api-parts.ts';
import type { Door } from '../server/door.ts';
import { Gate } from './access/gate.ts';
import { describedBy } from './openapi/described.ts';
import { documentOfApi, merchantApi, operatorApi } from './openapi/documents.ts';
import { documentDoor } from './openapi/door.ts';
import type { Operation } from './openapi/operation.ts';
import { routeMaker, type MakeRoute } from './route/route.ts';
import { streamOperations } from './openapi/stream-operations.ts';
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
import { subscriptionRoutes } from './routes/subscriptions.ts';
import { testEventRoutes } from './routes/test-events.ts';
import { testMessageRoutes } from './routes/test-messages.ts';
import { testClockRoutes } from './routes/test-clock.ts';
import { webhookRoutes } from './routes/webhooks.ts';

export function routes(parts: ApiParts): readonly Door[] {
  const { auth, limits, idempotency, largeBodies, log, allowPrivateHosts, versions } = parts;
  const gate = new Gate(auth, limits);
  const route = routeMaker({ gate, idempotency, largeBodies, log, allowPrivateHosts, versions });
  return [
    ...routesMadeBy(route, parts),
    ...healthDoors(parts),
    metricsDoor(gate, parts.metrics),
    ...[merchantApi, operatorApi].map((api) =>
      documentDoor(api.path, () => documentOfApi(api, operationsOf(parts), parts.baseUrl)),
    ),
  ];
}

/** What the doors of the API declare, the event streams among them. */
export const operationsOf = (parts: ApiParts): readonly Operation[] => [
  ...describedBy((route) => routesMadeBy(route, parts)),
  ...streamOperations,
];

/** Doors made from a schema, each by `route`. */
export function routesMadeBy(route: MakeRoute, parts: ApiParts): readonly Door[] {
  return [
    ...checkoutRoutes(route, parts),
    ...qrRoutes(route, parts),
    ...paymentRoutes(route, parts),
    ...receiptRoutes(route, parts),
    ...paymentLinkRoutes(route, parts),
    ...planRoutes(route, parts),
    ...customerRoutes(route, parts),
    ...subscriptionRoutes(route, parts),
    ...subscriptionActionRoutes(route, parts),
    ...invoiceRoutes(route, parts),
    ...invoiceActionRoutes(route, parts),
    ...providerRoutes(route, parts),
    ...refundRoutes(route, parts),
    ...statementRoutes(route, parts),
    ...publicStatusRoutes(route, parts),
    ...webhookRoutes(route, parts),
    ...endpointActionRoutes(route, parts),
    ...deliveryRoutes(route, parts),
    ...eventRoutes(route, parts),
    ...idempotencyRoutes(route, parts),
    ...liveTicketRoutes(route, parts),
    ...testClockRoutes(route, parts),
    ...testEventRoutes(route, parts),
    ...testMessageRoutes(route, parts),
    ...(parts.simulate === null ? [] : simulateRoutes(route, parts.client, parts.simulate)),
    ...merchantRoutes(route, parts),
    ...keyRoutes(route, parts),
    ...projectProviderRoutes(route, parts),
    ...reviewRoutes(route, parts),
    ...clusterRoutes(route, parts),
  ];
}
