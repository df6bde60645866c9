/** How partitions are taken and given away, in virtual time: how many at once, and in what order one is handed over. */
import { expect, test } from 'vitest';
import { seconds } from '../../../../src/kernel/time.ts';
import { leaveDirectoryMsMax } from '../../../../src/runtime/cluster/leaving.ts';
import { onceCallMsMax } from '../../../../src/runtime/cluster/ownership.ts';
import { movesMax } from '../../../../src/runtime/cluster/partitions.ts';
import { Bench, count, envelope, two } from './partitions-bench.ts';

test('a single node takes every partition, at most sixteen at a time', async () => {
  const bench = new Bench();
  await bench.start();
  await bench.scheduler.pass(seconds(5));
  expect(bench.partitions.serving).toHaveLength(count);
  expect(bench.takesAtOnce).toBe(movesMax);
  expect([...bench.disk.partitions.values()].every(({ epoch }) => epoch === 1)).toBe(true);
  expect(bench.partitions.slots).toEqual([{ from: 0, to: 1024 }]);
});

test('partitions taken together share one scan, however many they are', async () => {
  const bench = new Bench();
  await bench.start();
  await bench.scheduler.pass(seconds(5));
  expect(bench.scans).toEqual([count]);
});

test('a partition taken during a scan is part of the next one, and a stop waits for it', async () => {
  const bench = new Bench();
  let scanned: () => void = () => undefined;
  bench.scanned = new Promise((resolve) => {
    scanned = resolve;
  });
  const other = { name: '', version: '', actors: true, bus: true, leaving: false, refuses: [], schemas: {} };
  bench.disk.put({ inc: 'other', hb: 1, state: 'live', since: 0, info: other });
  await bench.start();
  await bench.scheduler.pass(seconds(2));
  const early = bench.scans[0] ?? 0;
  expect(early).toBeGreaterThan(0);
  // the other one stays silent and is declared dead: what it should have owned comes too
  await bench.scheduler.pass(seconds(8));
  expect(bench.disk.partitions.size).toBe(count);
  expect(bench.scans).toEqual([early]);
  const stopping = bench.partitions.stop(seconds(20));
  await bench.scheduler.pass(seconds(1));
  expect(bench.story).not.toContain('given');
  scanned();
  await bench.ended(stopping);
  expect(bench.scans).toEqual([early, count - early]);
  expect([...bench.disk.partitions.values()].every(({ owner }) => owner === null)).toBe(true);
});

test('a partition is given away in order: answer MOVED, unsubscribe, flush, no more answers, and only then the directory', async () => {
  const bench = new Bench();
  await bench.start();
  await bench.scheduler.pass(seconds(5));
  bench.story.length = 0;
  bench.busyUntil = bench.scheduler.now() + 300;
  const heard = bench.answering.get(3);
  expect(await heard?.(envelope)).toMatchObject({ is: 'ok' });
  const stopping = bench.partitions.stop(seconds(5));
  await bench.scheduler.pass(100);
  // what is under way is waited for; until then it is the only owner, so its MOVED is proof
  expect(await heard?.(envelope)).toMatchObject({ is: 'not_executed', why: 'moved' });
  expect(bench.story).toEqual([]);
  await bench.ended(stopping);
  expect(bench.story.slice(0, 2)).toEqual(['unsubscribed', 'unsubscribed']);
  const first = (what: string): number => bench.story.findIndex((one) => one.startsWith(what));
  expect(first('unsubscribed')).toBeLessThan(first('flushed'));
  expect(first('flushed')).toBeLessThan(first('dropped'));
  expect(first('dropped')).toBeLessThan(first('given'));
  expect(await heard?.(envelope)).toBeNull();
  expect([...bench.disk.partitions.values()].every(({ owner }) => owner === null)).toBe(true);
});

test('a node that hands over gives all partitions to able nodes, and stays a member until it stops', async () => {
  const bench = new Bench();
  await bench.start();
  await bench.scheduler.pass(seconds(5));
  const other = new Bench(bench.disk, 'b', bench.scheduler);
  await other.start();
  await bench.scheduler.pass(seconds(3));
  expect(bench.partitions.serving.length + other.partitions.serving.length).toBe(count);
  const { incarnation } = bench.partitions;
  await bench.ended(bench.partitions.handOver(seconds(2)));
  expect(bench.partitions.serving).toEqual([]);
  expect(bench.partitions.valid).toBe(true);
  expect(bench.disk.nodes.get(incarnation)?.state).toBe('live');
  await bench.scheduler.pass(seconds(3));
  expect(other.partitions.serving).toHaveLength(count);
  expect(bench.partitions.serving).toEqual([]);
  await bench.ended(bench.partitions.stop(seconds(2)));
  expect(bench.disk.nodes.get(incarnation)?.state).toBe('dead');
});

test('a node without an able successor serves until it stops', async () => {
  const bench = new Bench();
  await bench.start();
  await bench.scheduler.pass(seconds(5));
  await bench.ended(bench.partitions.handOver(seconds(2)));
  expect(bench.partitions.serving).toHaveLength(count);
  await bench.ended(bench.partitions.stop(seconds(2)));
  expect([...bench.disk.partitions.values()].every(({ owner }) => owner === null)).toBe(true);
});

test('nodes that leave together keep serving: none gives to another leaving node', async () => {
  const { bench, other, served } = await two();
  await bench.ended(
    Promise.all([bench.partitions.handOver(seconds(2)), other.partitions.handOver(seconds(2))]),
  );
  expect(bench.partitions.serving).toHaveLength(served);
  expect(other.partitions.serving).toHaveLength(count - served);
});

test('no partition is handed over to a node without recent heartbeats', async () => {
  const { bench, other, served } = await two();
  other.partitions.kill();
  await bench.scheduler.pass(seconds(3));
  await bench.ended(bench.partitions.handOver(seconds(1)));
  expect(bench.partitions.serving).toHaveLength(served);
});

test('a partition with work in progress is waited for, and stays when the hand-over time is over', async () => {
  const { bench, other } = await two();
  bench.story.length = 0;
  bench.busyUntil = bench.scheduler.now() + seconds(4);
  const from = bench.scheduler.now();
  await bench.ended(bench.partitions.handOver(seconds(2)));
  expect(bench.scheduler.now() - from).toBeLessThan(seconds(2.5));
  expect(bench.story).not.toContain('given');
  await bench.scheduler.pass(seconds(8));
  expect(other.partitions.serving).toHaveLength(count);
});

test('a partition with work in progress at the end of the wait is not given away explicitly', async () => {
  const bench = new Bench();
  await bench.start();
  await bench.scheduler.pass(seconds(5));
  const { incarnation } = bench.partitions;
  bench.busyUntil = Infinity;
  const stopping = bench.partitions.stop(seconds(2));
  await bench.ended(stopping);
  expect(bench.story).not.toContain('given');
  expect(bench.disk.partitions.get(0)?.owner).toBe(incarnation);
  expect(bench.disk.nodes.get(incarnation)?.state).toBe('dead');
});

test('a node that leaves waits `onceCallMsMax` longer for a call that is never made again', async () => {
  for (const answered of [true, false]) {
    const bench = new Bench();
    await bench.start();
    await bench.scheduler.pass(seconds(5));
    const lease = bench.partitions.leaseOf('x_00a');
    expect(await lease?.toAct()).toBe(true);
    lease?.callOnce();
    const from = bench.scheduler.now();
    const stopping = bench.partitions.stop(seconds(2));
    if (answered) bench.scheduler.after(seconds(2) + onceCallMsMax - 600, () => lease?.acted(true));
    await bench.scheduler.pass(seconds(3));
    expect(bench.partitions.serving).toEqual([0]);
    await bench.ended(stopping);
    const owners = [...bench.disk.partitions.values()].map(({ owner }) => owner);
    expect(owners.filter((owner) => owner !== null)).toHaveLength(0);
    expect(bench.scheduler.now() - from).toBeLessThanOrEqual(
      seconds(2) + onceCallMsMax + leaveDirectoryMsMax,
    );
  }
});

test('a lease that the directory shows for another node ends at once', async () => {
  const bench = new Bench();
  await bench.start();
  await bench.scheduler.pass(seconds(5));
  const heard = bench.answering.get(5);
  bench.disk.partitions.set(5, { p: 5, epoch: 9, owner: 'somebody' });
  bench.disk.put({
    inc: 'somebody',
    hb: 1,
    state: 'live',
    since: 0,
    info: { name: '', version: '', actors: false, bus: true, leaving: false, refuses: [], schemas: {} },
  });
  await bench.scheduler.pass(seconds(2));
  expect(bench.story).toContain('dropped 5');
  expect(await heard?.(envelope)).toBeNull();
  expect(bench.partitions.serving).not.toContain(5);
});

test('a copy that arrives before the scan is over waits for it and is answered', async () => {
  const bench = new Bench();
  let scanned: () => void = () => undefined;
  bench.scanned = new Promise((resolve) => {
    scanned = resolve;
  });
  await bench.start();
  await bench.scheduler.pass(seconds(2));
  expect(bench.partitions.serving).toEqual([]);
  let answer: unknown = 'none yet';
  void bench.answering
    .get(3)?.(envelope)
    .then((heard) => {
      answer = heard;
    });
  await bench.scheduler.pass(seconds(2));
  expect(answer).toBe('none yet');
  scanned();
  await bench.scheduler.pass(100);
  expect(answer).toMatchObject({ is: 'ok' });
});

test('a node knows the schemas of each living node, and logs once when one of them is older', async () => {
  const bench = new Bench();
  const older = { name: '', version: '', actors: false, bus: true, leaving: false, refuses: [] };
  await bench.start();
  await bench.scheduler.pass(seconds(2));
  expect(['session', 'plan'].map((kind) => bench.partitions.readByAll(kind))).toEqual([3, 1]);
  bench.disk.put({ inc: 'old', hb: 1, state: 'live', since: 0, info: { ...older, schemas: { session: 2 } } });
  await bench.scheduler.pass(seconds(2));
  expect(['session', 'plan'].map((kind) => bench.partitions.readByAll(kind))).toEqual([2, 0]);
  expect(bench.said).toEqual([expect.stringContaining('a node of an older version is alive')]);
  // it stays silent and is declared dead
  await bench.scheduler.pass(seconds(10));
  expect(['session', 'plan'].map((kind) => bench.partitions.readByAll(kind))).toEqual([3, 1]);
  expect(bench.said.filter((line) => /version/.test(line))).toHaveLength(2);
});
