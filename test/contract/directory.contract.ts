/** What every directory of nodes and partitions must do, written once and run on each of them.
 *  `makeDirectory` gives an empty one and a second hand on the same; the suite closes it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Directory, NodeInfo, NodeRow, PartitionRow } from '../../src/store/directory.ts';

export interface DirectoryUnderTest {
  /** Two nodes' views of one directory. */
  readonly ours: Directory;
  readonly theirs: Directory;
  close(): Promise<void>;
}

export type MakeDirectory = () => Promise<DirectoryUnderTest>;

const info: NodeInfo = {
  name: 'host-1 of नेपाल',
  version: '1.2.3',
  actors: true,
  bus: true,
  leaving: false,
  refuses: [],
  schemas: { checkout_session: 3 },
};

let made = 0;
const freshInc = (): string => `inc_${(++made).toString().padStart(4, '0')}`;
/** Partitions no other test uses. */
const freshPartition = (): number => ++made;

async function nodeOf(directory: Directory, inc: string): Promise<NodeRow | undefined> {
  return (await directory.read()).nodes.find((node) => node.inc === inc);
}

async function partitionOf(directory: Directory, p: number): Promise<PartitionRow | undefined> {
  return (await directory.read()).partitions.find((row) => row.p === p);
}

const countTrue = (answers: readonly boolean[]): number => answers.filter(Boolean).length;

export function directoryContract(name: string, makeDirectory: MakeDirectory): void {
  describe(`directory contract: ${name}`, () => {
    let made: DirectoryUnderTest;
    let ours: Directory;
    let theirs: Directory;
    beforeAll(async () => {
      made = await makeDirectory();
      ({ ours, theirs } = made);
    });
    afterAll(() => made.close());

    test('an empty directory has no nodes', async () => {
      expect(await ours.read()).toMatchObject({ nodes: [], partitions: [] });
    });

    test('the first node to set the number of partitions decides it for all', async () => {
      const said = await Promise.all([ours.agreeOnPartitions(256), theirs.agreeOnPartitions(512)]);
      expect(new Set(said).size).toBe(1);
      expect([256, 512]).toContain(said[0]);
      expect(await theirs.agreeOnPartitions(1024)).toBe(said[0]);
    });

    test('a cluster that this build has created refuses older builds from the start on', async () => {
      expect(await ours.refusesOlder()).toBe('always');
      await theirs.refuseOlder();
      expect(await ours.refusesOlder()).toBe('always');
    });

    nodesContract(() => ({ ours, theirs }));
    readsContract(() => ({ ours, theirs }));
    partitionsContract(() => ({ ours, theirs }));
  });
}

type Hands = () => { readonly ours: Directory; readonly theirs: Directory };

function nodesContract(hands: Hands): void {
  describe('nodes', () => {
    test('a registered node is seen as live by every node, with all it reports', async () => {
      const { ours, theirs } = hands();
      const inc = freshInc();
      await ours.register(inc, info, 1_763_600_000_123);
      const seen = await nodeOf(theirs, inc);
      expect(seen).toMatchObject({ inc, state: 'live', info, since: 1_763_600_000_123 });
    });

    test("a heartbeat raises the counter and updates the node's information", async () => {
      const { ours, theirs } = hands();
      const inc = freshInc();
      await ours.register(inc, info, 1);
      const first = await nodeOf(theirs, inc);
      const news = { ...info, bus: false, leaving: true, refuses: [7, 255], schemas: {} };
      expect(await ours.beat(inc, news)).toBe(true);
      const second = await nodeOf(theirs, inc);
      expect(second?.hb).toBeGreaterThan(first?.hb ?? Infinity);
      expect(second?.info).toEqual(news);
    });

    test('a node is declared dead only if its counter has not changed since it was read', async () => {
      const { ours, theirs } = hands();
      const inc = freshInc();
      await ours.register(inc, info, 1);
      const hb = (await nodeOf(theirs, inc))?.hb ?? 0;
      await ours.beat(inc, info);
      expect(await theirs.declareDead(inc, hb)).toBe(false);
      expect((await nodeOf(ours, inc))?.state).toBe('live');
      expect(await theirs.declareDead(inc, (await nodeOf(theirs, inc))?.hb ?? 0)).toBe(true);
      expect((await nodeOf(ours, inc))?.state).toBe('dead');
    });

    test('of many nodes that declare a node dead, one does it', async () => {
      const { ours, theirs } = hands();
      const inc = freshInc();
      await ours.register(inc, info, 1);
      const hb = (await nodeOf(ours, inc))?.hb ?? 0;
      const done = await Promise.all([ours, theirs, ours, theirs].map((one) => one.declareDead(inc, hb)));
      expect(countTrue(done)).toBe(1);
    });

    test('a dead node can neither send heartbeats nor register again', async () => {
      const { ours, theirs } = hands();
      const inc = freshInc();
      await ours.register(inc, info, 1);
      await theirs.declareDead(inc, (await nodeOf(theirs, inc))?.hb ?? 0);
      expect(await ours.beat(inc, info)).toBe(false);
      await expect(ours.register(inc, info, 2)).rejects.toThrow();
      expect(await nodeOf(theirs, inc)).toMatchObject({ state: 'dead', since: 1 });
    });

    test('a node that never registered cannot send a heartbeat', async () => {
      const { ours } = hands();
      const inc = freshInc();
      expect(await ours.beat(inc, info)).toBe(false);
      expect(await nodeOf(ours, inc)).toBeUndefined();
    });

    test('a node that leaves is dead at once, whatever its counter; leaving twice changes nothing', async () => {
      const { ours, theirs } = hands();
      const inc = freshInc();
      await ours.register(inc, info, 1);
      await ours.beat(inc, info);
      await ours.leave(inc);
      await ours.leave(inc);
      expect((await nodeOf(theirs, inc))?.state).toBe('dead');
      expect(await ours.beat(inc, info)).toBe(false);
    });

    test('nodes that have been dead for long are removed, live ones never', async () => {
      const { ours } = hands();
      const [alive, dead] = [freshInc(), freshInc()];
      await ours.register(alive, info, 1);
      await ours.register(dead, info, 1);
      await ours.leave(dead);
      const now = await ours.time();
      await ours.sweep(60_000, now);
      expect(await nodeOf(ours, dead)).toBeDefined();
      await ours.sweep(60_000, now + 120_000);
      expect(await nodeOf(ours, dead)).toBeUndefined();
      expect((await nodeOf(ours, alive))?.state).toBe('live');
    });

    test('the clock of the directory advances', async () => {
      const { ours, theirs } = hands();
      const before = await ours.time();
      expect(await theirs.time()).toBeGreaterThanOrEqual(before);
    });
  });
}

function readsContract(hands: Hands): void {
  test('a read that knows an earlier one shows every change, as a read that knows nothing', async () => {
    const { ours, theirs } = hands();
    const [inc, other, p] = [freshInc(), freshInc(), freshPartition()];
    const reported = { ...info, changes: 1 };
    const steps: readonly (() => Promise<unknown>)[] = [
      () => theirs.register(inc, reported, 1),
      () => theirs.beat(inc, reported),
      () => theirs.beat(inc, reported),
      () => theirs.beat(inc, { ...reported, leaving: true, changes: 2 }),
      () => theirs.register(other, reported, 1),
      () => theirs.take({ p, epoch: 0, owner: null }, inc),
      () => theirs.give(p, 1, inc),
      () => theirs.take({ p, epoch: 1, owner: null }, other),
      () => theirs.take({ p, epoch: 2, owner: other }, inc),
      () => theirs.leave(other),
      async () => theirs.declareDead(inc, (await nodeOf(theirs, inc))?.hb ?? 0),
    ];
    let known = await ours.read();
    for (const step of steps)
      for (const work of [step, () => Promise.resolve()]) {
        await work();
        known = await ours.read(known);
        const { nodes, partitions } = await ours.read();
        expect(known).toMatchObject({ nodes, partitions });
      }
  });

  test('what a node of an older version reports is seen, too', async () => {
    const { ours, theirs } = hands();
    const inc = freshInc();
    await theirs.register(inc, info, 1);
    let known = await ours.read(await ours.read());
    await theirs.beat(inc, { ...info, leaving: true });
    known = await ours.read(known);
    expect(known.nodes.find((row) => row.inc === inc)?.info.leaving).toBe(true);
    await theirs.leave(inc);
  });
}

function partitionsContract(hands: Hands): void {
  describe('partitions', () => {
    const none = (p: number): PartitionRow => ({ p, epoch: 0, owner: null });

    test('a partition without an owner so far is taken once, at epoch 1', async () => {
      const { ours, theirs } = hands();
      const p = freshPartition();
      const taken = await Promise.all([ours.take(none(p), 'inc_a'), theirs.take(none(p), 'inc_b')]);
      expect(countTrue(taken)).toBe(1);
      expect(await partitionOf(ours, p)).toEqual({ p, epoch: 1, owner: taken[0] ? 'inc_a' : 'inc_b' });
      expect(await ours.take(none(p), 'inc_c')).toBe(false);
    });

    test('it changes owner with a higher epoch, only from the owner that was seen', async () => {
      const { ours, theirs } = hands();
      const p = freshPartition();
      await ours.take(none(p), 'inc_a');
      expect(await theirs.take({ p, epoch: 1, owner: null }, 'inc_b')).toBe(false);
      expect(await theirs.take({ p, epoch: 1, owner: 'inc_x' }, 'inc_b')).toBe(false);
      expect(await theirs.take({ p, epoch: 2, owner: 'inc_a' }, 'inc_b')).toBe(false);
      expect(await theirs.take({ p, epoch: 1, owner: 'inc_a' }, 'inc_b')).toBe(true);
      expect(await partitionOf(ours, p)).toEqual({ p, epoch: 2, owner: 'inc_b' });
    });

    test('of many nodes that take it from a dead owner, one gets it', async () => {
      const { ours, theirs } = hands();
      const p = freshPartition();
      await ours.take(none(p), 'inc_a');
      const row: PartitionRow = { p, epoch: 1, owner: 'inc_a' };
      const hands8 = Array.from({ length: 8 }, (_, n) => (n % 2 === 0 ? ours : theirs));
      const taken = await Promise.all(hands8.map((one, n) => one.take(row, `inc_${n}`)));
      expect(countTrue(taken)).toBe(1);
      expect(await partitionOf(ours, p)).toEqual({ p, epoch: 2, owner: `inc_${taken.indexOf(true)}` });
    });

    test('only its owner gives it away; it keeps its epoch and is then free', async () => {
      const { ours, theirs } = hands();
      const p = freshPartition();
      await ours.take(none(p), 'inc_a');
      expect(await theirs.give(p, 1, 'inc_b')).toBe(false);
      expect(await ours.give(p, 2, 'inc_a')).toBe(false);
      expect(await ours.give(p, 1, 'inc_a')).toBe(true);
      expect(await partitionOf(theirs, p)).toEqual({ p, epoch: 1, owner: null });
      expect(await ours.give(p, 1, 'inc_a')).toBe(false);
      expect(await theirs.take({ p, epoch: 1, owner: null }, 'inc_b')).toBe(true);
      expect(await partitionOf(ours, p)).toEqual({ p, epoch: 2, owner: 'inc_b' });
    });

    test('all 256 can be taken at once and are shown at one look', async () => {
      const { ours, theirs } = hands();
      const first = 1000;
      const rows = Array.from({ length: 256 }, (_, n) => none(first + n));
      const taken = await Promise.all(rows.map((row) => ours.take(row, 'inc_all')));
      expect(countTrue(taken)).toBe(256);
      const { partitions } = await theirs.read();
      expect(partitions.filter(({ owner }) => owner === 'inc_all')).toHaveLength(256);
    });
  });
}
