/** What is too old is removed by whichever node lives, and nothing else is. */
import { beforeEach, describe, expect, test } from 'vitest';
import {
  batchMax,
  firstRoundMs,
  Purger,
  roundEveryMs,
  type PurgeRule,
} from '../../../../src/runtime/node/purger.ts';
import { days, hours, minutes, type Scheduler } from '../../../../src/kernel/time.ts';
import { guardedScheduler } from '../../../../src/runtime/cluster/lifetime-guard.ts';
import type { Scope } from '../../../../src/runtime/model/address.ts';
import { createSimStore, type SimConnection, type SimStore } from '../../../support/simulated/store-sim.ts';
import { docDue, docOf, entryOf, putAll, rowOf, saveAll } from '../../../contract/store-samples.ts';
import { chanceOf } from '../../../simulation/random.ts';
import { selfRunning } from '../../../simulation/self-running.ts';

const project = 'prj_0000';
const [sandbox, live]: readonly Scope[] = [`${project}:sandbox`, `${project}:live`];
const rules: readonly PurgeRule[] = [
  { kind: 'parcel', keptMs: days(1) },
  { kind: 'journal', keptMs: days(90) },
  { kind: 'label', keptMs: days(30), realTime: true },
  { kind: 'parcel', keptMs: hours(26), gone: true },
];

let scheduler: Scheduler;
/** No timer fires any more. */
let life: { over: boolean };
let store: SimStore;
let offsetMs: number;
let walking: boolean;
let warnings: string[];
let removed: Record<string, number>;

beforeEach(async () => {
  const time = selfRunning();
  const mine = { over: false };
  life = mine;
  scheduler = guardedScheduler(time, () => mine.over);
  store = createSimStore({ scheduler, chance: chanceOf(1, 'purger'), rowsInCommit: false });
  [offsetMs, walking, warnings, removed] = [0, false, [], {}];
  // later than anything is kept
  await new Promise<void>((resolve) => void time.after(days(200), resolve));
  await saveAll(store.connect(), [docOf({ kind: 'courier', id: project, scope: 'system', created: 0 })]);
});

const purgerOf = (connection: SimConnection, owns: (id: string) => boolean = () => true): Purger =>
  new Purger({
    rules,
    store: connection,
    scheduler,
    clocks: {
      now: (clock) => scheduler.now() + (clock === null ? 0 : offsetMs),
      walking: (clock) => clock !== null && walking,
      fresh: () => null,
    },
    projectKind: 'courier',
    owns,
    log: {
      warn: (_fields, line) => void warnings.push(line),
      error: (_fields, line) => void warnings.push(line),
    },
    purged: (kind, count) => void (removed[kind] = (removed[kind] ?? 0) + count),
  });

const some = <Item>(count: number, make: (n: number) => Item): Item[] =>
  Array.from({ length: count }, (_, n) => make(n));
const ago = (ms: number): number => scheduler.now() - ms;

/** More than one batch of each kind; `young` counts what must stay. */
async function fill(scope: Scope = sandbox ?? 'system'): Promise<void> {
  const connection = store.connect();
  const docs = some(3 * batchMax + 5, (n) => docOf({ scope, created: ago(days(2)) + n }));
  await saveAll(connection, docs);
  await saveAll(connection, [
    docOf({ scope, created: ago(hours(20)) }),
    docDue([1e15], { scope, created: 0 }),
  ]);
  await putAll(
    connection,
    some(2 * batchMax, (n) => entryOf(scope, n + 1, { created: ago(days(91)) + n })),
  );
  await putAll(connection, [entryOf(scope, 1000, { created: ago(days(89)) })]);
  await putAll(
    connection,
    some(batchMax, () => rowOf({ scope, created: ago(days(31)) })),
  );
  await putAll(connection, [rowOf({ scope, created: ago(days(29)) })]);
}

const left = (scope: Scope = sandbox ?? 'system'): readonly number[] => [
  store.disk.docs('parcel').filter((doc) => doc.scope === scope).length,
  ...['journal', 'label'].map((kind) => store.disk.rows(kind).filter((row) => row.scope === scope).length),
];

test('one round removes everything that is too old, batch by batch, and nothing that is young or active', async () => {
  await fill();
  await fill(live);
  await purgerOf(store.connect()).round();
  expect([left(), left(live)]).toEqual([
    [2, 1, 1],
    [2, 1, 1],
  ]);
  expect(removed).toEqual({ parcel: 2 * (3 * batchMax + 5), journal: 4 * batchMax, label: 2 * batchMax });
});

test('in sandbox age is counted on the test clock, except where real time is asked for', async () => {
  await fill();
  offsetMs = days(2);
  await purgerOf(store.connect()).round();
  // the parcel of 20 hours and the event of 89 days are old now, the label of 29 days is not
  expect(left()).toEqual([1, 0, 1]);
});

test('while a clock is being advanced, nothing on it is removed', async () => {
  await fill();
  walking = true;
  await purgerOf(store.connect()).round();
  expect(left().slice(0, 2)).toEqual([3 * batchMax + 7, 2 * batchMax + 1]);
  walking = false;
  await purgerOf(store.connect()).round();
  expect(left()).toEqual([2, 1, 1]);
});

describe('nodes', () => {
  test('only the owner of a project removes what belongs to it', async () => {
    await fill();
    await purgerOf(store.connect(), () => false).round();
    expect(removed).toEqual({});
    await purgerOf(store.connect(), (id) => id === project).round();
    expect(left()).toEqual([2, 1, 1]);
  });

  test('when one dies in the middle, the next owner removes the rest, each record once', async () => {
    await fill();
    const [dying, heir] = [store.connect(), store.connect()];
    let owner = dying;
    void purgerOf(dying, () => owner === dying).round();
    await new Promise<void>((resolve) => {
      const look = (): void => {
        if ((removed['parcel'] ?? 0) < batchMax) return void scheduler.after(1, look);
        dying.kill();
        owner = heir;
        resolve();
      };
      look();
    });
    const before = removed['parcel'] ?? 0;
    expect(before).toBeLessThan(3 * batchMax);
    await purgerOf(heir, () => owner === heir).round();
    expect(left()).toEqual([2, 1, 1]);
    // a batch of the dead node may have been applied without an answer
    expect(3 * batchMax + 5 - (removed['parcel'] ?? 0)).toBeLessThanOrEqual(batchMax);
  });

  test('two that both believe they own it remove nothing twice and nothing young', async () => {
    await fill();
    await Promise.all([purgerOf(store.connect()).round(), purgerOf(store.connect()).round()]);
    expect(left()).toEqual([2, 1, 1]);
    expect(removed).toEqual({ parcel: 3 * batchMax + 5, journal: 2 * batchMax, label: batchMax });
  });
});

test('a store that does not answer delays a round; the next one makes up for it', async () => {
  await fill();
  Object.assign(store.weather, { silent: 0.3, lost: 0.3 });
  purgerOf(store.connect()).begin();
  await new Promise<void>((resolve) => void scheduler.after(8 * roundEveryMs, resolve));
  expect(warnings.length).toBeGreaterThan(0);
  Object.assign(store.weather, { silent: 0, lost: 0 });
  await new Promise<void>((resolve) => void scheduler.after(roundEveryMs + minutes(5), resolve));
  // virtual time would run on and on
  life.over = true;
  expect(left()).toEqual([2, 1, 1]);
});

test('a node that owns nothing yet when it begins purges soon after it does, not ten minutes later', async () => {
  await fill();
  let owned = false;
  purgerOf(store.connect(), () => owned).begin();
  await new Promise<void>((resolve) => void scheduler.after(firstRoundMs + 1_000, resolve));
  expect(left()).not.toEqual([2, 1, 1]);
  owned = true;
  await new Promise<void>((resolve) => void scheduler.after(3 * firstRoundMs, resolve));
  life.over = true;
  expect(left()).toEqual([2, 1, 1]);
});

test('between two batches it rests at least four times as long as the store took', async () => {
  await fill();
  Object.assign(store.weather, { latencyMsMin: 10, latencyMsMax: 10 });
  const began = scheduler.now();
  await purgerOf(store.connect()).round();
  // seven batches that removed something, at 20 ms there and back
  expect(scheduler.now() - began).toBeGreaterThanOrEqual(7 * (20 + 80));
});
