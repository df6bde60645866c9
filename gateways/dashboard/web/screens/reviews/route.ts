/** The review queue: `reviews`, and `reviews?status=ended`. */
import { statusFilterText, unfiltered, type StatusFilters } from '../../lists/status-filters.ts';
import { listRoute, type Entry } from '../../route.ts';

/** Without a status: the open ones. */
export type ReviewFilters = StatusFilters<'ended'>;

export const reviewsRoute = listRoute('reviews', statusFilterText<'ended'>(['ended']));

export const reviewsEntry: Entry = {
  word: 'Review queue',
  group: 'shop',
  link: reviewsRoute.at({ filters: unfiltered }),
  counts: 'reviews',
};
