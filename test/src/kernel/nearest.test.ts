import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nearest } from '../../../src/kernel/nearest.ts';

/** The textbook's table, whole. */
function distance(a: string, b: string): number {
  const rows = Array.from({ length: a.length + 1 }, (_, i) =>
    Array.from({ length: b.length + 1 }, (_, j) => (i === 0 ? j : j === 0 ? i : 0)),
  );
  const at = (i: number, j: number): number => rows[i]?.[j] ?? 0;
  for (let i = 1; i <= a.length; i++)
    for (let j = 1; j <= b.length; j++) {
      const changed = at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      (rows[i] as number[])[j] = Math.min(changed, at(i - 1, j) + 1, at(i, j - 1) + 1);
    }
  return at(a.length, b.length);
}

const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 9 });

test('the suggestion is the first of the words that differ least, within a bound', () => {
  fc.assert(
    fc.property(word, fc.array(word, { maxLength: 6 }), fc.nat(6), (sent, known, max) => {
      const least = Math.min(...known.map((each) => distance(sent, each)));
      const meant = least <= max ? (known.find((each) => distance(sent, each) === least) ?? null) : null;
      expect(nearest(sent, known, max)).toBe(meant);
    }),
    { numRuns: 2000 },
  );
});
