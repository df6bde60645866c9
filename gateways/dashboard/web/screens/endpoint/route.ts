/** One endpoint and its deliveries: `webhooks/we_...?status=failed`. */
import { addressQuery, filtersFrom, noFilters } from '../../lists/filters.ts';
import { listRoute } from '../../route.ts';
import type { DeliveryStatus } from '../../wire/types.ts';

export interface DeliveryFilters {
  readonly status: DeliveryStatus | '';
  readonly page: number;
}

export const allDeliveries: DeliveryFilters = { status: '', page: 1 };

const statuses: ReadonlySet<string> = new Set<DeliveryStatus>(['pending', 'retrying', 'success', 'failed']);
const isStatus = (text: string): text is DeliveryStatus => statuses.has(text);

export const endpointRoute = listRoute('webhooks/{id}', {
  read: (query): DeliveryFilters => {
    const status = query.get('status') ?? '';
    return { status: isStatus(status) ? status : '', page: filtersFrom(query).page };
  },
  write: ({ status, page }) => addressQuery({ ...noFilters, status, page }),
});
