/** Subscriptions and invoices as the API listed them, updated with socket messages received since. Pure.
 *  1. The higher sequence wins.
 *  2. A row that no longer passes the filter stays until the list is loaded again. */
import type { LiveState } from '../live/live-state.ts';
import type { Invoice, Subscription } from '../wire/billing-types.ts';
import type { Listed } from '../wire/types.ts';
import { newerOf, unlistedCount } from './received.ts';

interface Shown<Row> {
  readonly rows: readonly Row[];
  readonly unlisted: number;
}

/** Empty texts do not filter. */
export interface SubscriptionsOf {
  readonly status: string;
  readonly planId: string;
  readonly customerId: string;
}

const passes = (wanted: string, is: string): boolean => wanted === '' || wanted === is;

export const shownSubscriptions = (
  listed: Listed<Subscription>,
  { subscriptions, epoch }: Pick<LiveState, 'subscriptions' | 'epoch'>,
  { status, planId, customerId }: SubscriptionsOf,
): Shown<Subscription> => ({
  rows: listed.data.map((row) => newerOf(row, subscriptions.get(row.id))),
  unlisted: unlistedCount(
    listed,
    subscriptions,
    epoch,
    (row) =>
      passes(status, row.displayStatus) && passes(planId, row.plan.id) && passes(customerId, row.customer.id),
  ),
});

export interface InvoicesOf {
  readonly status: string;
  readonly customerId: string;
  readonly subscriptionId: string;
}

export const shownInvoices = (
  listed: Listed<Invoice>,
  { invoices, epoch }: Pick<LiveState, 'invoices' | 'epoch'>,
  of: InvoicesOf,
): Shown<Invoice> => ({
  rows: listed.data.map((row) => newerOf(row, invoices.get(row.id))),
  unlisted: unlistedCount(listed, invoices, epoch, (row) => isOf(row, of)),
});

const isOf = (row: Invoice, { status, customerId, subscriptionId }: InvoicesOf): boolean =>
  passes(status, row.status) &&
  passes(customerId, row.customerId) &&
  passes(subscriptionId, row.subscriptionId);

/** All invoices of one subscription or customer, newest first, those included that only the socket has named. */
export function invoicesKnown(
  listed: Listed<Invoice>,
  { invoices }: Pick<LiveState, 'invoices'>,
  of: InvoicesOf,
): readonly Invoice[] {
  const there = new Set(listed.data.map(({ id }) => id));
  const coming = [...invoices.values()].flatMap(({ data }) =>
    !there.has(data.id) && isOf(data, of) ? [data] : [],
  );
  return [...coming, ...listed.data.map((row) => newerOf(row, invoices.get(row.id)))].toSorted(newestFirst);
}

const newestFirst = (a: Invoice, b: Invoice): number =>
  a.createdAt === b.createdAt ? (a.id < b.id ? 1 : -1) : a.createdAt < b.createdAt ? 1 : -1;
