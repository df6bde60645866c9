/** The filters of a list that is filtered by a status alone: as text in the page's address, and as a query of
 *  the API. Pure. */
import type { FilterText } from '../route.ts';
import { pageFrom, rowsPerPage } from './filters.ts';

export interface StatusFilters<Status extends string> {
  /** Empty: all. */
  readonly status: Status | '';
  readonly page: number;
}

/** Everything, from the first page. */
export const unfiltered = { status: '', page: 1 } as const;

export const isUnfiltered = ({ status, page }: StatusFilters<string>): boolean => status === '' && page === 1;

/** The text in an address; a status that is not one of these does not filter. */
export function statusFilterText<Status extends string>(
  statuses: readonly Status[],
): FilterText<StatusFilters<Status>> {
  return {
    read: (query) => {
      const named = query.get('status');
      return { status: statuses.find((status) => status === named) ?? '', page: pageFrom(query) };
    },
    write: ({ status, page }) => {
      const query = new URLSearchParams();
      if (status !== '') query.set('status', status);
      if (page > 1) query.set('page', String(page));
      return query.toString();
    },
  };
}

/** For the API. */
export function statusQuery({ status, page }: StatusFilters<string>): URLSearchParams {
  const query = new URLSearchParams({ page: String(page), limit: String(rowsPerPage) });
  if (status !== '') query.set('status', status);
  return query;
}
