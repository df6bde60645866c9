/** An LRU cache for a function of a text.
 *  1. Memory is bounded: the least recently used result is removed. Errors thrown by `make` are not cached. */
export function remembering<Result>(
  make: (text: string) => Result,
  entriesMax: number,
): (text: string) => Result {
  /** The least recently used first. */
  const known = new Map<string, Result>();
  return (text) => {
    const isKnown = known.has(text);
    // a cached result may be any value, including undefined
    const result = isKnown ? (known.get(text) as Result) : make(text);
    known.delete(text);
    known.set(text, result);
    const [oldest] = known.keys();
    if (known.size > entriesMax && oldest !== undefined) known.delete(oldest);
    return result;
  };
}
