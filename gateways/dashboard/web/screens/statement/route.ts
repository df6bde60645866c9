/** One statement and its rows: `reconciliation/rst_...?status=amount_differs`. */
import { statusFilterText, type StatusFilters } from '../../lists/status-filters.ts';
import { listRoute } from '../../route.ts';
import type { StatementResult } from '../../wire/statement-api.ts';

/** `status`: the result of a row. */
export type ItemFilters = StatusFilters<StatementResult>;

export const statementRoute = listRoute(
  'reconciliation/{id}',
  statusFilterText<StatementResult>([
    'matched',
    'amount_differs',
    'unmatched_statement',
    'unmatched_payment',
  ]),
);
