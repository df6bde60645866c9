import { expect, test } from 'vitest';
import { placement } from '../../../../src/runtime/cluster/rendezvous.ts';

const nodes = (...names: readonly string[]) =>
  names.map((inc) => ({ inc, refuses: [] as readonly number[] }));
const count = 256;

test('partitions are distributed evenly: no node has half as many again as its share', () => {
  for (const size of [2, 3, 5, 8]) {
    const names = Array.from({ length: size }, (_, n) => `n:node-${n}`);
    const owners = placement(nodes(...names), count);
    for (const name of names) {
      const share = owners.filter((owner) => owner === name).length;
      expect(share, `${name} of ${size}`).toBeLessThan((count / size) * 1.5);
      expect(share, `${name} of ${size}`).toBeGreaterThan((count / size) * 0.5);
    }
  }
});

test('a node that joins takes only its own share, a node that leaves releases only that', () => {
  const before = placement(nodes('n:a', 'n:b', 'n:c'), count);
  const after = placement(nodes('n:a', 'n:b', 'n:c', 'n:d'), count);
  for (const [p, owner] of after.entries()) if (owner !== before[p]) expect(owner).toBe('n:d');
  expect(placement(nodes('n:a', 'n:b', 'n:c'), count)).toEqual(before);
});

test('the order of the nodes does not matter', () => {
  expect(placement(nodes('n:c', 'n:a', 'n:b'), count)).toEqual(placement(nodes('n:a', 'n:b', 'n:c'), count));
});

test('a partition goes to a node that does not refuse it, and to none when all do', () => {
  const [p, q] = [7, 9];
  const some = [
    { inc: 'n:a', refuses: [p, q] },
    { inc: 'n:b', refuses: [q] },
  ];
  const owners = placement(some, 16);
  expect(owners[p]).toBe('n:b');
  expect(owners[q]).toBeNull();
  expect(placement([], 4)).toEqual([null, null, null, null]);
});
