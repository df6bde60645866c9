import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DueOnClock, dueKeptMax, dueName } from '../../../../src/runtime/time/due-on-clock.ts';
import type { Due } from '../../../../src/store/store.ts';

const nobody = new Set<string>();
const until = 1_000_000;

const bySoonest = (one: Due, other: Due): number =>
  one.wake - other.wake || (one.id < other.id ? -1 : one.id > other.id ? 1 : 0);

/** A store of one clock, and what this node holds of it. */
function world(first: readonly Due[] = []) {
  const wakes = new Map(first.map((due) => [due.id, due.wake]));
  const asked = { times: 0 };
  const all = (): readonly Due[] =>
    [...wakes].map(([id, wake]) => ({ kind: 'sub', id, wake })).toSorted(bySoonest);
  const inStore = (): readonly Due[] => all().filter(({ wake }) => wake <= until);
  const due = new DueOnClock(until, async (limit) => {
    asked.times++;
    const found = inStore().slice(0, limit);
    await Promise.resolve();
    return found;
  });
  const commit = (id: string, wake: number | null): void => {
    if (wake === null) wakes.delete(id);
    else wakes.set(id, wake);
    due.committed({ kind: 'sub', id, wake });
  };
  return { due, commit, inStore, asked };
}

const sub = (id: string, wake: number): Due => ({ kind: 'sub', id, wake });
const idOf = (n: number): string => `sub_${String(n).padStart(6, '0')}`;

test('whatever is committed, the next one is the first of the store, which is asked once', async () => {
  const ids = fc.integer({ min: 0, max: 12 }).map(idOf);
  const instants = fc.integer({ min: 0, max: 20 }).map((n) => (n === 20 ? until + 1 : n));
  const steps = fc.array(fc.tuple(ids, fc.oneof(instants, fc.constant(null))), { maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(steps, steps, async (before, later) => {
      const { due, commit, inStore, asked } = world();
      for (const [id, wake] of before) commit(id, wake);
      for (const [id, wake] of later) {
        expect(await due.next(nobody)).toEqual(inStore()[0]);
        commit(id, wake);
      }
      expect(await due.next(nobody)).toEqual(inStore()[0]);
      expect(asked.times).toBe(1);
    }),
  );
});

test('what is committed while the store is asked counts more than its answer', async () => {
  const { due, commit } = world([sub('a', 10), sub('b', 20), sub('c', 30)]);
  const next = due.next(nobody);
  commit('a', null);
  commit('c', 15);
  expect(await next).toEqual(sub('c', 15));
  expect(due.has(sub('a', 10))).toBe(false);
});

test('one that is left out is passed over at its instant alone', async () => {
  const { due, commit } = world([sub('a', 10), sub('b', 20)]);
  const leftOut = new Set([dueName(sub('a', 10))]);
  expect(await due.next(leftOut)).toEqual(sub('b', 20));
  commit('a', 10);
  expect(await due.next(leftOut)).toEqual(sub('b', 20));
  commit('a', 11);
  expect(await due.next(leftOut)).toEqual(sub('a', 11));
});

test('of more than it may hold it holds the soonest, and asks again when these have fired', async () => {
  const many = dueKeptMax + 3;
  const { due, commit, inStore, asked } = world(Array.from({ length: many }, (_, n) => sub(idOf(n), n)));
  for (let fired = 0; fired < many; fired++) {
    const next = await due.next(nobody);
    if (fired === 0 || fired >= dueKeptMax) expect(next).toEqual(inStore()[0]);
    commit(next?.id ?? '', null);
  }
  expect(await due.next(nobody)).toBeUndefined();
  expect(asked.times).toBe(2);
});

test('when commits add more than it may hold, the latest are read again from the store', async () => {
  const { due, commit, asked } = world();
  expect(await due.next(nobody)).toBeUndefined();
  const many = 2 * dueKeptMax + 5;
  for (let n = many - 1; n >= 0; n--) commit(idOf(n), n);
  const fired: string[] = [];
  for (let next = await due.next(nobody); next !== undefined; next = await due.next(nobody)) {
    fired.push(next.id);
    commit(next.id, null);
  }
  expect(fired).toEqual(Array.from({ length: many }, (_, n) => idOf(n)));
  expect(asked.times).toBeLessThanOrEqual(4);
});
