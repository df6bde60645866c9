/** What the lists have in common: rows as the API listed them, and the socket messages received since. Pure. */
import type { Kept, Received } from '../live/live-state.ts';
import type { Listed } from '../wire/types.ts';

/** Of two copies of one object, the newer: the higher sequence wins. */
export const newerOf = <Row>(row: Row & { readonly sequence: number }, kept: Kept<Row> | undefined): Row =>
  kept !== undefined && kept.sequence > row.sequence ? kept.data : row;

/** As `newerOf`, while the API has perhaps not answered yet; null: nothing is known. */
export const newestOf = <Row>(
  answered: (Row & { readonly sequence: number }) | null,
  kept: Kept<Row> | undefined,
): Row | null => (answered === null ? (kept?.data ?? null) : newerOf<Row>(answered, kept));

interface Dated {
  readonly id: string;
  readonly createdAt: string;
}

/** How many objects that were received since the last snapshot (`epoch`) and belong in the list are missing on
 *  its first page. */
export const unlistedCount = <Row extends Dated>(
  listed: Listed<Row>,
  received: Received<Row>,
  epoch: number,
  belongs: (row: Row) => boolean,
): number => {
  const there = new Set(listed.data.map(({ id }) => id));
  const newest = listed.data[0]?.createdAt ?? '';
  return [...received.values()].filter(
    ({ data, epoch: receivedIn }) =>
      receivedIn === epoch && !there.has(data.id) && data.createdAt > newest && belongs(data),
  ).length;
};
