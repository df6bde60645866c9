/** When a write that nobody waits for is sent. */
import { describe, expect, test } from 'vitest';
import {
  batchesAtOnceMax,
  batchRoundsMax,
  batchWaitMsMax,
  smallBatchWrites,
  besideAfterMs,
  Committer,
} from '../../../../src/runtime/activation/committer.ts';
import type { Scheduler } from '../../../../src/kernel/time.ts';
import type { Store, Write } from '../../../../src/store/store.ts';
import { docOf } from '../../../contract/store-samples.ts';
import { VirtualScheduler } from '../../../simulation/scheduler.ts';
import { noMeters } from '../../../support/no-meters.ts';

const write = (id: string): Write => ({ expect: 0, rows: [], doc: docOf({ kind: 'x', id }) });
const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
};

/** A store that answers at once, and time that passes by hand. */
function rig({ nextRound }: Pick<Scheduler, 'nextRound'> = {}) {
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
    ...(nextRound === undefined ? {} : { nextRound }),
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

describe('where batches have company, a batch of few writes', () => {
  /** Rounds of the event loop that pass by hand. */
  async function companyOf() {
    const rounds: (() => void)[] = [];
    const made = rig({ nextRound: (work) => void rounds.push(work) });
    const pass = async (): Promise<void> => {
      for (const work of rounds.splice(0)) work();
      await turns();
    };
    for (let batch = 0; batch < 20; batch++) await made.together(['a', 'b', 'c', 'd']);
    expect(made.committer.hasCompany).toBe(true);
    made.batches.length = 0;
    return { ...made, pass };
  }

  test('waits for others that come in the next rounds, and goes when they are enough', async () => {
    const { committer, batches, pass } = await companyOf();
    void committer.submit(write('first'));
    await turns();
    expect(batches).toEqual([]);
    for (let n = 1; n < smallBatchWrites; n++) void committer.submit(write(`later ${n}`));
    await pass();
    expect(batches).toEqual([['first', 'later 1', 'later 2', 'later 3']]);
  });

  test('goes at once when a caller waits for a deferred write in it', async () => {
    const { committer, batches, pass } = await companyOf();
    void committer.submit(write('log'), 'company');
    await turns();
    committer.goNow();
    await pass();
    expect(batches).toEqual([['log']]);
  });

  test('goes after some rounds without', async () => {
    const { committer, batches, pass } = await companyOf();
    void committer.submit(write('alone'));
    await turns();
    for (let round = 0; round < batchRoundsMax; round++) {
      expect(batches).toEqual([]);
      await pass();
    }
    expect(batches).toEqual([['alone']]);
  });
});

describe('a store that takes several batches at once', () => {
  /** Its batches return by hand, and time passes by hand. */
  function slow(atOnce: number) {
    const sent: { readonly ids: readonly string[]; readonly returns: () => Promise<void> }[] = [];
    const store = {
      commit: (writes: readonly Write[]) =>
        new Promise((resolve) => {
          const returns = (): Promise<void> => {
            resolve(writes.map(() => ({ is: 'applied' })));
            return turns();
          };
          sent.push({ ids: writes.map(({ doc }) => doc.id), returns });
        }),
    } as unknown as Store;
    const time = new VirtualScheduler(0);
    const committer = new Committer(store, time, noMeters, atOnce);
    const done: string[] = [];
    const submit = async (...ids: readonly string[]): Promise<void> => {
      for (const id of ids) void committer.submit(write(id)).then(() => done.push(id));
      await turns();
    };
    return { committer, sent, time, done, submit, batches: () => sent.map(({ ids }) => ids.join(' ')) };
  }

  test(`gets up to ${batchesAtOnceMax}, each when the last one is ${besideAfterMs} ms old`, async () => {
    const { sent, time, done, submit, batches } = slow(batchesAtOnceMax);
    await submit('a');
    await submit('b', 'c');
    expect(batches()).toEqual(['a']);
    await time.pass(besideAfterMs);
    expect(batches()).toEqual(['a', 'b c']);
    await time.pass(5);
    await submit('d');
    expect(batches()).toEqual(['a', 'b c', 'd']);
    await time.pass(5);
    await submit('e');
    await time.pass(5);
    await submit('f', 'g');
    await time.pass(50);
    expect(batches()).toEqual(['a', 'b c', 'd', 'e']);
    // whichever returns makes room for what waits
    await sent[2]?.returns();
    await time.pass(besideAfterMs);
    expect(done).toEqual(['d']);
    expect(batches().at(-1)).toBe('f g');
    for (const { returns } of sent) await returns();
    expect(done.toSorted()).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g']);
    await submit('h');
    expect(batches().at(-1)).toBe('h');
  });

  test('gets no batch of writes that nobody waits for beside another', async () => {
    const { committer, sent, time, submit, batches } = slow(batchesAtOnceMax);
    await submit('a');
    void committer.submit(write('log'), 'company');
    await time.pass(50);
    expect(batches()).toEqual(['a']);
    await sent[0]?.returns();
    await time.pass(batchWaitMsMax);
    expect(batches()).toEqual(['a', 'log']);
  });

  test('one that takes one at a time gets one at a time', async () => {
    const { sent, time, submit, batches } = slow(1);
    await submit('a');
    await time.pass(50);
    await submit('b');
    await time.pass(50);
    expect(batches()).toEqual(['a']);
    await sent[0]?.returns();
    expect(batches()).toEqual(['a', 'b']);
  });
});
