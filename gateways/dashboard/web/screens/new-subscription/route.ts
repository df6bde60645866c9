/** The form of a new subscription, for a customer or at a plan that is chosen already:
 *  `billing/subscriptions/new?customerId=bc_...&planId=bp_...`. */
import { idOf, textFilters, type TextFilters } from '../../lists/billing-filters.ts';
import { listRoute, type Link } from '../../route.ts';

export type Chosen = TextFilters<'customerId' | 'planId'>;

const text = textFilters({ customerId: idOf('bc'), planId: idOf('bp') });

export const newSubscriptionRoute = {
  ...listRoute('billing/subscriptions/new', text),
  isList: false,
};

export const newSubscriptionLink = (chosen: Partial<Omit<Chosen, 'page'>> = {}): Link =>
  newSubscriptionRoute.at({ filters: { ...text.none, ...chosen } });
