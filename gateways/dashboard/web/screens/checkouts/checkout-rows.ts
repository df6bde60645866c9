/** Checkouts as the API listed them, updated with socket messages received since. Pure.
 *  1. The higher sequence wins.
 *  2. A row that no longer passes the filter stays until the list is loaded again.
 *  3. The checkouts of invoices are no rows here, as the API does not list them. */
import type { LiveState } from '../../live/live-state.ts';
import type { Checkout, Listed, SessionStatus } from '../../wire/types.ts';
import { newerOf, unlistedCount } from '../../lists/received.ts';

/** `open`: it can still be paid. */
export type CheckoutsOf = SessionStatus | 'open' | '';

export const shownCheckouts = (
  listed: Listed<Checkout>,
  { checkouts, epoch }: Pick<LiveState, 'checkouts' | 'epoch'>,
  status: CheckoutsOf,
): { readonly rows: readonly Checkout[]; readonly unlisted: number } => ({
  rows: listed.data.map((row) => newerOf(row, checkouts.get(row.id))),
  unlisted: unlistedCount(listed, checkouts, epoch, (row) => row.source !== 'invoice' && passes(status, row)),
});

export const isOpenCheckout = ({ status }: Pick<Checkout, 'status'>): boolean =>
  status === 'pending' || status === 'initiated';

const passes = (wanted: CheckoutsOf, row: Checkout): boolean =>
  wanted === '' || (wanted === 'open' ? isOpenCheckout(row) : wanted === row.status);
