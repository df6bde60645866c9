/** One limit over several nodes: two or three limiters on one bus, in virtual time. */
import { describe, expect, test } from 'vitest';
import { createLimits, type Limits } from '../../../gateways/http/access/rate-limit.ts';
import { type Verdict } from '../../../gateways/http/access/buckets.ts';
import {
  bucketsReportedMax,
  broadcastEveryMs,
} from '../../../gateways/http/access/distributed-rate-limit.ts';
import { createLocalBus } from '../../support/simulated/bus-local.ts';
import type { Bus } from '../../../src/bus/bus.ts';
import { seconds } from '../../../src/kernel/time.ts';
import { VirtualScheduler } from '../../simulation/scheduler.ts';

interface Cluster {
  readonly time: VirtualScheduler;
  readonly nodes: readonly Limits[];
  readonly buses: readonly Bus[];
  /** Hints said so far. */
  readonly said: string[];
}

function cluster(count: number): Cluster {
  const time = new VirtualScheduler(1_000_000);
  const hub = createLocalBus({ scheduler: time });
  const said: string[] = [];
  const buses = Array.from({ length: count }, (_, n) => hub.connect(`n${n}`));
  const nodes = buses.map((bus) =>
    createLimits({
      on: true,
      now: () => time.now(),
      sharing: {
        scheduler: time,
        bus: {
          broadcast: (topic, text) => (said.push(text), bus.broadcast(topic, text)),
          onBroadcast: (topic, hear) => bus.onBroadcast(topic, hear),
        },
      },
    }),
  );
  return { time, nodes, buses, said };
}

const given = (tries: number, take: () => Verdict | null): number =>
  Array.from({ length: tries }, take).filter((verdict) => verdict?.allowed === true).length;

describe('a key that calls several nodes', () => {
  test('finds on each node what is left of one limit, a quarter of a second later', async () => {
    const { time, nodes } = cluster(2);
    const [a, b] = nodes as [Limits, Limits];
    expect(given(50, () => a.key('key_a', 'sandbox'))).toBe(50);
    expect(b.key('key_b', 'sandbox')?.remaining).toBe(49);
    await time.pass(broadcastEveryMs);
    // a quarter of a second's worth has run in since
    expect(given(50, () => b.key('key_a', 'sandbox'))).toBeLessThanOrEqual(7);
    expect(given(100, () => b.key('key_b', 'sandbox'))).toBe(50);
  });

  test('gets one limit over a longer time, not one per node', async () => {
    const { time, nodes } = cluster(3);
    let all = 0;
    for (let ms = 0; ms < seconds(60); ms += 50) {
      for (const node of nodes) all += given(10, () => node.key('key_a', 'sandbox'));
      await time.pass(50);
    }
    // 50 at once, 25 a second, and what each but one gave before it heard: at most a burst and 250 ms of it
    expect(all).toBeLessThanOrEqual(50 + 25 * 60 + 2 * (50 + 25 / 4));
    // and no less than one node alone would give
    expect(all).toBeGreaterThanOrEqual(25 * 60 - 25);
  });

  test('is not refused while it stays below the limit, however its calls are spread', async () => {
    const { time, nodes } = cluster(3);
    let refused = 0;
    for (let n = 0; n < 20 * 60; n++) {
      if (nodes[n % 3]?.key('key_a', 'sandbox')?.allowed !== true) refused++;
      await time.pass(50);
    }
    expect(refused).toBe(0);
  });

  test('that used too much before the nodes exchanged counts waits for all of it', async () => {
    const { time, nodes } = cluster(3);
    const burst = nodes.map((node) => given(100, () => node.key('key_a', 'sandbox')));
    expect(burst).toEqual([50, 50, 50]);
    await time.pass(broadcastEveryMs);
    const verdict = nodes[0]?.key('key_a', 'sandbox');
    expect(verdict).toMatchObject({ allowed: false, remaining: 0 });
    // 100 owed at 25 a second, less what has run in
    expect(verdict?.retryAfterSeconds).toBe(4);
    await time.pass(seconds(4));
    expect(nodes[0]?.key('key_a', 'sandbox')?.allowed).toBe(true);
  });
});

test('creations of a project and forms of an address are shared too', async () => {
  const { time, nodes } = cluster(2);
  const [a, b] = nodes as [Limits, Limits];
  expect(given(500, () => a.create('prj_a', 'sandbox', 500))).toBe(500);
  expect(given(30, () => a.perAddress('forms', '203.0.113.7', 30))).toBe(30);
  await time.pass(broadcastEveryMs);
  expect(given(500, () => b.create('prj_a', 'sandbox', 500))).toBe(0);
  expect(given(30, () => b.perAddress('forms', '203.0.113.7', 30))).toBe(0);
  expect(given(30, () => b.perAddress('auth', '203.0.113.7', 30))).toBe(30);
});

test('nodes without contact count for themselves', async () => {
  const { time, nodes, buses } = cluster(2);
  await Promise.all(buses.map((bus) => bus.close()));
  expect(nodes.map((node) => given(100, () => node.key('key_a', 'sandbox')))).toEqual([50, 50]);
  await time.pass(broadcastEveryMs);
  await time.pass(seconds(2));
  expect(nodes.map((node) => given(100, () => node.key('key_a', 'sandbox')))).toEqual([50, 50]);
});

test('reports are bounded, and an empty report is not sent', async () => {
  const { time, nodes, said } = cluster(2);
  await time.pass(seconds(5));
  expect(said).toEqual([]);
  const many = bucketsReportedMax + 500;
  for (let n = 0; n < many; n++) nodes[0]?.perAddress('auth', `2001:db8:${n.toString(16)}:1::1`, 60);
  await time.pass(broadcastEveryMs);
  expect(said).toHaveLength(bucketsReportedMax / 100);
  expect(Math.max(...said.map((text) => Buffer.byteLength(text)))).toBeLessThan(16 * 1024);
  await time.pass(seconds(5));
  expect(said).toHaveLength(bucketsReportedMax / 100);
});

test.each([
  '',
  'null',
  '{"a":1}',
  '[[1,2]]',
  '[["keys","key_a",50,25,-5]]',
  '[["keys","key_a",50,25,1e9]]',
  '[["x","key_a",50,25,5]]',
])('a foreign message %s on the same NATS changes nothing', async (text) => {
  const { time, nodes, buses } = cluster(2);
  buses[1]?.broadcast('limits', text);
  await time.pass(broadcastEveryMs);
  expect(given(100, () => nodes[0]?.key('key_a', 'sandbox') ?? null)).toBe(50);
});
