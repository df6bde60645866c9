/** The list of refunds: `refunds?status=requires_action`. */
import { addressQuery, filtersFrom, noFilters } from '../../lists/filters.ts';
import { listRoute, type Entry } from '../../route.ts';
import type { RefundStatus } from '../../wire/types.ts';

export interface RefundFilters {
  readonly status: RefundStatus | '';
  readonly page: number;
}

export const allRefunds: RefundFilters = { status: '', page: 1 };

const statuses: ReadonlySet<string> = new Set<RefundStatus>([
  'processing',
  'requires_action',
  'succeeded',
  'failed',
]);
const isStatus = (text: string): text is RefundStatus => statuses.has(text);

export const refundsRoute = listRoute('refunds', {
  read: (query): RefundFilters => {
    const status = query.get('status') ?? '';
    return { status: isStatus(status) ? status : '', page: filtersFrom(query).page };
  },
  write: ({ status, page }) => addressQuery({ ...noFilters, status, page }),
});

export const refundsEntry: Entry = { word: 'Refunds', link: refundsRoute.at({ filters: allRefunds }) };
