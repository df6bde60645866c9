/** Beats over the bus in virtual time: when silence counts, and what a node does about it. */
import { beforeEach, expect, test } from 'vitest';
import { seconds } from '../../../../src/kernel/time.ts';
import {
  beatEveryMs,
  BusBeats,
  type BusBeatsParts,
  reconnectAfterMs,
  subscribeAgainMs,
  unheardAfterMs,
} from '../../../../src/runtime/cluster/bus-beats.ts';
import type { NodeRow } from '../../../../src/store/directory.ts';
import { VirtualScheduler, type ProcessScheduler } from '../../../simulation/scheduler.ts';

const rowOf = (inc: string, older = false): NodeRow => ({
  inc,
  hb: 1,
  state: 'live',
  since: 0,
  info: {
    name: '',
    version: '',
    actors: true,
    bus: true,
    leaving: false,
    refuses: [],
    schemas: {},
    ...(older ? {} : { unheard: [] }),
  },
});

/** One node's beats, and what it does. */
class Node {
  readonly scheduler: ProcessScheduler;
  readonly beats: BusBeats;
  readonly listeners = new Set<(text: string) => void>();
  readonly reconnectedAt: number[] = [];
  subscribed = 0;
  readonly notes: string[] = [];
  unreached: readonly number[] = [];
  serving: readonly number[] = [];
  readonly bus: { connected: boolean } & Omit<BusBeatsParts['bus'], 'connected'>;
  /** What the store shows of the others. */
  unseenMs = 0;

  constructor(world: World, name: string) {
    this.scheduler = world.scheduler.process();
    this.bus = {
      connected: true,
      broadcast: (_topic, text) => world.carry(name, text),
      onBroadcast: (_topic, hear) => {
        this.listeners.add(hear);
        return () => void this.listeners.delete(hear);
      },
      reconnect: () => {
        this.reconnectedAt.push(world.scheduler.now());
        return true;
      },
      unreached: () => this.unreached,
      subscribeAgain: () => void this.subscribed++,
    };
    this.beats = new BusBeats({
      bus: this.bus,
      scheduler: this.scheduler,
      log: { warn: () => undefined, error: () => undefined },
      incarnation: () => name,
      unseenMs: () => this.unseenMs,
      serving: () => this.serving,
      onChange: () => void this.notes.push(this.beats.unheard.join('')),
    });
  }
}

class World {
  readonly scheduler = new VirtualScheduler(1_000_000);
  readonly nodes = new Map<string, Node>();
  /** Pairs such as `ab`: what a says does not reach b. */
  readonly lost = new Set<string>();

  constructor(names: string) {
    for (const name of names.split('')) this.nodes.set(name, new Node(this, name));
    for (const node of this.nodes.values()) {
      node.beats.observe(names.split('').map((inc) => rowOf(inc)));
      node.beats.start();
    }
  }

  carry(from: string, text: string): void {
    for (const [to, node] of this.nodes)
      if (to !== from && !this.lost.has(from + to))
        this.scheduler.after(1, () =>
          node.scheduler.hold(() => node.listeners.forEach((hear) => hear(text))),
        );
  }

  cut(one: string): void {
    for (const other of this.nodes.keys()) {
      this.lost.add(one + other);
      this.lost.add(other + one);
    }
  }

  node(name: string): Node {
    const found = this.nodes.get(name);
    if (found === undefined) throw new Error(name);
    return found;
  }

  unheard(): readonly string[] {
    return [...this.nodes.values()].map(({ beats }) => beats.unheard.join(''));
  }
}

let world: World;
beforeEach(async () => {
  world = new World('abc');
  await world.scheduler.pass(seconds(10));
});

test('nodes that hear one another note nothing and stay where they are', () => {
  expect(world.unheard()).toEqual(['', '', '']);
  expect([...world.nodes.values()].flatMap(({ reconnectedAt }) => reconnectedAt)).toEqual([]);
});

test('a node is noted once it has not been heard for `unheardAfterMs`, and no more when it is heard again', async () => {
  world.cut('c');
  await world.scheduler.pass(unheardAfterMs - beatEveryMs - 1);
  expect(world.unheard()).toEqual(['', '', '']);
  await world.scheduler.pass(beatEveryMs + 500);
  expect(world.unheard()).toEqual(['c', 'c', 'ab']);
  world.lost.clear();
  await world.scheduler.pass(beatEveryMs + 10);
  expect(world.unheard()).toEqual(['', '', '']);
  expect(world.node('a').notes).toEqual(['c', '']);
});

test('a node whose heartbeats do not reach the store either is left to the membership', async () => {
  world.cut('c');
  world.node('a').unseenMs = seconds(3);
  await world.scheduler.pass(seconds(20));
  expect(world.unheard()).toEqual(['', 'c', 'ab']);
});

test('silence while this node was paused, or without its connection, counts for nothing', async () => {
  const a = world.node('a');
  a.scheduler.freeze(seconds(20));
  await world.scheduler.pass(seconds(20) + 10);
  expect(a.notes).toEqual([]);
  a.bus.connected = false;
  world.cut('a');
  await world.scheduler.pass(seconds(20));
  expect(a.notes).toEqual([]);
  a.bus.connected = true;
  await world.scheduler.pass(unheardAfterMs - 500);
  expect(a.notes).toEqual([]);
  await world.scheduler.pass(1000);
  expect(a.notes).toEqual(['bc']);
});

test('a node that hears less than half of the others goes to another server, each time after a longer wait', async () => {
  const from = world.scheduler.now();
  world.cut('c');
  await world.scheduler.pass(seconds(60));
  const { reconnectedAt } = world.node('c');
  const after = reconnectedAt.map((at) => Math.round((at - from) / 1000));
  // it is the third by name: the others would have gone before it
  expect(after[0]).toBeGreaterThanOrEqual(reconnectAfterMs / 1000);
  expect(after[0]).toBeLessThanOrEqual(reconnectAfterMs / 1000 + 3);
  const waits = after.slice(1).map((at, n) => at - (after[n] ?? 0));
  expect(waits.slice(0, 2)).toEqual([6, 12]);
  expect(world.node('a').reconnectedAt).toEqual([]);
  expect(world.node('b').reconnectedAt).toEqual([]);
});

test('of two nodes that do not hear each other one goes first', async () => {
  world = new World('ab');
  await world.scheduler.pass(seconds(10));
  const from = world.scheduler.now();
  world.cut('a');
  await world.scheduler.pass(seconds(5));
  const [first, second] = [world.node('a').reconnectedAt[0], world.node('b').reconnectedAt[0]];
  expect((first ?? 0) - from).toBeLessThanOrEqual(reconnectAfterMs + 300);
  expect((second ?? Infinity) - (first ?? 0)).toBeGreaterThanOrEqual(beatEveryMs / 2);
});

test('an older version sends no beats and is not missed', async () => {
  const a = world.node('a');
  a.beats.observe([rowOf('a'), rowOf('b'), rowOf('c', true)]);
  world.cut('c');
  await world.scheduler.pass(seconds(20));
  expect(a.notes).toEqual([]);
});

test('the owner of partitions that reach nobody subscribes anew, not too often', async () => {
  world = new World('abcd');
  const [a, b, c] = [world.node('a'), world.node('b'), world.node('c')];
  [b.serving, c.serving] = [[1, 2], [3]];
  a.unreached = [2, 3, 4];
  await world.scheduler.pass(subscribeAgainMs - beatEveryMs);
  expect([a, b, c, world.node('d')].map(({ subscribed }) => subscribed)).toEqual([0, 1, 1, 0]);
  await world.scheduler.pass(beatEveryMs * 3);
  expect(b.subscribed).toBe(2);
  a.unreached = [];
  await world.scheduler.pass(seconds(10));
  expect(b.subscribed).toBe(2);
});

test('what is no beat is ignored', async () => {
  const a = world.node('a');
  for (const text of ['', 'null', '7', '{}', '{"inc":1,"unreached":[]}', '{"inc":"b","unreached":"all"}'])
    for (const hear of a.listeners) hear(text);
  await world.scheduler.pass(seconds(2));
  expect(a.notes).toEqual([]);
});

test('a stopped node neither sends nor hears', async () => {
  world.node('c').beats.stop();
  await world.scheduler.pass(seconds(10));
  expect(world.unheard().slice(0, 2)).toEqual(['c', 'c']);
  expect(world.node('c').listeners.size).toBe(0);
});
