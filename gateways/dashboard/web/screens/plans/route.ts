/** The list of plans: `billing/plans?active=true`. */
import { oneOf, textFilters, type TextFilters } from '../../lists/billing-filters.ts';
import { listRoute, type Link } from '../../route.ts';

export type PlanFilters = TextFilters<'active'>;

const text = textFilters({ active: oneOf('true', 'false') });

export const noPlanFilters: PlanFilters = text.none;
export const plansRoute = listRoute('billing/plans', text);
export const plansLink: Link = plansRoute.at({ filters: noPlanFilters });
