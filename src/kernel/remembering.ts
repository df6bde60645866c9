/** A function of a text whose newest results are kept.
 *  1. Memory is bounded: of too many results the longest unused goes. What `make` throws is not kept. */
export function remembering<Result>(
  make: (text: string) => Result,
  entriesMax: number,
): (text: string) => Result {
  /** The longest unused first. */
  const known = new Map<string, Result>();
  return (text) => {
    const isKnown = known.has(text);
    // a result may be anything, undefined too
    const result = isKnown ? (known.get(text) as Result) : make(text);
    known.delete(text);
    known.set(text, result);
    const [oldest] = known.keys();
    if (known.size > entriesMax && oldest !== undefined) known.delete(oldest);
    return result;
  };
}
