/** A turn that reads: its command and the result are one commit when the result comes in time, and two otherwise. */
import { afterEach, expect, test } from 'vitest';
import { envelopeText } from '../../../../actors/event-log/envelope.ts';
import { eventLog } from '../../../../actors/event-log/event-log.ts';
import { project } from '../../../../actors/project/project.ts';
import { pause, realScheduler, type Cancel } from '../../../../src/kernel/time.ts';
import { readMsMax } from '../../../../src/runtime/activation/open-turn.ts';
import { Node } from '../../../../src/runtime/node/node.ts';
import type { Doc, OutRow, Store, Written } from '../../../../src/store/store.ts';
import { createSimStore } from '../../../support/simulated/store-sim.ts';
import { embedded } from '../../../support/embedded.ts';
import { eventually } from '../../../support/eventually.ts';
import { counter, counterAt } from '../counter.ts';

const scope = 'prj_abcd:sandbox' as const;
const merchant = { by: 'merchant', scope } as const;
const id = 'cnt_ab1';
/** What the other effect brings. */
const posted = 500;
const full: Written = { is: 'error', of: 'store', reason: 'disk_full' };

let node: Node;
afterEach(() => node.kill());

/** The other side answers when the test says so; `commits` counts those of the counter. */
async function world() {
  const sim = createSimStore({ scheduler: realScheduler, chance: () => 0.5, rowsInCommit: true });
  Object.assign(sim.weather, { latencyMsMin: 0, latencyMsMax: 0 });
  const disk = { full: false, slow: Promise.resolve() };
  const time = { up: false };
  const asked: number[] = [];
  const answers: ((got: number) => void)[] = [];
  let commits = 0;
  const connection = sim.connect();
  const store: Store = {
    ...connection,
    commit: async (writes) => {
      await disk.slow;
      if (disk.full) return writes.map(() => full);
      commits += writes.filter(({ doc }) => doc.kind === 'counter').length;
      return connection.commit(writes);
    },
  };
  const read = {
    atOnce: 5,
    run: ({ n }: { n: number }) => {
      asked.push(n);
      return new Promise<object>((resolve) => answers.push((got) => resolve({ got })));
    },
  };
  const idle = { atOnce: 1, run: () => Promise.resolve({ got: posted }) };
  node = new Node({
    actors: [counter, eventLog, project],
    store,
    scheduler: {
      ...realScheduler,
      // the bound on a read's time passes when the test says so
      after: (ms, work) => (ms === readMsMax ? endless(() => time.up, work) : realScheduler.after(ms, work)),
    },
    envelopeText,
    ...embedded(`n:${Math.random()}`),
    effects: { look: read, fetch: idle, post: idle },
    dispatch: async (_scope, entries) => entries.map(() => []),
    log: { warn: () => undefined, error: () => undefined },
  });
  await node.start();
  node.open();
  await node.client.ask(counterAt(id), 'open', {}, merchant);
  const before = commits;
  return {
    disk,
    time,
    asked,
    answer: async (got: number) => {
      await eventually(
        async () => answers.shift() ?? null,
        () => 'a read',
      ).then((say) => say(got));
    },
    stored: () => sim.disk.doc('counter', id),
    /** Another node's commit, with a row of the same number that waits for something else. */
    overtaken: () => {
      const doc = sim.disk.doc('counter', id);
      if (doc === null) throw new Error('it is not stored');
      const out: OutRow[] = [{ q: 1, type: 'effect', kind: 'post', data: {}, tries: 0, at: 0 }];
      const item: Doc = { ...doc, v: 2, oq: 1, out, busy: true };
      sim.disk.landWrite(doc.v, { item, text: JSON.stringify(item) });
    },
    commits: () => commits - before,
    look: (n: number, announced = false) =>
      node.client.ask(counterAt(id), 'look', { n, announced }, merchant),
  };
}

/** Works as soon as it may. */
function endless(may: () => boolean, work: () => void): Cancel {
  const timer = setInterval(() => {
    if (!may()) return;
    clearInterval(timer);
    work();
  }, 1);
  return () => clearInterval(timer);
}

const countNow = async (): Promise<unknown> => (await node.client.read(counterAt(id), scope))?.view['count'];
const untilCount = (count: number): Promise<unknown> =>
  eventually(
    async () => ((await countNow()) === count ? true : null),
    () => `a count of ${count}`,
  );

test('a result that comes in time is one commit with the command that asked, and nobody is answered before it', async () => {
  const { asked, answer, commits, stored, look } = await world();
  let answered = false;
  const looked = look(7).finally(() => (answered = true));
  await eventually(
    async () => asked[0] ?? null,
    () => 'the read to begin',
  );
  expect([answered, stored()?.v]).toEqual([false, 1]);
  await answer(40);
  expect((await looked).is).toBe('ok');
  expect([await countNow(), commits(), stored()?.v, stored()?.out]).toEqual([41, 1, 2, []]);
});

test('a result that is late is a commit of its own, and the read has begun once', async () => {
  const { asked, answer, commits, stored, look, time } = await world();
  time.up = true;
  expect((await look(7)).is).toBe('ok');
  expect([await countNow(), commits(), stored()?.out.length]).toEqual([1, 1, 1]);
  await answer(40);
  await untilCount(41);
  expect([asked, commits(), stored()?.out]).toEqual([[7], 2, []]);
});

test('a reader, or another command, does not wait for what a turn reads', async () => {
  const { asked, answer, look } = await world();
  void look(7);
  await eventually(
    async () => asked[0] ?? null,
    () => 'the read to begin',
  );
  const added = node.client.ask(counterAt(id), 'add', { by: 100 }, merchant);
  expect((await added).is).toBe('ok');
  expect(await countNow()).toBe(101);
  await answer(40);
  await untilCount(141);
  expect(asked).toEqual([7]);
});

test('a turn that sends anything else is committed before its read begins', async () => {
  const { asked, answer, commits, disk, look } = await world();
  disk.full = true;
  expect((await look(7, true)).is).toBe('not_executed');
  await pause(realScheduler, 50);
  expect([asked, commits()]).toEqual([[], 0]);
  disk.full = false;
  expect((await look(8, true)).is).toBe('ok');
  await answer(40);
  await untilCount(41);
  expect(asked).toEqual([8]);
});

test('while the store has no room, a repeat is committed before it reads again, and the old result is dropped', async () => {
  const { asked, answer, disk, look, time } = await world();
  time.up = true;
  disk.full = true;
  for (const n of [7, 8, 9]) expect((await look(n)).is).toBe('not_executed');
  expect(asked).toEqual([7]);
  disk.full = false;
  expect((await look(10)).is).toBe('ok');
  await answer(1000);
  await answer(40);
  await untilCount(41);
  expect(asked).toEqual([7, 10]);
});

test('a result that has joined a turn whose commit finds a newer document is not taken for what that one waits for', async () => {
  const { asked, answer, look, overtaken } = await world();
  const looked = look(7);
  await eventually(
    async () => asked[0] ?? null,
    () => 'the read to begin',
  );
  overtaken();
  await answer(1000);
  await answer(40);
  expect((await looked).is).toBe('ok');
  await untilCount(1 + 40 + posted);
  expect(asked).toEqual([7, 7]);
});

test('a late result whose commit finds a newer document is not taken for what that one waits for either', async () => {
  const { asked, answer, disk, look, overtaken, time } = await world();
  let goOn = (): void => undefined;
  disk.slow = new Promise((resolve) => (goOn = resolve));
  const looked = look(7);
  await eventually(
    async () => asked[0] ?? null,
    () => 'the read to begin',
  );
  time.up = true;
  await pause(realScheduler, 10);
  await answer(1000);
  overtaken();
  goOn();
  time.up = false;
  await answer(40);
  expect((await looked).is).toBe('ok');
  await untilCount(1 + 40 + posted);
  expect(asked).toEqual([7, 7]);
});
