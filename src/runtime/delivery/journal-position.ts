/** Positions in the log of a scope: of an entry, and of an instant. */
import { minutes, type DurationMs, type Instant } from '../../kernel/time.ts';
import type { Scope } from '../model/address.ts';
import type { Row, Store } from '../../store/store.ts';

/** Events of different objects may be this far out of time order in the log. */
export const disorderMsMax: DurationMs = minutes(1);

/** The runtime wrote the field, so its type is trusted. */
export const positionOf = ({ body }: Row): number => Number(body['pos']);

/** The last position before the first event at or after this instant, up to `head`, found by binary search.
 *  It may be a little off where the log is out of time order. */
export async function positionAt(
  journalAfter: Store['journalAfter'],
  scope: Scope,
  head: number,
  from: Instant,
): Promise<number> {
  let [low, high] = [0, head];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [next] = await journalAfter(scope, middle, 1);
    if (next === undefined || next.created >= from) high = middle;
    else low = positionOf(next);
  }
  return Math.min(low, head);
}
