/** When a write that nobody waits for is sent. */
import { expect, test } from 'vitest';
import { batchWaitMsMax, Committer } from '../../../../src/runtime/activation/committer.ts';
import type { Scheduler } from '../../../../src/kernel/time.ts';
import type { Store, Write } from '../../../../src/store/store.ts';
import { docOf } from '../../../contract/store-samples.ts';
import { noMeters } from '../../../support/no-meters.ts';

const write = (id: string): Write => ({ expect: 0, rows: [], doc: docOf({ kind: 'x', id }) });
const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
};

/** A store that answers at once, and time that passes by hand. */
function rig() {
  const batches: string[][] = [];
  const timers: { readonly ms: number; readonly job: () => void }[] = [];
  const store = {
    commit: (writes: readonly Write[]) => {
      batches.push(writes.map(({ doc }) => doc.id));
      return Promise.resolve(writes.map(() => ({ is: 'applied' as const })));
    },
  } as unknown as Store;
  const scheduler: Scheduler = {
    now: () => 0,
    steady: () => 0,
    after: (ms, job) => {
      timers.push({ ms, job });
      return () => undefined;
    },
  };
  const committer = new Committer(store, scheduler, noMeters);
  const together = async (ids: readonly string[]): Promise<void> => {
    await Promise.all(ids.map((id) => committer.submit(write(id))));
  };
  return { committer, batches, timers, together };
}

test('where writes come one after the other, a deferrable one is sent at once', async () => {
  const { committer, batches, timers, together } = rig();
  for (const id of ['a', 'b', 'c', 'd']) await together([id]);
  await committer.submit(write('log'), 'company');
  expect(batches.at(-1)).toEqual(['log']);
  expect(timers).toEqual([]);
});

test('where callers share batches it waits for the next write, and goes with it', async () => {
  const { committer, batches, timers, together } = rig();
  for (let batch = 0; batch < 20; batch++) await together(['a', 'b', 'c']);
  expect(committer.hasCompany).toBe(true);
  const log = committer.submit(write('log'), 'company');
  await turns();
  expect(timers.map(({ ms }) => ms)).toEqual([batchWaitMsMax]);
  await committer.submit(write('next'));
  await log;
  expect(batches.at(-1)).toEqual(['log', 'next']);
});

test('a write that is known to be followed by another waits for that one, also where writes come one after the other', async () => {
  const { committer, batches, timers, together } = rig();
  for (const id of ['a', 'b', 'c', 'd']) await together([id]);
  const step = committer.submit(write('step'), 'next');
  await turns();
  expect(timers.map(({ ms }) => ms)).toEqual([batchWaitMsMax]);
  await committer.submit(write('timer'));
  await step;
  expect(batches.at(-1)).toEqual(['step', 'timer']);
});

test('it is sent alone when nothing has come in time', async () => {
  const { committer, batches, timers, together } = rig();
  for (let batch = 0; batch < 20; batch++) await together(['a', 'b']);
  const log = committer.submit(write('log'), 'company');
  await turns();
  timers[0]?.job();
  await log;
  expect(batches.at(-1)).toEqual(['log']);
});

test('writes that nobody waits for are no company, however many share a batch', async () => {
  const { committer } = rig();
  for (let batch = 0; batch < 20; batch++)
    await Promise.all(['a', 'b', 'c'].map((id) => committer.submit(write(id), 'company')));
  expect(committer.hasCompany).toBe(false);
});
