/** Which asks wait for an owner that cannot answer, and which are given up. */
import { beforeEach, describe, expect, test } from 'vitest';
import {
  unresponsiveAfterMs,
  UnresponsiveOwners,
} from '../../../../src/runtime/cluster/unresponsive-owners.ts';
import type { NodeRow } from '../../../../src/store/directory.ts';

let now: number;
let unseenMs: { [incarnation: string]: number };
let owners: UnresponsiveOwners;
let given: number[];

const node = (inc: string, over: { state?: 'live' | 'dead'; bus?: boolean } = {}): NodeRow => ({
  inc,
  hb: 1,
  state: over.state ?? 'live',
  since: 0,
  info: {
    name: '',
    version: '',
    actors: true,
    bus: over.bus ?? true,
    leaving: false,
    refuses: [],
    schemas: {},
  },
});

/** Partition 0 is a's, 1 is b's, by default. */
function look(
  nodes: readonly NodeRow[],
  rows: readonly (string | null)[] = ['a', 'b'],
  askedAt = now,
  epoch = 1,
): void {
  const partitions = rows.map((owner, p) => ({ p, epoch, owner }));
  owners.observe({ nodes, partitions, askedAt });
}

beforeEach(() => {
  [now, unseenMs, given] = [1000, {}, []];
  owners = new UnresponsiveOwners({
    scheduler: { steady: () => now },
    unseenMs: (inc) => unseenMs[inc] ?? 0,
  });
  look([node('a'), node('b')]);
  for (const p of [0, 1]) owners.whenUnresponsive(p, () => given.push(p));
  now += 10;
});

test('a node without heartbeats for long is given up before it is declared dead; others are waited for', () => {
  unseenMs = { a: unresponsiveAfterMs - 1 };
  look([node('a'), node('b')]);
  expect([given, owners.maySend(0)]).toEqual([[], true]);
  unseenMs = { a: unresponsiveAfterMs };
  look([node('a'), node('b')]);
  expect([given, owners.maySend(0), owners.maySend(1)]).toEqual([[0], false, true]);
  look([node('a', { state: 'dead' }), node('b')]);
  expect([given, owners.maySend(0)]).toEqual([[0], false]);
});

test('the next owner, and one with heartbeats again, may be asked', () => {
  look([node('a', { state: 'dead' }), node('b')]);
  expect(owners.maySend(0)).toBe(false);
  look([node('a', { state: 'dead' }), node('b')], ['b', 'b']);
  expect(owners.maySend(0)).toBe(true);
  unseenMs = { b: unresponsiveAfterMs };
  look([node('b')], ['b', 'b']);
  expect(owners.maySend(0)).toBe(false);
  unseenMs = {};
  look([node('b')], ['b', 'b']);
  expect(owners.maySend(0)).toBe(true);
});

test('a node that has just lost its bus is given up once: asks after its return are waited for', () => {
  look([node('a', { bus: false }), node('b')]);
  expect([given, owners.maySend(0)]).toEqual([[0], true]);
  owners.whenUnresponsive(0, () => given.push(7));
  now += 10;
  look([node('a', { bus: false }), node('b')]);
  look([node('a'), node('b')]);
  expect(given).toEqual([0]);
  look([node('a', { bus: false }), node('b')]);
  expect(given).toEqual([0, 7]);
});

describe('an ask to an owner whose ownership has ended is given up once', () => {
  test('because another node has the partition, or none', () => {
    look([node('a'), node('b')], ['b', 'b']);
    expect(given).toEqual([0]);
    look([node('a'), node('b')], ['b', null]);
    look([node('a'), node('b')], ['b', 'a']);
    expect(given).toEqual([0, 1]);
  });

  test('because the same node has it under another epoch', () => {
    look([node('a'), node('b')], ['a', 'b'], now, 2);
    expect(given).toEqual([0, 1]);
  });

  test('the next owner is waited for', () => {
    look([node('a'), node('b')], ['b', 'b']);
    owners.whenUnresponsive(0, () => given.push(7));
    now += 10;
    look([node('a'), node('b')], ['b', 'b']);
    expect(given).toEqual([0]);
  });
});

describe('no ask is given up', () => {
  test('before any read of the directory has shown its owner', () => {
    owners = new UnresponsiveOwners({ scheduler: { steady: () => now }, unseenMs: () => 0 });
    owners.whenUnresponsive(0, () => given.push(7));
    now += 10;
    look([node('a'), node('b')]);
    look([node('a'), node('b')], ['b', 'b']);
    expect(given).toEqual([]);
  });

  test('when it was sent after the read, or was cancelled', () => {
    const forget = owners.whenUnresponsive(1, () => given.push(9));
    forget();
    look([node('a', { state: 'dead' }), node('b', { state: 'dead' })], ['a', 'b'], 1000);
    expect(given).toEqual([]);
    look([node('a'), node('b', { state: 'dead' })]);
    expect(given).toEqual([1]);
    look([node('a'), node('b')], ['b', 'a'], 1000);
    expect(given).toEqual([1]);
  });
});
