/** Walks through a list of payments, or of other rows, page by page, however long it is: each page begins at the
 *  instant at which the one before ended, so a row that is added or leaves moves no other. */
import type { Instant } from '../kernel/time.ts';
import type { ListQuery, Row, Store } from '../store/store.ts';

const pageRows = 100;

/** The next page: payments created before `to`, null: all of them. `page`: more than one only where one instant
 *  has more payments than a page holds. */
export interface WalkPlace {
  readonly to: Instant | null;
  readonly page: number;
}

export type WalkQuery = Pick<ListQuery, 'scope' | 'tags' | 'anyOf' | 'equals'> & {
  /** Absent: payments. */
  readonly kind?: string;
  readonly from?: Instant;
};

export async function pageOf(
  store: Pick<Store, 'listRows'>,
  { from, ...query }: WalkQuery,
  { to, page }: WalkPlace,
  limit: number = pageRows,
): Promise<readonly Row[]> {
  const created = {
    field: 'created',
    ...(from === undefined ? {} : { from }),
    ...(to === null ? {} : { to }),
  };
  const range = from === undefined && to === null ? [] : [created];
  const { items } = await store.listRows({ kind: 'payment', ...query, range, page, limit, uncounted: true });
  return items;
}

/** null: these were the last. Rows of the instant at which a page ends are seen again. */
export function placeAfter(
  { to, page }: WalkPlace,
  rows: readonly Row[],
  limit: number = pageRows,
): WalkPlace | null {
  const last = rows.at(-1);
  if (last === undefined || rows.length < limit) return null;
  return last.created + 1 === to ? { to, page: page + 1 } : { to: last.created + 1, page: 1 };
}
