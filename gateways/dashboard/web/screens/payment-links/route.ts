/** The list of payment links: `payment-links?status=active`. */
import { statusFilterText, unfiltered, type StatusFilters } from '../../lists/status-filters.ts';
import { listRoute, type Entry } from '../../route.ts';
import type { LinkStatus } from '../../wire/link-api.ts';

export type LinkFilters = StatusFilters<LinkStatus>;

export const paymentLinksRoute = listRoute(
  'payment-links',
  statusFilterText<LinkStatus>(['active', 'inactive', 'expired', 'completed']),
);

export const paymentLinksEntry: Entry = {
  word: 'Payment links',
  group: 'shop',
  link: paymentLinksRoute.at({ filters: unfiltered }),
};
