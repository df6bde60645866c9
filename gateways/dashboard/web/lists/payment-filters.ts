/** Filters of the payments: as text in the page's address, as a query of the API, and as a test for socket
 *  messages. Pure.
 *  1. The three agree: `matches` accepts exactly what the API would list. */
import { isFoundBy } from '../../../../actors/checkout-session/payment-words.ts';
import { dayMs, dayOf, dayStart } from '../words/time.ts';
import type { Payment } from '../wire/types.ts';
import { rowsPerPage } from './filters.ts';

type Days = 'today' | 'yesterday' | 'week';

/** Days of Nepal: on which payments began, or on which they were paid. */
export type Period = Days | `paid_${Days}`;

export const periods: readonly Period[] = [
  'today',
  'yesterday',
  'week',
  'paid_today',
  'paid_yesterday',
  'paid_week',
];

/** Empty texts do not filter. */
export interface PaymentFilters {
  readonly status: string;
  readonly provider: string;
  readonly period: Period | '';
  readonly find: string;
  readonly page: number;
}

/** Whether the list has what was paid on its days, and the latest of it first. */
export const isByPaid = ({ period }: Pick<PaymentFilters, 'period'>): boolean => period.startsWith('paid_');

/** For the API. `now`: on the project's clock. */
export function apiQuery(filters: PaymentFilters, now: number): URLSearchParams {
  const { status, provider, page } = filters;
  const query = new URLSearchParams({ page: String(page), limit: String(rowsPerPage) });
  if (status === 'review') query.set('needsReview', 'true');
  else if (status !== '') query.set('status', status);
  if (provider !== '') query.set('provider', provider);
  const span = spanOf(filters.period, now);
  if (span !== null) {
    const of = isByPaid(filters) ? 'paid' : 'created';
    query.set(`${of}From`, new Date(span.from).toISOString());
    if (span.to !== null) query.set(`${of}To`, new Date(span.to).toISOString());
  }
  if (filters.find !== '') query.set(isSession(filters.find) ? 'sessionId' : 'search', filters.find);
  return query;
}

/** Whether the API would list it. `description`: of its session. */
export function matches(
  filters: PaymentFilters,
  payment: Payment,
  description: string | null,
  now: number,
): boolean {
  const { status, provider } = filters;
  if (status === 'review' ? !payment.needsReview : status !== '' && payment.status !== status) return false;
  if (provider !== '' && payment.provider !== provider) return false;
  const span = spanOf(filters.period, now);
  if (span !== null) {
    const at = isByPaid(filters) ? payment.paidAt : payment.createdAt;
    if (at === null || Date.parse(at) < span.from) return false;
    if (span.to !== null && Date.parse(at) >= span.to) return false;
  }
  return isFound(filters.find, payment, description);
}

/** The payment that a search names by its id: it has a page of its own. */
export const paymentNamedBy = (find: string): string | null =>
  /^pay_[0-9a-z]{16}$/.test(find) ? find : null;

const isSession = (find: string): boolean => find.startsWith('cs_');

function isFound(find: string, payment: Payment, description: string | null): boolean {
  if (find === '') return true;
  return isSession(find) ? payment.sessionId === find : isFoundBy(find, { ...payment, description });
}

function spanOf(
  period: Period | '',
  now: number,
): { readonly from: number; readonly to: number | null } | null {
  if (period === '') return null;
  const today = dayStart(dayOf(now));
  const days = period.replace(/^paid_/, '');
  if (days === 'today') return { from: today, to: null };
  if (days === 'yesterday') return { from: today - dayMs, to: today };
  return { from: today - 6 * dayMs, to: null };
}
