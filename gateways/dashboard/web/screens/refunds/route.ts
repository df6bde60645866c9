/** The list of refunds: `refunds?status=requires_action`. */
import { statusFilterText, unfiltered, type StatusFilters } from '../../lists/status-filters.ts';
import { listRoute, type Entry } from '../../route.ts';
import type { RefundStatus } from '../../wire/types.ts';

export type RefundFilters = StatusFilters<RefundStatus>;

export const refundsRoute = listRoute(
  'refunds',
  statusFilterText<RefundStatus>(['processing', 'requires_action', 'succeeded', 'failed']),
);

export const refundsEntry: Entry = {
  word: 'Refunds',
  group: 'shop',
  link: refundsRoute.at({ filters: unfiltered }),
};
