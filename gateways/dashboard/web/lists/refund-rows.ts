/** Refunds as the API listed them, updated with socket messages received since. Pure.
 *  1. The higher sequence wins. */
import type { Received } from '../live/live-state.ts';
import type { Listed, Refund, RefundStatus } from '../wire/types.ts';
import { newerOf, unlistedCount } from './received.ts';

/** The rows of one page; a refund that has left the filtered status is kept until the list is loaded again,
 *  so that the one that was just settled does not disappear under the pointer. */
export const refundRows = (listed: Listed<Refund>, received: Received<Refund>): readonly Refund[] =>
  listed.data.map((row) => newerOf(row, received.get(row.id)));

/** The refunds of one payment, oldest first, with those that only the socket has named so far. */
export function refundsOfPayment(
  listed: Listed<Refund>,
  received: Received<Refund>,
  paymentId: string,
): readonly Refund[] {
  const there = new Set(listed.data.map(({ id }) => id));
  const coming = [...received.values()].flatMap(({ data }) =>
    data.paymentId === paymentId && !there.has(data.id) ? [data] : [],
  );
  return [...refundRows(listed, received), ...coming].toSorted(oldestFirst);
}

/** Refunds received from the socket that the first page does not have yet. */
export const unlistedRefunds = (
  listed: Listed<Refund>,
  received: Received<Refund>,
  status: RefundStatus | '',
  epoch: number,
): number => unlistedCount(listed, received, epoch, (refund) => status === '' || refund.status === status);

const oldestFirst = (a: Refund, b: Refund): number =>
  a.createdAt === b.createdAt ? (a.id < b.id ? -1 : 1) : a.createdAt < b.createdAt ? -1 : 1;
