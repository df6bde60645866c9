import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Heap } from '../../../src/kernel/heap.ts';

test('whatever is added and removed, the first is always the smallest of what is there', () => {
  const steps = fc.array(fc.oneof(fc.integer({ min: 0, max: 20 }), fc.constant(null)));
  fc.assert(
    fc.property(steps, (all) => {
      const heap = new Heap<number>((one, other) => one < other);
      let there: number[] = [];
      for (const step of all) {
        if (step === null) expect(heap.pop()).toBe(there.shift());
        else {
          heap.push(step);
          there = [...there, step].toSorted((a, b) => a - b);
        }
        expect(heap.first).toBe(there[0]);
        expect(heap.size).toBe(there.length);
      }
      expect([...heap.takeAll()].toSorted((a, b) => a - b)).toEqual(there);
      expect(heap.first).toBeUndefined();
    }),
  );
});
