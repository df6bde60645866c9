/** Queries the API from a screen: the known answer is shown while it is queried again, and an answer to an
 *  outdated question is dropped. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { usePageContext } from './context.ts';
import { Turns } from './turns.ts';
import type { Failure, Result } from './wire/failure.ts';

/** Answers cached for going back. */
const answersMax = 30;

export interface Asked<Value> {
  /** The last answer to this question; null while there is none. */
  readonly value: Value | null;
  /** Why there is no newer answer. */
  readonly failure: Failure | null;
  /** Sends a request even if one is under way: the reason may be newer than that one. */
  readonly again: () => void;
  /** Sends a request unless one is under way: for polling, which must not pile up behind a slow service. */
  readonly poll: () => void;
}

/** `ask` depends on `key` alone. */
export interface Question<Value> {
  readonly key: string;
  readonly ask: () => Promise<Result<Value>>;
}

interface Held<Value> {
  readonly key: string;
  readonly value: Value | null;
  readonly failure: Failure | null;
}

/** Queries when `key` changes, after each snapshot of the socket, and when `again` is called. */
export function useAsked<Value>(key: string, ask: Question<Value>['ask']): Asked<Value> {
  const { answers, epoch, scope } = usePageContext();
  const whole = `${scope} ${key}`;
  const [held, setHeld] = useState<Held<Value> | null>(null);
  const [times, setTimes] = useState(0);
  const turns = useRef<Turns | null>(null);
  const again = useCallback(() => setTimes((before) => before + 1), []);
  const poll = useCallback(() => {
    if (turns.current?.isUnderWay !== true) again();
  }, []);

  // another question starts over, even one that was asked before
  useEffect(() => {
    turns.current = new Turns();
    return () => void (turns.current = null);
  }, [whole]);
  useEffect(() => {
    const own = turns.current;
    const number = own?.next() ?? 0;
    void ask().then((result) => {
      if (own === null || turns.current !== own || !own.takes(number)) return;
      if (result.ok) remember(answers, whole, result.value);
      setHeld((before) => ({
        key: whole,
        value: result.ok ? result.value : before?.key === whole ? before.value : null,
        failure: result.ok ? null : result.failure,
      }));
    });
  }, [whole, times, epoch]);

  const current = held?.key === whole ? held : null;
  const remembered = answers.get(whole) as Value | undefined;
  return { value: current?.value ?? remembered ?? null, failure: current?.failure ?? null, again, poll };
}

function remember(answers: Map<string, unknown>, key: string, value: unknown): void {
  answers.delete(key);
  answers.set(key, value);
  const [oldest] = answers.keys();
  if (answers.size > answersMax && oldest !== undefined) answers.delete(oldest);
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
