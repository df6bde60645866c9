/** How much waits for a person in this project and mode: asked for at first, after each change that may concern it,
 *  and now and then, because a notice may be lost. */
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useEvery } from '../asked.ts';
import { Turns } from '../turns.ts';
import type { Api } from '../wire/api.ts';
import type { Attention, Place } from '../wire/types.ts';
import { counted } from '../words/money.ts';
import { attentionMarks } from './attention-marks.ts';
import { dueOf } from './news-heard.ts';
import type { LiveState } from './live-state.ts';

const pollMs = 30_000;
/** Changes that come together are asked about once. */
const gatherMs = 500;

/** null: not known yet. More reviews than before are announced. */
export function useAttention(
  api: Api,
  place: Place,
  liveState: LiveState,
  isReady: boolean,
  announce: (sentence: string) => void,
): Attention | null {
  const { payments, refunds, deliveries, epoch, news } = liveState;
  // an endpoint that is switched on or off changes no delivery
  const endpoints = dueOf(news, ['endpoint']);
  const [attention, setAttention] = useState<Attention | null>(null);
  const turns = useRef(new Turns());
  const known = useRef<number | null>(null);
  const marks = useMemo(() => attentionMarks(liveState), [payments, refunds, deliveries]);

  const ask = useCallback(async (): Promise<void> => {
    const number = turns.current.next();
    const result = await api.call('GET attention', place);
    if (!turns.current.takes(number) || !result.ok) return;
    const { reviews } = result.value;
    if (known.current !== null && reviews > known.current)
      announce(`${counted(reviews, 'payment needs', 'payments need')} a review.`);
    known.current = reviews;
    setAttention(result.value);
  }, []);

  useEffect(() => {
    if (!isReady) return undefined;
    const timer = window.setTimeout(() => void ask(), known.current === null ? 0 : gatherMs);
    return () => window.clearTimeout(timer);
  }, [marks, epoch, endpoints, isReady]);
  useEvery(pollMs, ask);
  return attention;
}
