/** The list of checkouts: `checkouts?status=open`. It has no entry of its own in the bar: the first screen leads
 *  to it. */
import type { CheckoutsOf } from '../../lists/checkout-rows.ts';
import { statusFilterText, type StatusFilters } from '../../lists/status-filters.ts';
import { listRoute } from '../../route.ts';

type Status = Exclude<CheckoutsOf, ''>;

export type CheckoutFilters = StatusFilters<Status>;

export const checkoutsRoute = listRoute(
  'checkouts',
  statusFilterText<Status>(['open', 'pending', 'initiated', 'success', 'failed', 'cancelled', 'expired']),
);
