/** Queries the API from a screen, by the questions that its page shares (questions.ts). */
import { useCallback, useEffect, useState } from 'preact/hooks';
import { usePageContext } from './context.ts';
import { dueOf, pollMsOf, type Follows } from './live/news-heard.ts';
import type { Answered, Ask } from './questions.ts';

export interface Asked<Value> extends Answered<Value> {
  /** Sends a request even if one is under way: the reason may be newer than that one. */
  readonly again: () => void;
  /** Sends a request unless one is under way: for polling, which must not pile up behind a slow service. */
  readonly poll: () => void;
}

/** `ask` depends on `key` alone. */
export interface Query<Value> {
  readonly key: string;
  readonly ask: Ask<Value>;
}

/** Queries when `key` changes, when something that it follows has changed, and when `again` is called. `own`: the kinds
 *  that it follows, if they are others than its screen's. */
export function useAsked<Value>(key: string, ask: Ask<Value>, own?: Follows): Asked<Value> {
  const { questions, scope, news, isReady, isLive, follows } = usePageContext();
  const { latest } = news;
  const due = dueOf(news, own ?? follows);
  const question = questions.of<Value>(`${scope} ${key}`);
  const [, draw] = useState(0);
  useEffect(() => question.join(() => draw((before) => before + 1)), [question]);
  useEffect(() => {
    if (isReady) question.hear({ due, latest }, ask);
  }, [question, isReady, due]);
  const again = useCallback(() => question.again(ask), [question]);
  const poll = useCallback(() => question.poll(ask), [question]);
  useEvery(pollMsOf(isLive, own ?? follows), poll);
  return { ...question.answered, again, poll };
}

/** Calls `work` at an interval while the page is visible; null: never. */
export function useEvery(everyMs: number | null, work: () => void | Promise<void>): void {
  useEffect(() => {
    if (everyMs === null) return undefined;
    const timer = window.setInterval(() => {
      if (document.visibilityState === 'visible') void work();
    }, everyMs);
    return () => window.clearInterval(timer);
  }, [everyMs, work]);
}
