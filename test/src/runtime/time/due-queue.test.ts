import { expect, test } from 'vitest';
import { DueQueue } from '../../../../src/runtime/time/due-queue.ts';

/** A queue whose firings end when the test says so. */
function queueOf(atOnce: { readonly [kind: string]: number }) {
  const fired: string[] = [];
  const ends: (() => void)[] = [];
  const queue = new DueQueue(
    (kind, id) => {
      fired.push(`${kind}/${id}`);
      return new Promise((resolve) => ends.push(resolve));
    },
    (kind) => atOnce[kind] ?? 1,
  );
  const end = async (count: number): Promise<void> => {
    for (const one of ends.splice(0, count)) one();
    await new Promise(setImmediate);
  };
  return { queue, fired, end };
}

test('given more due actors than may be fired at once, then the others follow in their order, one for each that ends', async () => {
  const { queue, fired, end } = queueOf({ sub: 2 });
  for (const id of ['a', 'b', 'c', 'd', 'e']) queue.add('sub', id);
  expect(fired).toEqual(['sub/a', 'sub/b']);
  await end(1);
  expect(fired).toEqual(['sub/a', 'sub/b', 'sub/c']);
  await end(2);
  expect(fired).toEqual(['sub/a', 'sub/b', 'sub/c', 'sub/d', 'sub/e']);
});

test('given a kind whose places are all taken, then another kind is fired at once', () => {
  const { queue, fired } = queueOf({ sub: 1, cs: 1 });
  for (const [kind, id] of [
    ['sub', 'a'],
    ['sub', 'b'],
    ['cs', 'c'],
  ] as const)
    queue.add(kind, id);
  expect(fired).toEqual(['sub/a', 'cs/c']);
});

test('one that waits is due once, however often it is added; one that is being fired waits again', async () => {
  const { queue, fired, end } = queueOf({ sub: 1 });
  for (const id of ['a', 'b', 'b', 'a']) queue.add('sub', id);
  expect(fired).toEqual(['sub/a']);
  await end(1);
  await end(1);
  await end(1);
  expect(fired).toEqual(['sub/a', 'sub/b', 'sub/a']);
});
