/** Notices between nodes in virtual time, over a wire that delays, loses and reorders what a test says. */
import { beforeEach, expect, test } from 'vitest';
import { Topics, Followed, type Versioned } from '../../../../gateways/live/topics.ts';
import type { Bus, OnNotice } from '../../../../src/bus/bus.ts';
import { noticeFrom, noticeText } from '../../../../src/bus/codec.ts';
import type { AnyActor } from '../../../../src/runtime/model/actor.ts';
import type { Scope } from '../../../../src/runtime/model/address.ts';
import type { Shown } from '../../../../src/runtime/model/envelope.ts';
import {
  announcedMsMax,
  listEveryMs,
  listLifeMs,
  WatchLists,
} from '../../../../src/runtime/node/watch-lists.ts';
import { Watchers } from '../../../../src/runtime/node/watchers.ts';
import { seconds } from '../../../../src/kernel/time.ts';
import { VirtualScheduler, type ProcessScheduler } from '../../../simulation/scheduler.ts';

const id = 'cs_00000000000000000000000a';
const other = 'cs_00000000000000000000000b';
const scope: Scope = 'prj_00000000000000000x:live';
const counter = {
  kind: 'counter',
  schema: 3,
  view: ({ n }: { readonly n: number }) => ({ n }),
} as unknown as AnyActor;

type BusOfTest = Pick<
  Bus,
  'connected' | 'broadcast' | 'onBroadcast' | 'onReconnect' | 'notice' | 'watch' | 'watchScope'
>;

/** One node; `v` is the version that it, as the owner, has committed. */
class Node {
  readonly inc: string;
  private readonly world: World;
  readonly scheduler: ProcessScheduler;
  readonly lists: WatchLists;
  readonly watchers: Watchers;
  readonly hearing = new Map<string, Set<(text: string) => void>>();
  readonly watching = new Map<string, Set<OnNotice>>();
  readonly again = new Set<() => void>();
  readonly bus: { -readonly [name in keyof BusOfTest]: BusOfTest[name] };
  owns = false;

  constructor(world: World, inc: string) {
    this.world = world;
    this.inc = inc;
    this.scheduler = world.scheduler.process();
    const kept = <One>(all: Map<string, Set<One>>, key: string, one: One): (() => void) => {
      all.set(key, (all.get(key) ?? new Set()).add(one));
      return () => void all.get(key)?.delete(one);
    };
    this.bus = {
      connected: true,
      broadcast: (topic, text) => world.carry(this, `broadcast ${topic}`, text),
      onBroadcast: (topic, hear) => kept(this.hearing, topic, hear),
      onReconnect: (hear) => {
        this.again.add(hear);
        return () => void this.again.delete(hear);
      },
      notice: (of, ofScope, carried) =>
        world.carry(this, `notice ${ofScope} ${of}`, carried === undefined ? '' : noticeText(carried)),
      watch: (of, hear) => kept(this.watching, of, hear),
      watchScope: (of, hear) => kept(this.watching, of, hear),
    };
    const { bus, scheduler } = this;
    this.lists = new WatchLists({ bus, scheduler, incarnation: () => inc, alive: () => world.alive });
    const kinds = new Map([['counter', counter]]);
    this.watchers = new Watchers({ bus, lists: this.lists, kinds, isHere: () => this.owns });
  }

  commit(of = id, filler = ''): void {
    const v = ++this.world.v;
    const meta = { id: of, scope, createdAt: 0 };
    const shown = (): Shown => ({ state: { n: v, filler }, meta, v, schema: 3 }) as unknown as Shown;
    this.watchers.notify(of, scope, { kind: 'counter', shown });
  }

  receive(subject: string, text: string): void {
    const [what, first = '', of = ''] = subject.split(' ');
    if (what === 'broadcast') for (const hear of this.hearing.get(first) ?? []) hear(text);
    else
      for (const key of [first, of])
        for (const hear of this.watching.get(key) ?? []) hear(of, noticeFrom(text));
  }
}

class World {
  readonly scheduler = new VirtualScheduler(0);
  readonly nodes: Node[] = [];
  alive: string[] = [];
  v = 0;
  readonly notices: string[] = [];
  /** How long a message takes; null: it is lost. */
  fate: (from: Node, to: Node, subject: string) => number | null = () => 1;

  node(inc: string): Node {
    const node = new Node(this, inc);
    this.nodes.push(node);
    this.alive.push(inc);
    node.lists.start();
    return node;
  }

  carry(from: Node, subject: string, text: string): void {
    if (subject.startsWith('notice')) this.notices.push(text);
    if (!from.bus.connected) return;
    for (const to of this.nodes) {
      const ms = to === from || !to.bus.connected ? null : this.fate(from, to, subject);
      if (ms !== null) this.scheduler.after(ms, () => to.receive(subject, text));
    }
  }
}

let world: World;
let a: Node;
let b: Node;

beforeEach(async () => {
  world = new World();
  [a, b] = [world.node('n:a'), world.node('n:b')];
  world.node('n:c');
  await world.scheduler.pass(100);
});

/** What a reader on `node` shows: it is followed as streams follow it, and reads what is committed. */
function reader(node: Node, readMs = 1): { readonly shown: number[]; reads: number } {
  const seen = { shown: [] as number[], reads: 0 };
  const topics = new Topics<Versioned, Followed<Versioned>>({
    scheduler: node.scheduler,
    create: (of) => new Followed<Versioned>(of),
    watch: (of, hear) => node.watchers.watch(of, hear),
    read: async (of) => {
      await node.lists.told(of);
      seen.reads++;
      const { v } = world;
      await new Promise<void>((go) => node.scheduler.after(readMs, go));
      return { v };
    },
    contentOf: ({ v }) => ({ v }),
    onReconnect: (hear) => node.bus.onReconnect(hear),
    onRead: (_topic, found) => {
      if (found !== null && found.v > (seen.shown.at(-1) ?? 0)) seen.shown.push(found.v);
    },
    onFailed: (thrown) => {
      throw thrown;
    },
  });
  void topics.look(topics.join(id));
  return seen;
}

test('a commit that nobody watches is told to nobody', () => {
  a.commit();
  expect(world.notices).toEqual([]);
});

test('a watch of another object, and one that has ended, are told nothing after the next list', async () => {
  b.watchers.watch(other, () => undefined);
  const end = b.watchers.watch(id, () => undefined);
  await world.scheduler.pass(10);
  end();
  await world.scheduler.pass(listEveryMs + 10);
  a.commit();
  expect(world.notices).toEqual([]);
  a.commit(other);
  expect(world.notices).toHaveLength(1);
});

test('a watcher of an object gets what was committed, with the view of its own build', async () => {
  const seen: unknown[] = [];
  b.watchers.watch(id, (_id, carried) => seen.push(carried?.()));
  await world.scheduler.pass(10);
  a.commit();
  await world.scheduler.pass(10);
  expect(seen).toMatchObject([{ v: 1, view: { n: 1 }, state: { n: 1 } }]);
});

test('a watcher of a scope gets the id alone, and an object above 8 KiB is not carried', async () => {
  const heard: string[] = [];
  b.watchers.watchScope(scope, (of) => heard.push(of));
  await world.scheduler.pass(10);
  a.commit();
  b.watchers.watch(id, () => undefined);
  await world.scheduler.pass(10);
  a.commit(id, 'x'.repeat(8 * 1024));
  await world.scheduler.pass(10);
  expect(world.notices).toEqual(['', '']);
  expect(heard).toEqual([id, id]);
});

test('the next version is shown without a read; one after a lost notice is read', async () => {
  const seen = reader(b);
  await world.scheduler.pass(10);
  a.commit();
  await world.scheduler.pass(10);
  const before = seen.reads;
  a.commit();
  await world.scheduler.pass(10);
  expect([seen.shown, seen.reads - before]).toEqual([[1, 2], 0]);
  world.fate = (_from, _to, subject) => (subject.startsWith('notice') ? null : 1);
  a.commit();
  await world.scheduler.pass(10);
  world.fate = () => 1;
  a.commit();
  await world.scheduler.pass(10);
  expect([seen.shown, seen.reads - before]).toEqual([[1, 2, 4], 1]);
});

test('a commit at the instant at which a watch begins is shown', async () => {
  for (let ms = 0; ms <= 12; ms++) {
    const node = world.node(`n:late${ms}`);
    await world.scheduler.pass(100);
    const seen = reader(node);
    await world.scheduler.pass(ms);
    a.commit();
    await world.scheduler.pass(20);
    expect(seen.shown.at(-1), `${ms} ms later`).toBe(world.v);
  }
});

test('the first read waits until the other nodes know of the watch, 200 ms at most', async () => {
  world.fate = (_from, to) => (to.inc === 'n:c' ? null : 1);
  const seen = reader(b);
  await world.scheduler.pass(announcedMsMax - 10);
  expect(seen.reads).toBe(0);
  await world.scheduler.pass(20);
  expect(seen.reads).toBe(1);
});

test('a notice that arrives late, or twice, never takes a reader back', async () => {
  const seen = reader(b);
  await world.scheduler.pass(10);
  const travels = [50, 1, 30, 1];
  world.fate = (_from, _to, subject) => (subject.startsWith('notice') ? (travels.shift() ?? 1) : 1);
  for (let n = 0; n < 2; n++) a.commit();
  await world.scheduler.pass(100);
  expect(seen.shown).toEqual(seen.shown.toSorted((x, y) => x - y));
  expect(seen.shown.at(-1)).toBe(2);
});

test('a node whose list is unknown or too old is told everything', async () => {
  world.fate = (from) => (from === b ? null : 1);
  await world.scheduler.pass(listLifeMs - listEveryMs - 100);
  a.commit();
  expect(world.notices).toHaveLength(0);
  await world.scheduler.pass(listEveryMs + 200);
  a.commit();
  expect(world.notices).toHaveLength(1);
  world.fate = () => 1;
  await world.scheduler.pass(listEveryMs);
  a.commit();
  expect(world.notices).toHaveLength(1);
  world.alive.push('n:older');
  a.commit();
  expect(world.notices).toHaveLength(2);
});

test('a list that was overtaken takes nothing away', async () => {
  world.fate = (from, _to, subject) => (from === b && subject === 'broadcast watching' ? 30 : 1);
  await world.scheduler.pass(listEveryMs - 101);
  // the whole list is on its way when the new watch overtakes it
  await world.scheduler.pass(2);
  world.fate = () => 1;
  b.watchers.watch(id, () => undefined);
  await world.scheduler.pass(60);
  a.commit();
  expect(world.notices).toHaveLength(1);
});

test('after a reconnect the others learn what is watched here, and are told everything', async () => {
  b.bus.connected = false;
  const seen = reader(b);
  await world.scheduler.pass(100);
  a.commit();
  b.bus.connected = true;
  for (const hear of b.again) hear();
  await world.scheduler.pass(20);
  a.commit();
  await world.scheduler.pass(20);
  expect(seen.shown.at(-1)).toBe(2);
  b.commit(other);
  expect(world.notices.length).toBeGreaterThan(1);
});

test('an actor that moves to another node is followed there', async () => {
  b.owns = true;
  const seen = reader(b);
  await world.scheduler.pass(10);
  a.commit();
  expect(world.notices).toHaveLength(0);
  b.owns = false;
  b.lists.moved();
  await world.scheduler.pass(10);
  a.commit();
  await world.scheduler.pass(seconds(0.02));
  expect(seen.shown.at(-1)).toBe(2);
});
