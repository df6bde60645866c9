/** Nodes that lose the bus, one another, their directory or their life: who serves their partitions, and when. */
import { expect, test } from 'vitest';
import { seconds, type DurationMs } from '../../../../src/kernel/time.ts';
import { beatEveryMs } from '../../../../src/runtime/cluster/bus-beats.ts';
import { confirmMsMax, settlePollMs } from '../../../../src/runtime/cluster/hand-off.ts';
import { leaveDirectoryMsMax, nextOwnersShownMs } from '../../../../src/runtime/cluster/leaving.ts';
import { sessionLifeMs } from '../../../../src/runtime/cluster/membership.ts';
import { movesMax } from '../../../../src/runtime/cluster/partitions.ts';
import { Bench, count, two } from './partitions-bench.ts';

test('a node without its bus is cut off while another node has one, and not when the bus is away for all', async () => {
  const { bench, other } = await two();
  bench.hasBus = false;
  const seen: boolean[] = [];
  for (let second = 0; second < 4; second++) {
    seen.push(bench.partitions.cutOff);
    await bench.scheduler.pass(seconds(1));
  }
  expect(seen).toEqual([false, false, false, true]);
  expect(other.partitions.cutOff).toBe(false);
  other.hasBus = false;
  await bench.scheduler.pass(seconds(4));
  expect([bench.partitions.cutOff, other.partitions.cutOff]).toEqual([false, false]);
  bench.hasBus = true;
  await bench.scheduler.pass(seconds(4));
  expect([bench.partitions.cutOff, other.partitions.cutOff]).toEqual([false, true]);
});

test('a node that the others do not hear says so and hands its partitions over within 8 s, and returns', async () => {
  const { bench, other } = await two();
  const third = new Bench(bench.disk, 'c', bench.scheduler);
  await third.start();
  await bench.scheduler.pass(seconds(10));
  expect([bench, other, third].map(({ partitions }) => partitions.cutOff)).toEqual([false, false, false]);
  expect(third.partitions.serving.length).toBeGreaterThan(0);
  third.isSplit = true;
  await bench.scheduler.pass(seconds(3));
  expect(third.partitions.cutOff).toBe(false);
  await bench.scheduler.pass(seconds(5));
  expect([bench, other, third].map(({ partitions }) => partitions.cutOff)).toEqual([false, false, true]);
  expect(bench.partitions.unheard).toEqual([third.partitions.incarnation]);
  expect(third.partitions.serving).toEqual([]);
  expect(bench.partitions.serving.length + other.partitions.serving.length).toBe(count);
  third.isSplit = false;
  await bench.scheduler.pass(seconds(8));
  expect(third.partitions.cutOff).toBe(false);
  expect(third.partitions.serving.length).toBeGreaterThan(0);
});

test('nodes whose only server of the bus stands still keep what they have, whenever their beats are sent', async () => {
  const phases = Array.from({ length: 8 }, (_, nth) => (beatEveryMs / 8) * nth);
  for (const [ms, later] of phases.flatMap((one) => phases.slice(4).map((other) => [one, other] as const))) {
    const { bench, other } = await two();
    const third = new Bench(bench.disk, 'c', bench.scheduler);
    await bench.scheduler.pass(ms);
    await third.start();
    await bench.scheduler.pass(seconds(10) + later);
    const all = [bench, other, third];
    const held = all.map(({ partitions }) => partitions.serving.length);
    const unrest: string[] = [];
    const watched = async (until: DurationMs): Promise<void> => {
      for (let at = 0; at < until; at += 50) {
        await bench.scheduler.pass(50);
        const now = all.map(({ partitions }) => partitions);
        const moved = now.some(({ serving }, nth) => serving.length !== held[nth]);
        if (moved || now.some(({ cutOff }) => cutOff))
          unrest.push(`${ms} ${later}: ${bench.scheduler.now()}`);
      }
    };
    for (const one of all) one.isMute = true;
    await watched(seconds(12));
    expect(bench.partitions.unheard).toHaveLength(2);
    for (const one of all) one.isMute = false;
    await watched(seconds(6));
    expect(all.map(({ partitions }) => partitions.unheard.length)).toEqual([0, 0, 0]);
    expect(unrest).toEqual([]);
  }
});

test('two nodes that do not hear each other keep what they have: nothing tells who has lost the bus', async () => {
  const { bench, other, served } = await two();
  other.isSplit = true;
  await bench.scheduler.pass(seconds(20));
  expect([bench.partitions.cutOff, other.partitions.cutOff]).toEqual([false, false]);
  expect(bench.partitions.unheard).toEqual([other.partitions.incarnation]);
  expect([bench.partitions.serving.length, other.partitions.serving.length]).toEqual([
    served,
    count - served,
  ]);
});

test('what a dead node had is served again within a second of the end of its session', async () => {
  // at every moment of its heartbeat
  for (let ms = 0; ms < 1000; ms += 125) {
    const { bench, other } = await two();
    const third = new Bench(bench.disk, 'c', bench.scheduler);
    await bench.scheduler.pass(ms);
    await third.start();
    await bench.scheduler.pass(seconds(10));
    third.kill();
    const endsAt = third.beatenAt + sessionLifeMs;
    const served = (): number => bench.partitions.serving.length + other.partitions.serving.length;
    expect(served()).toBeLessThan(count);
    await bench.scheduler.run(() => served() === count, bench.scheduler.now() + seconds(20));
    expect(bench.scheduler.now()).toBeGreaterThan(endsAt);
    expect(bench.scheduler.now() - endsAt).toBeLessThanOrEqual(seconds(1));
  }
});

test('a node leaves within its time and `leaveDirectoryMsMax`, also when the directory does not answer', async () => {
  const { bench } = await two();
  bench.noAnswer = true;
  const from = bench.scheduler.now();
  await bench.ended(bench.partitions.handOver(seconds(2)));
  expect(bench.scheduler.now() - from).toBeLessThanOrEqual(seconds(2) + nextOwnersShownMs + settlePollMs);
  const stoppedFrom = bench.scheduler.now();
  await bench.ended(bench.partitions.stop(seconds(3)));
  expect(bench.scheduler.now() - stoppedFrom).toBeLessThanOrEqual(
    seconds(3) + leaveDirectoryMsMax + settlePollMs,
  );
});

test('a partition is given away after `confirmMsMax`, also when the bus does not confirm the end of its subscription', async () => {
  const { bench, other, served } = await two();
  bench.noConfirmation = true;
  bench.story.length = 0;
  const from = bench.scheduler.now();
  const leaving = bench.partitions.handOver(seconds(20));
  await bench.scheduler.run(() => bench.story.includes('given'), from + seconds(20));
  expect(bench.scheduler.now() - from).toBeGreaterThanOrEqual(confirmMsMax);
  expect(bench.scheduler.now() - from).toBeLessThanOrEqual(confirmMsMax + seconds(1));
  await bench.ended(leaving);
  const rounds = Math.ceil(served / movesMax);
  expect(bench.scheduler.now() - from).toBeLessThanOrEqual(rounds * (confirmMsMax + 100) + seconds(1));
  await bench.scheduler.pass(seconds(2));
  expect(other.partitions.serving).toHaveLength(count);
});
