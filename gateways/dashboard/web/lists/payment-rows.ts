/** The rows of a list of payments: the API's answer, updated with socket messages received since. Pure.
 *  1. The higher sequence wins; a row that no longer matches is removed, one that now matches is inserted
 *     at its position.
 *  2. Rows are inserted on the first page only; on later pages only existing rows are updated.
 *  3. A listed row was found by the search: what is searched does not change, except that a provider's
 *     reference is added.
 *  4. Only messages since the last snapshot insert rows (live/live-state.ts, D2). */
import type { Received } from '../live/live-state.ts';
import type { Checkout, Listed, Payment } from '../wire/types.ts';
import { isByPaid, matches, type PaymentFilters } from './payment-filters.ts';
import { newerOf } from './received.ts';

export interface Rows {
  readonly rows: readonly Payment[];
  readonly total: number;
}

export interface Live {
  readonly payments: Received<Payment>;
  readonly checkouts: Received<Checkout>;
  readonly epoch: number;
  /** On the project's clock. */
  readonly now: number;
}

export function rowsOf(listed: Listed<Payment>, filters: PaymentFilters, live: Live): Rows {
  return rowsWhere(listed, live, {
    order: isByPaid(filters) ? newestPaidFirst : newestFirst,
    stays: (row) => matches({ ...filters, find: '' }, row, null, live.now),
    comes: (payment) =>
      filters.page === 1 &&
      matches(filters, payment, live.checkouts.get(payment.sessionId)?.data.description ?? null, live.now),
  });
}

/** Of one payment link. */
export const rowsOfLink = (
  listed: Listed<Payment>,
  { referenceId, page }: { readonly referenceId: string; readonly page: number },
  live: Live,
): Rows =>
  rowsWhere(listed, live, {
    order: newestFirst,
    stays: () => true,
    comes: ({ linkReferenceId }) => page === 1 && linkReferenceId === referenceId,
  });

type Order = (a: Payment, b: Payment) => number;

interface Belonging {
  readonly order: Order;
  /** Whether a row of the answer still belongs there. */
  readonly stays: (row: Payment) => boolean;
  /** Whether a payment that was received is inserted. */
  readonly comes: (payment: Payment) => boolean;
}

function rowsWhere(listed: Listed<Payment>, live: Live, { order, stays, comes }: Belonging): Rows {
  const mended = listed.data.map((row) => newerOf(row, live.payments.get(row.id)));
  const staying = mended.filter(stays);
  const coming = newcomers(listed, live, { order, comes });
  const rows = [...coming, ...staying].toSorted(order).slice(0, listed.limit);
  return { rows, total: listed.total + coming.length - (mended.length - staying.length) };
}

function newcomers(
  listed: Listed<Payment>,
  { payments, epoch }: Live,
  { order, comes }: Pick<Belonging, 'order' | 'comes'>,
): readonly Payment[] {
  const there = new Set(listed.data.map(({ id }) => id));
  const last = listed.data.length < listed.limit ? undefined : listed.data.at(-1);
  return [...payments.values()].flatMap(({ data, epoch: receivedIn }) =>
    receivedIn === epoch &&
    !there.has(data.id) &&
    comes(data) &&
    (last === undefined || order(data, last) < 0)
      ? [data]
      : [],
  );
}

const newestFirst: Order = (a, b) =>
  a.createdAt === b.createdAt ? compare(b.id, a.id) : compare(b.createdAt, a.createdAt);

const newestPaidFirst: Order = (a, b) => {
  const [paidAt, paidAtOther] = [a.paidAt ?? '', b.paidAt ?? ''];
  return paidAt === paidAtOther ? compare(b.id, a.id) : compare(paidAtOther, paidAt);
};

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
