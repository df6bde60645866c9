/** A payment's timeline, whole and fresh: all its pages, asked again when something of the payment moved, and while it
 *  is open from time to time, since looking at a provider changes nothing one could hear of. */
import { useCallback, useEffect, useRef } from 'preact/hooks';
import { useAsked, useEvery } from '../asked.ts';
import { useBench } from '../context.ts';
import { aboutOf } from '../lists/delivery-rows.ts';
import type { Shelf } from '../live/payment-book.ts';
import type { Api } from '../wire/api.ts';
import type { Failure, Result } from '../wire/failure.ts';
import type { Delivery, Payment, Place, TimelineEntry } from '../wire/types.ts';

/** Pages of 100 entries that are read of one timeline. */
const pagesMax = 5;
const openPollMs = 4_000;
/** After a change the doors are asked twice: deliveries follow a moment later. */
const followMs = 1_500;

export interface TimelineRead {
  /** Oldest first; null while there is none. */
  readonly entries: readonly TimelineEntry[] | null;
  /** How many there are in all. */
  readonly total: number;
  readonly failure: Failure | null;
  readonly again: () => void;
}

interface Pages {
  readonly entries: readonly TimelineEntry[];
  readonly total: number;
}

export function useTimeline({ id, sessionId, sequence, status }: Payment): TimelineRead {
  const { api, place, liveState } = useBench();
  const asked = useAsked(`timeline ${id}`, () => allPages(api, place, id));
  const { again, poll } = asked;
  const isOpen = status === 'pending' || status === 'processing';
  const session = liveState.checkouts.get(sessionId)?.sequence ?? 0;
  const entries = asked.value?.entries ?? null;
  useEvery(isOpen ? openPollMs : null, poll);
  useAgainAfter(`${sequence} ${session} ${triesHeard(liveState.deliveries, id)}`, again);
  return { entries, total: asked.value?.total ?? 0, failure: asked.failure, again };
}

/** Asks at once and a moment later, whenever the marks are others than at first. */
function useAgainAfter(marks: string, again: () => void): void {
  const first = useRef(marks);
  const ask = useCallback(again, [again]);
  useEffect(() => {
    if (first.current === marks) return undefined;
    first.current = '';
    ask();
    const timer = window.setTimeout(ask, followMs);
    return () => window.clearTimeout(timer);
  }, [marks, ask]);
}

/** Moves with each try of a delivery about this payment. */
function triesHeard(deliveries: Shelf<Delivery>, id: string): number {
  let sum = 0;
  for (const { sequence, data } of deliveries.values()) if (aboutOf(data).paymentId === id) sum += sequence;
  return sum;
}

async function allPages(api: Api, place: Place, id: string): Promise<Result<Pages>> {
  const entries: TimelineEntry[] = [];
  for (let page = 1; ; page++) {
    const result = await api.timeline(place, id, page);
    if (!result.ok) return result;
    entries.push(...result.value.data);
    const { total } = result.value;
    const isLast = result.value.data.length === 0 || entries.length >= total || page >= pagesMax;
    if (isLast) return { ok: true, value: { entries, total } };
  }
}
