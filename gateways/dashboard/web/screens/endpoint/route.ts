/** One endpoint and its deliveries: `webhooks/we_...?status=failed`. */
import { statusFilterText, type StatusFilters } from '../../lists/status-filters.ts';
import { listRoute } from '../../route.ts';
import type { DeliveryStatus } from '../../wire/types.ts';

export type DeliveryFilters = StatusFilters<DeliveryStatus>;

export const endpointRoute = listRoute(
  'webhooks/{id}',
  statusFilterText<DeliveryStatus>(['pending', 'retrying', 'success', 'failed']),
);
