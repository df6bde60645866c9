import { expect, test } from 'vitest';
import { SemaphoreFull } from '../../../src/kernel/semaphore.ts';
import type { Scope } from '../../../src/runtime/model/address.ts';
import { ListTurns, listsAtOnceMax, listsWaitingMax } from '../../../src/store/list-turns.ts';

/** So many lists of a project that end when they are told to; `begun` are those that run. */
function lists(turns: ListTurns, scope: Scope, count: number) {
  const begun: (() => void)[] = [];
  const all = Array.from({ length: count }, () =>
    turns
      .pass(scope, () => new Promise<void>((resolve) => void begun.push(resolve)))
      .catch((thrown: unknown) => thrown),
  );
  return { begun, all };
}
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('a few lists of a project run, some wait, and one more is refused', async () => {
  const turns = new ListTurns();
  const { begun, all } = lists(turns, 'prj_a:live', listsAtOnceMax + listsWaitingMax + 1);
  expect(await all.at(-1)).toBeInstanceOf(SemaphoreFull);
  expect(begun).toHaveLength(listsAtOnceMax);
  begun[0]?.();
  await settled();
  expect(begun).toHaveLength(listsAtOnceMax + 1);
});

test('the lists of another project do not wait for them', async () => {
  const turns = new ListTurns();
  lists(turns, 'prj_a:live', listsAtOnceMax + listsWaitingMax);
  const { begun } = lists(turns, 'prj_b:live', 1);
  await settled();
  expect(begun).toHaveLength(1);
});

test('a list that fails gives its turn away', async () => {
  const turns = new ListTurns();
  const failed = Array.from({ length: 3 * listsAtOnceMax }, () =>
    turns.pass(null, () => Promise.reject(new Error('the store does not answer'))),
  );
  const outcomes = await Promise.allSettled(failed);
  expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(['rejected']));
  expect(await turns.pass(null, () => Promise.resolve('answered'))).toBe('answered');
});
