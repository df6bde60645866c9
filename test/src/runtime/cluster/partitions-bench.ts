/** Nodes with partitions in virtual time, on one directory: what the tests of partitions share. */
import { expect } from 'vitest';
import { seconds } from '../../../../src/kernel/time.ts';
import type { Envelope } from '../../../../src/runtime/model/envelope.ts';
import { Partitions } from '../../../../src/runtime/cluster/partitions.ts';
import type { PartitionLease } from '../../../../src/runtime/cluster/partition-lease.ts';
import { DirectoryDisk, simDirectory, type Wire } from '../../../support/simulated/directory-sim.ts';
import type { Bus } from '../../../../src/bus/bus.ts';
import { createSimStore } from '../../../support/simulated/store-sim.ts';
import { chanceOf } from '../../../simulation/random.ts';
import { VirtualScheduler } from '../../../simulation/scheduler.ts';

export const count = 64;

export const envelope = {
  to: { kind: 'k', id: 'x_00a' },
  command: 'c',
  data: {},
  deadline: 9e15,
} as unknown as Envelope;

/** The nodes of each directory: what one broadcasts the others hear. */
const together = new WeakMap<DirectoryDisk, Set<Bench>>();

/** One node with a directory, and a bus that notes what is subscribed. */
export class Bench {
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
  /** Its connection stands, but its server does not carry anything. */
  isMute = false;
  /** When its last heartbeat was sent. */
  beatenAt = 0;
  private dead = false;
  /** The directory answers nothing any more. */
  noAnswer = false;
  /** The bus confirms no end of a subscription any more. */
  noConfirmation = false;
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
          if (this.noConfirmation) await new Promise(() => undefined);
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
    if (this.dead || !this.hasBus || this.isMute || topic !== 'beat') return;
    for (const other of together.get(this.disk) ?? [])
      if (other !== this && other.hasBus && !other.isMute && other.isSplit === this.isSplit)
        this.scheduler.after(1, () => other.hearing.forEach((hear) => hear(topic, text)));
  }
}

/** Two nodes that share the partitions; how many the first one serves. */
export async function two(): Promise<{ bench: Bench; other: Bench; served: number }> {
  const bench = new Bench();
  const other = new Bench(bench.disk, 'b', bench.scheduler);
  await bench.start();
  await other.start();
  await bench.scheduler.pass(seconds(5));
  const served = bench.partitions.serving.length;
  expect(served).toBeGreaterThan(0);
  return { bench, other, served };
}
