/** Calls for the same key share one: a call made while one is in progress waits for the next, so that no answer is
 *  older than its question. */
export function sharedCalls<Answer>(ask: (key: string) => Promise<Answer>): (key: string) => Promise<Answer> {
  /** Not begun yet. */
  const next = new Map<string, Promise<Answer>>();
  const inProgress = new Map<string, Promise<void>>();
  const begin = (key: string): Promise<Answer> => {
    next.delete(key);
    const answer = ask(key);
    const over = answer.then(nothing, nothing).then(() => {
      if (inProgress.get(key) === over) inProgress.delete(key);
    });
    inProgress.set(key, over);
    return answer;
  };
  return (key) => {
    const known = next.get(key);
    if (known !== undefined) return known;
    const before = inProgress.get(key) ?? Promise.resolve();
    const mine = before.then(() => begin(key));
    next.set(key, mine);
    return mine;
  };
}

const nothing = (): void => undefined;
