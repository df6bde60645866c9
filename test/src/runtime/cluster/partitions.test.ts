/** How partitions are taken and given away, in virtual time: how many at once, and in what order one is handed over. */
import { expect, test } from 'vitest';
import { seconds } from '../../../../src/kernel/time.ts';
import type { Envelope } from '../../../../src/runtime/model/envelope.ts';
import { settlePollMs } from '../../../../src/runtime/cluster/hand-off.ts';
import { leaveDirectoryMsMax, nextOwnersShownMs } from '../../../../src/runtime/cluster/leaving.ts';
import { sessionLifeMs } from '../../../../src/runtime/cluster/membership.ts';
import { movesMax, Partitions } from '../../../../src/runtime/cluster/partitions.ts';
import type { PartitionLease } from '../../../../src/runtime/cluster/partition-lease.ts';
import { DirectoryDisk, simDirectory, type Wire } from '../../../support/simulated/directory-sim.ts';
import type { Bus } from '../../../../src/bus/bus.ts';
import { createSimStore } from '../../../support/simulated/store-sim.ts';
import { chanceOf } from '../../../simulation/random.ts';
import { VirtualScheduler } from '../../../simulation/scheduler.ts';

const count = 64;

const envelope = {
  to: { kind: 'k', id: 'x_00a' },
  command: 'c',
  data: {},
  deadline: 9e15,
} as unknown as Envelope;

/** The nodes of each directory: what one broadcasts the others hear. */
const together = new WeakMap<DirectoryDisk, Set<Bench>>();

/** One node with a directory, and a bus that notes what is subscribed. */
class Bench {
  readonly scheduler = new VirtualScheduler(1_000_000);
  readonly disk: DirectoryDisk;
  /** What happened, in order. */
  readonly story: string[] = [];
  readonly answering = new Map<number, (envelope: Envelope) => Promise<unknown>>();
  takesAtOnce = 0;
  readonly said: string[] = [];
  /** How many partitions each scan was for. */
  readonly scans: number[] = [];
  /** What a scan of newly owned partitions waits for. */
  scanned: Promise<void> = Promise.resolve();
  readonly partitions: Partitions;
  busyUntil = 0;
  hasBus = true;
  /** Its connection stands, but leads to none of the others. */
  isSplit = false;
  /** When its last heartbeat was sent. */
  beatenAt = 0;
  private dead = false;
  /** The directory answers nothing any more. */
  noAnswer = false;
  readonly hearing = new Set<(topic: string, text: string) => void>();

  constructor(disk = new DirectoryDisk(), name = 'a', scheduler?: VirtualScheduler) {
    this.disk = disk;
    this.scheduler = scheduler ?? this.scheduler;
    together.set(disk, (together.get(disk) ?? new Set<Bench>()).add(this));
    let [lives, takes] = [0, 0];
    const wire: Wire = (what, land) =>
      new Promise((resolve) => {
        if (what === 'beat') this.beatenAt = this.scheduler.now();
        if (what === 'take') this.takesAtOnce = Math.max(this.takesAtOnce, ++takes);
        this.scheduler.after(1, () => {
          if (what === 'give') this.story.push('given');
          if (this.noAnswer) return;
          const answer = land();
          this.scheduler.after(20, () => {
            if (what === 'take') takes--;
            resolve(answer);
          });
        });
      });
    this.partitions = new Partitions({
      directory: simDirectory(disk, wire, this.scheduler),
      bus: this.bus(),
      count,
      schemas: { session: 3, plan: 1 },
      log: { warn: (_fields, message) => void this.said.push(message), error: () => undefined },
      membership: {
        scheduler: this.scheduler,
        mint: () => `${name}${++lives}`,
        info: (state) => ({ name, version: '1', actors: true, ...state }),
      },
    });
  }

  async start(): Promise<void> {
    const store = createSimStore({
      scheduler: this.scheduler,
      chance: chanceOf(1, 'bench'),
      rowsInCommit: false,
    }).connect();
    await this.ended(
      this.partitions.start({
        store,
        scheduler: this.scheduler,
        scan: (leases) => {
          this.scans.push(leases.length);
          return this.scanned;
        },
        answer: async (lease) => {
          await lease.untilMaySend();
          return lease.phase === 'draining'
            ? { is: 'not_executed', why: 'moved', retryAfterMs: 1 }
            : { is: 'ok', v: 1, detail: {} };
        },
        underWay: () => this.scheduler.now() < this.busyUntil,
        drop: (lease: PartitionLease) => void this.story.push(`dropped ${lease.partition}`),
        faults: {},
      }),
    );
  }

  async ended(work: Promise<unknown>): Promise<void> {
    let over = false;
    void work.then(() => {
      over = true;
    });
    await this.scheduler.run(() => over, this.scheduler.now() + seconds(30));
    expect(over).toBe(true);
  }

  private bus(): Bus {
    const pause = (): Promise<void> => new Promise((resolve) => void this.scheduler.after(5, resolve));
    const hasBus = (): boolean => this.hasBus;
    return {
      get connected() {
        return hasBus();
      },
      serve: async (p: number, answer: (envelope: Envelope) => Promise<unknown>) => {
        await pause();
        this.answering.set(p, answer);
        return async () => {
          if (this.answering.delete(p)) this.story.push('unsubscribed');
          await pause();
          this.story.push('flushed');
        };
      },
      broadcast: (topic: string, text: string) => this.broadcast(topic, text),
      onBroadcast: (topic: string, listener: (text: string) => void) => {
        const hear = (of: string, text: string): void => (of === topic ? listener(text) : undefined);
        this.hearing.add(hear);
        return () => void this.hearing.delete(hear);
      },
      reconnect: () => false,
      unreached: () => [],
      subscribeAgain: () => undefined,
    } as unknown as Bus;
  }

  /** Like a killed process: what it has sent still arrives. */
  kill(): void {
    this.partitions.kill();
    this.dead = true;
  }

  /** Beats alone: these tests find moved partitions by reading. */
  private broadcast(topic: string, text: string): void {
    if (this.dead || !this.hasBus || topic !== 'beat') return;
    for (const other of together.get(this.disk) ?? [])
      if (other !== this && other.hasBus && other.isSplit === this.isSplit)
        this.scheduler.after(1, () => other.hearing.forEach((hear) => hear(topic, text)));
  }
}

/** Two nodes that share the partitions; how many the first one serves. */
async function two(): Promise<{ bench: Bench; other: Bench; served: number }> {
  const bench = new Bench();
  const other = new Bench(bench.disk, 'b', bench.scheduler);
  await bench.start();
  await other.start();
  await bench.scheduler.pass(seconds(5));
  const served = bench.partitions.serving.length;
  expect(served).toBeGreaterThan(0);
  return { bench, other, served };
}

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
