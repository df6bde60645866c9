import { expect, test } from 'vitest';
import { BatchLoader } from '../../../gateways/live/batch-loader.ts';

/** A store that answers when the test allows it; its queries, in order. */
function shelf(stored: ReadonlyMap<string, string>, { idsMax = 4, readsMax = 2 } = {}) {
  const asked: (readonly string[])[] = [];
  const waiting: { readonly go: () => void; readonly fail: () => void }[] = [];
  const gate = (): Promise<void> =>
    new Promise((go, reject) => void waiting.push({ go, fail: () => reject(new Error('silent')) }));
  const gathered = new BatchLoader<string | null>({
    async one(id) {
      asked.push([id]);
      await gate();
      return stored.get(id) ?? null;
    },
    async many(ids) {
      asked.push(ids);
      await gate();
      return new Map(ids.flatMap((id) => (stored.has(id) ? [[id, stored.get(id) ?? '']] : [])));
    },
    idsMax,
    readsMax,
  });
  const settle = async (how: 'go' | 'fail'): Promise<void> => {
    for (const each of waiting.splice(0)) each[how]();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { asked, gathered, settle };
}

const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'];
const all = new Map(ids.map((id) => [id, `the ${id}`]));
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('a single id is read at once', async () => {
  const { asked, gathered, settle } = shelf(all);
  const found = gathered.read('a');
  await turn();
  expect(asked).toEqual([['a']]);
  await settle('go');
  expect(await found).toBe('the a');
});

test('ids requested together are read together, a batch at a time, and the others wait', async () => {
  const { asked, gathered, settle } = shelf(all);
  const found = Promise.all(ids.map((id) => gathered.read(id)));
  await turn();
  const first = [
    ['a', 'b', 'c', 'd'],
    ['e', 'f', 'g', 'h'],
  ];
  expect(asked).toEqual(first);
  const late = gathered.read('a');
  await turn();
  expect(asked).toEqual(first);
  await settle('go');
  // a read begins after it was asked for: the late one shares nothing with the one under way
  expect(asked).toEqual([...first, ['i', 'j', 'a']]);
  await settle('go');
  expect(await found).toEqual(ids.map((id) => `the ${id}`));
  expect(await late).toBe('the a');
});

test('an id missing in a batch is read by itself before it counts as absent', async () => {
  const { asked, gathered, settle } = shelf(all);
  const found = Promise.all(['a', 'nobody', 'b'].map((id) => gathered.read(id)));
  await turn();
  await settle('go');
  expect(asked).toEqual([['a', 'nobody', 'b'], ['nobody']]);
  await settle('go');
  expect(await found).toEqual(['the a', null, 'the b']);
});

test('when a batch fails all its callers get the error, and the next batch is read', async () => {
  const { gathered, settle } = shelf(all, { readsMax: 1 });
  const lost = Promise.allSettled(['a', 'b'].map((id) => gathered.read(id)));
  await turn();
  await settle('fail');
  expect((await lost).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  const found = Promise.all(['c', 'd'].map((id) => gathered.read(id)));
  await turn();
  await settle('go');
  expect(await found).toEqual(['the c', 'the d']);
});

test('single reads count as part of their batch: no more batches run meanwhile', async () => {
  const { asked, gathered, settle } = shelf(all, { readsMax: 1 });
  const found = Promise.all(['nobody', 'no one'].map((id) => gathered.read(id)));
  await turn();
  const late = gathered.read('a');
  await settle('go');
  const first = [['nobody', 'no one'], ['nobody'], ['no one']];
  expect(asked).toEqual(first);
  await settle('go');
  expect(await found).toEqual([null, null]);
  expect(asked).toEqual([...first, ['a']]);
  await settle('go');
  expect(await late).toBe('the a');
});
