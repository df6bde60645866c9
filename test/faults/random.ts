/** Chance from a seed: the same seed gives the same schedule. */

/** Numbers in [0, 1): a small generator (mulberry32), good enough to shuffle with. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export const between = (random: () => number, low: number, high: number): number =>
  low + Math.floor(random() * (high - low + 1));

export function shuffled<Item>(random: () => number, items: readonly Item[]): Item[] {
  const all = [...items];
  for (let at = all.length - 1; at > 0; at--) {
    const other = between(random, 0, at);
    const [a, b] = [all[at] as Item, all[other] as Item];
    all[at] = b;
    all[other] = a;
  }
  return all;
}
