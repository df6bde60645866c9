/** The list of subscriptions: `billing/subscriptions?status=past_due&planId=bp_...`. The first screen of billing. */
import { idOf, oneOf, textFilters, type TextFilters } from '../../lists/billing-filters.ts';
import { listRoute, type Entry } from '../../route.ts';

export type SubscriptionFilters = TextFilters<'status' | 'planId' | 'customerId'>;

const text = textFilters({
  status: oneOf('draft', 'trialing', 'active', 'past_due', 'paused', 'cancelled', 'completed'),
  planId: idOf('bp'),
  customerId: idOf('bc'),
});

export const noSubscriptionFilters: SubscriptionFilters = text.none;
export const subscriptionsRoute = listRoute('billing/subscriptions', text);

/** Of all screens of billing. */
export const billingEntry: Entry = {
  word: 'Billing',
  group: 'shop',
  link: subscriptionsRoute.at({ filters: noSubscriptionFilters }),
};
