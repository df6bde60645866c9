/** The list of payments: `payments?status=failed`. */
import { addressQuery, filtersFrom, noFilters } from '../../lists/filters.ts';
import { listRoute, type Entry } from '../../route.ts';

export const paymentsRoute = listRoute('payments', { read: filtersFrom, write: addressQuery });

export const paymentsEntry: Entry = {
  word: 'Payments',
  group: 'shop',
  link: paymentsRoute.at({ filters: noFilters }),
};
