/** A payment's timeline, complete and current: all its pages, queried again when anything of the payment
 *  has changed, and at an interval, since a look-up at a provider changes nothing that the socket reports: often
 *  while the payment is open, and of an ended one, which is still looked up now and then, every `lostMs`. */
import { useCallback, useEffect, useRef } from 'preact/hooks';
import { useAsked, useEvery } from '../../asked.ts';
import { useScreenContext } from '../../context.ts';
import { aboutOf } from '../../lists/delivery-rows.ts';
import { lostMs } from '../../live/news-heard.ts';
import type { Received } from '../../live/live-state.ts';
import type { Api } from '../../wire/api.ts';
import type { Failure, Result } from '../../wire/failure.ts';
import type { Delivery, Payment, Place, TimelineEntry } from '../../wire/types.ts';

/** Maximum pages of 100 entries read of one timeline. */
const pagesMax = 5;
const timelineLimit = '100';
const openPollMs = 4_000;
/** After a change the API is queried twice: deliveries follow a moment later. */
const followMs = 1_500;

export interface TimelineRead {
  /** Oldest first; null while there is none. */
  readonly entries: readonly TimelineEntry[] | null;
  /** Total number of entries. */
  readonly total: number;
  readonly failure: Failure | null;
  readonly again: () => void;
}

interface Pages {
  readonly entries: readonly TimelineEntry[];
  readonly total: number;
}

export function useTimeline({ id, sessionId, sequence, status }: Payment): TimelineRead {
  const { api, place, liveState } = useScreenContext();
  const asked = useAsked(`timeline ${id}`, () => allPages(api, place, id));
  const { again, poll } = asked;
  const isOpen = status === 'pending' || status === 'processing';
  const session = liveState.checkouts.get(sessionId)?.sequence ?? 0;
  const entries = asked.value?.entries ?? null;
  useEvery(isOpen ? openPollMs : lostMs, poll);
  useAgainAfter(`${sequence} ${session} ${triesReceived(liveState.deliveries, id)}`, again);
  return { entries, total: asked.value?.total ?? 0, failure: asked.failure, again };
}

/** Queries at once and a moment later, whenever the marks differ from the initial ones. */
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

/** Changes with each attempt of a delivery about this payment. */
function triesReceived(deliveries: Received<Delivery>, id: string): number {
  let sum = 0;
  for (const { sequence, data } of deliveries.values()) if (aboutOf(data).paymentId === id) sum += sequence;
  return sum;
}

async function allPages(api: Api, place: Place, id: string): Promise<Result<Pages>> {
  const entries: TimelineEntry[] = [];
  for (let page = 1; ; page++) {
    const result = await api.call('GET /v1/payments/{id}/timeline', place, {
      id,
      query: { page: String(page), limit: timelineLimit },
    });
    if (!result.ok) return result;
    entries.push(...result.value.data);
    const { total } = result.value;
    const isLast = result.value.data.length === 0 || entries.length >= total || page >= pagesMax;
    if (isLast) return { ok: true, value: { entries, total } };
  }
}
