/** The list of customers: `billing/customers?search=asha`. */
import { textFilters, type TextFilters } from '../../lists/billing-filters.ts';
import { listRoute, type Link } from '../../route.ts';

export type CustomerFilters = TextFilters<'search'>;

const searchMax = 100;
const text = textFilters({ search: (typed) => typed.length <= searchMax });

export const noCustomerFilters: CustomerFilters = text.none;
export const customersRoute = listRoute('billing/customers', text);
export const customersLink: Link = customersRoute.at({ filters: noCustomerFilters });
