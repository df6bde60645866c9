/** An owner whose store stops answering while other nodes ask it: their answers, and what is committed afterwards. */
import { expect, test } from 'vitest';
import { seconds } from '../../../src/kernel/time.ts';
import type { AskResult, Envelope } from '../../../src/runtime/model/envelope.ts';
import { Node } from '../../../src/runtime/node/node.ts';
import type { OwnershipParts } from '../../../src/runtime/cluster/ownership.ts';
import { createStoreBreaker } from '../../../src/runtime/activation/store-breaker.ts';
import type { PartitionLease } from '../../../src/runtime/cluster/partition-lease.ts';
import { createSimStore } from '../../support/simulated/store-sim.ts';
import { VirtualScheduler } from '../../simulation/scheduler.ts';
import { embedded } from '../../support/embedded.ts';
import { counter, counterAt } from './counter.ts';

const scope = 'prj_abcd:sandbox';

/** A node, its store, and the way other nodes' commands reach it. */
class Bench {
  readonly time = new VirtualScheduler(1_000_000);
  readonly store = createSimStore({ scheduler: this.time, chance: () => 0.5, rowsInCommit: false });
  readonly node: Node;
  /** How often the store was asked whether it is there. */
  probes = 0;
  private parts: Pick<OwnershipParts, 'answer' | 'drop'> = {
    answer: () => Promise.reject(new Error('not started')),
    drop: () => undefined,
  };

  constructor() {
    const own = embedded('n:1');
    const { ownership } = own;
    const start = ownership.start.bind(ownership);
    ownership.start = (parts) => {
      this.parts = parts;
      return start(parts);
    };
    const connection = this.store.connect();
    const log = { warn: () => undefined, error: () => undefined };
    this.node = new Node({
      actors: [counter],
      store: connection,
      scheduler: this.time,
      ...own,
      envelopeText: () => '',
      effects: { fetch: { atOnce: 1, run: async () => ({}) } },
      dispatch: async () => [],
      log,
      breaker: createStoreBreaker({
        scheduler: this.time,
        patienceMs: 700,
        log,
        probe: () => {
          this.probes++;
          return connection.read('counter', 'cnt_none');
        },
      }),
    });
  }

  async start(): Promise<void> {
    const starting = this.node.start();
    await this.time.pass(100);
    await starting;
  }

  /** What a command of another node comes to, and after which time. */
  heard(command: string, over: Partial<Envelope> = {}): { is: AskResult | null; afterMs: number } {
    const seen: { is: AskResult | null; afterMs: number } = { is: null, afterMs: Number.NaN };
    const from = this.time.now();
    const envelope: Envelope = {
      to: counterAt('cnt_ab1'),
      command,
      data: command === 'add' ? { by: 1 } : {},
      by: 'merchant',
      scope,
      deadline: from + seconds(10),
      ...over,
    };
    void this.parts
      .answer(this.lease, envelope)
      .then((is) => Object.assign(seen, { is, afterMs: this.time.now() - from }));
    return seen;
  }

  /** It owns nothing from now on. */
  endLease(): void {
    const { lease } = this;
    lease.end();
    this.parts.drop(lease);
  }

  private get lease(): PartitionLease {
    const lease = this.node.actors.activation('counter', 'cnt_ab1')?.lease;
    if (lease === undefined) throw new Error('it owns everything');
    return lease;
  }

  silence(forMs: number): void {
    this.store.weather.awayUntil = this.time.now() + forMs;
  }
}

const add = (seq: number): Partial<Envelope> => ({ identity: { from: 'k:one', seq, done: seq - 1 } });

test('within a second the gateway of another node is answered: unknown if started, else not executed', async () => {
  const bench = new Bench();
  await bench.start();
  bench.heard('open');
  await bench.time.pass(100);
  bench.silence(seconds(5));
  const begun = bench.heard('add', add(1));
  await bench.time.pass(50);
  const waiting = bench.heard('add', add(2));
  const ofActor = bench.heard('add', { by: 'system' });
  await bench.time.pass(seconds(1));
  expect([begun.is, waiting.is]).toEqual([
    { is: 'unknown' },
    { is: 'not_executed', why: 'overloaded', retryAfterMs: 1000 },
  ]);
  expect(Math.max(begun.afterMs, waiting.afterMs)).toBeLessThan(seconds(1));
  // meanwhile nothing is let in
  const late = bench.heard('add', add(3));
  await bench.time.pass(10);
  expect(late.is).toMatchObject({ is: 'not_executed', why: 'overloaded' });
  expect(ofActor.is).toBeNull();

  await bench.time.pass(seconds(7));
  // what was told not executed was not; what had begun has its one outcome
  const [first, second] = [bench.heard('add', add(1)), bench.heard('add', add(2))];
  await bench.time.pass(seconds(1));
  const ok = (count: number): object => ({ is: 'ok', detail: { count } });
  expect([ofActor.is, first.is, second.is]).toMatchObject([ok(2), ok(1), ok(3)]);
  bench.node.kill();
});

test('a command of an actor on another node waits for the store, however long', async () => {
  const bench = new Bench();
  await bench.start();
  bench.heard('open');
  await bench.time.pass(100);
  bench.silence(seconds(5));
  const begun = bench.heard('add', { by: 'system' });
  const door = bench.heard('add', add(1));
  await bench.time.pass(seconds(4));
  expect([begun.is, door.is]).toMatchObject([null, { is: 'unknown' }]);
  await bench.time.pass(seconds(5));
  expect(begun.is).toMatchObject({ is: 'ok' });
  bench.node.kill();
});

test('commands waiting when a lease ended are unknown, and the store is not read for them again', async () => {
  const bench = new Bench();
  await bench.start();
  bench.heard('open');
  await bench.time.pass(100);
  const begun = bench.heard('add', add(1));
  bench.endLease();
  await bench.time.pass(seconds(60));
  expect(begun.is).toEqual({ is: 'unknown' });
  const before = bench.probes;
  await bench.time.pass(seconds(60));
  expect(bench.probes).toBe(before);
  bench.node.kill();
});
