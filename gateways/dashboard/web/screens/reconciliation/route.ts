/** The list of statements, and the upload of one: `reconciliation`. */
import { statusFilterText, unfiltered, type StatusFilters } from '../../lists/status-filters.ts';
import { listRoute, type Entry } from '../../route.ts';
import type { StatementStatus } from '../../wire/statement-api.ts';

export type StatementFilters = StatusFilters<StatementStatus>;

export const reconciliationRoute = listRoute(
  'reconciliation',
  statusFilterText<StatementStatus>(['processing', 'done', 'failed']),
);

export const reconciliationEntry: Entry = {
  word: 'Reconciliation',
  group: 'shop',
  link: reconciliationRoute.at({ filters: unfiltered }),
};
