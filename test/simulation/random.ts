/** Seeded chance: the same seed draws the same numbers on every machine (integer arithmetic only). */
import type { RandomBytes } from '../../src/kernel/id.ts';

export type Chance = () => number;

/** A stream of numbers in [0, 1); `stream` tells streams of one seed apart. */
export function chanceOf(seed: number, stream: string): Chance {
  let state = (seed ^ 0x9e3779b9) >>> 0;
  for (const char of stream) state = Math.imul(state ^ char.charCodeAt(0), 0x01000193) >>> 0;
  // mulberry32
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export const bytesFrom =
  (chance: Chance): RandomBytes =>
  (count) =>
    Uint8Array.from({ length: count }, () => Math.floor(chance() * 256));

/** A whole number from `min` to `max`, both included. */
export const between = (chance: Chance, min: number, max: number): number =>
  min + Math.floor(chance() * (max - min + 1));

export function oneOf<Item>(chance: Chance, items: readonly [Item, ...Item[]]): Item {
  return items[Math.floor(chance() * items.length)] ?? items[0];
}
