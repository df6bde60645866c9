/** How an ask to another node is repeated, and how it ends when its owner cannot answer. */
import { describe, expect, test } from 'vitest';
import type { Bus, CopyAnswer } from '../../../../src/bus/bus.ts';
import { seconds } from '../../../../src/kernel/time.ts';
import type { Activation } from '../../../../src/runtime/activation/activation.ts';
import { neverOpens } from '../../../../src/runtime/activation/store-breaker.ts';
import type { AnyActor } from '../../../../src/runtime/model/actor.ts';
import { AskNumbers } from '../../../../src/runtime/node/ask-numbers.ts';
import {
  CommandRouter,
  unansweredCopiesMax,
  withoutBusMsMax,
} from '../../../../src/runtime/node/command-router.ts';
import type { AskResult, Envelope, Identity } from '../../../../src/runtime/model/envelope.ts';
import type { Ownership } from '../../../../src/runtime/cluster/ownership.ts';
import type { PartitionLease } from '../../../../src/runtime/cluster/partition-lease.ts';
import { VirtualScheduler } from '../../../simulation/scheduler.ts';
import { noMeters } from '../../../support/no-meters.ts';

interface Copy {
  readonly envelope: Envelope;
  readonly afterMs: number;
  readonly answer: (answer: CopyAnswer) => void;
}

interface Asked {
  is: AskResult | null;
  afterMs: number;
}

/** An actor here that never answers. */
const silent = { deliver: () => new Promise<never>(() => undefined) } as unknown as Activation;

/** Its view is a defect of this build. */
const unseeable = {
  schema: 1,
  view: () => {
    throw new Error('no view');
  },
} as unknown as AnyActor;

/** An asker whose question goes to an owner elsewhere, who does what the story says. */
class Bench {
  readonly time = new VirtualScheduler(1_000_000);
  readonly copies: Copy[] = [];
  readonly numbers = new AskNumbers(() => 'n:a');
  maySend = true;
  connected = true;
  /** Set while the actor is served here. */
  lease: PartitionLease | undefined = undefined;
  giveUp: () => void = () => undefined;
  readonly asker: CommandRouter;

  constructor() {
    const from = this.time.now();
    this.asker = new CommandRouter({
      scheduler: this.time,
      ownership: {
        leaseOf: () => this.lease,
        partitionOf: () => 3,
        maySend: () => this.maySend,
        whenUnresponsive: (_partition: number, giveUp: () => void) => {
          this.giveUp = giveUp;
          return () => undefined;
        },
      } as unknown as Ownership,
      bus: this.bus(from),
      numbers: this.numbers,
      kinds: new Map([['k', unseeable]]),
      registry: { bring: () => silent, inMemory: () => undefined, turnDoorsAway: () => undefined },
      breaker: neverOpens,
      faults: {},
      meters: noMeters,
    });
  }

  ask(waitMs: number, how: { identity?: Identity; idempotent?: true } = {}): Asked {
    const from = this.time.now();
    const seen: Asked = { is: null, afterMs: Number.NaN };
    const { identity, idempotent } = how;
    const asking = {
      by: 'merchant',
      scope: null,
      waitMs,
      ...(identity === undefined ? {} : { identity }),
      ...(idempotent === undefined ? {} : { idempotent }),
    } as const;
    void this.asker
      .ask({ kind: 'k', id: 'x_00a' }, 'c', {}, asking)
      .then((is) => Object.assign(seen, { is, afterMs: this.time.now() - from }));
    return seen;
  }

  get identities(): readonly (Identity | undefined)[] {
    return this.copies.map(({ envelope }) => envelope.identity);
  }

  /** As a wire does: silent when its time is over. */
  private bus(from: number): Bus {
    const ask: Bus['ask'] = (_partition, envelope, waitMs = Infinity) =>
      this.connected
        ? new Promise((resolve) => {
            const left = Math.min(waitMs, envelope.deadline - this.time.now());
            this.time.after(left, () => resolve({ is: 'silent' }));
            this.copies.push({ envelope, afterMs: this.time.now() - from, answer: resolve });
          })
        : Promise.resolve({ is: 'nobody' });
    const connected = (): boolean => this.connected;
    return {
      ask,
      get connected() {
        return connected();
      },
    } as unknown as Bus;
  }
}

const ok: AskResult = { is: 'ok', v: 1, detail: {} };
const yes: CopyAnswer = { is: 'answered', result: ok };
const says = (result: AskResult): CopyAnswer => ({ is: 'answered', result });
const keyed: Identity = { from: 'k:one', seq: 4, done: 3 };

test('a copy without an answer for a second is followed by one under the same identity', async () => {
  const bench = new Bench();
  const asked = bench.ask(seconds(10));
  await bench.time.pass(seconds(1.1));
  expect(bench.identities).toEqual([
    { from: 'n:a', seq: 1, done: 0 },
    { from: 'n:a', seq: 1, done: 0 },
  ]);
  expect(bench.copies.map(({ envelope }) => envelope.again ?? false)).toEqual([false, true]);
  bench.copies[1]?.answer(yes);
  await bench.time.pass(10);
  expect([asked.is, asked.afterMs < seconds(1.2)]).toEqual([ok, true]);
  await bench.time.pass(seconds(10));
  expect(bench.copies).toHaveLength(2);
});

test('an answer whose object this build cannot show is the outcome all the same', async () => {
  const bench = new Bench();
  const asked = bench.ask(seconds(10));
  await bench.time.pass(10);
  const meta = { id: 'x_00a', scope: 'prj_a:live', createdAt: 1 } as const;
  bench.copies[0]?.answer(says({ ...ok, shown: { state: {}, meta, v: 1, schema: 1 } }));
  await bench.time.pass(10);
  expect(asked.is).toEqual(ok);
});

test('an answer to the first copy after the second was sent is ignored, because it may not be stored', async () => {
  const bench = new Bench();
  const asked = bench.ask(seconds(10));
  await bench.time.pass(seconds(1.1));
  bench.copies[0]?.answer(says({ is: 'refused', code: 'invalid_state', detail: {} }));
  await bench.time.pass(10);
  expect(asked.is).toBeNull();
  bench.copies[1]?.answer(yes);
  await bench.time.pass(10);
  expect(asked.is).toEqual(ok);
});

test('copies are few with growing intervals; in the end the result is unknown', async () => {
  const bench = new Bench();
  const asked = bench.ask(seconds(30), { identity: keyed });
  await bench.time.pass(seconds(31));
  expect(bench.identities).toEqual(Array.from({ length: unansweredCopiesMax }, () => keyed));
  const waits = bench.copies
    .map(({ afterMs }, at) => afterMs - (bench.copies[at - 1]?.afterMs ?? 0))
    .slice(1);
  expect(waits.map((ms) => Math.round(ms / 100) / 10)).toEqual([1, 1.5, 2.3, 3.4]);
  expect([asked.is, asked.afterMs >= seconds(30)]).toEqual([{ is: 'unknown' }, true]);
});

test.each([
  [{ is: 'not_executed', why: 'overloaded', retryAfterMs: 1 }],
  [{ is: 'not_executed', why: 'expired', retryAfterMs: 1 }],
  [{ is: 'internal' }],
  // an actor that is not there stores nothing
  [{ is: 'refused', code: 'not_found', detail: {} }],
] satisfies [AskResult][])('after an unanswered copy %j is no proof', async (result) => {
  const bench = new Bench();
  const asked = bench.ask(seconds(10));
  await bench.time.pass(seconds(1.1));
  bench.copies[1]?.answer(says(result));
  await bench.time.pass(seconds(10));
  expect(asked.is).toEqual({ is: 'unknown' });
  const other = bench.ask(seconds(10));
  await bench.time.pass(10);
  bench.copies.at(-1)?.answer(says(result));
  await bench.time.pass(10);
  expect(other.is).toEqual(result);
});

test('after an unanswered copy MOVED causes the next one, and proves nothing at the end', async () => {
  const bench = new Bench();
  const asked = bench.ask(seconds(3));
  const moved = says({ is: 'not_executed', why: 'moved', retryAfterMs: 1 });
  await bench.time.pass(seconds(1.1));
  for (let n = 1; n < 30; n++) {
    bench.copies[n]?.answer(moved);
    await bench.time.pass(100);
  }
  expect(bench.copies.length).toBeGreaterThan(5);
  expect(asked.is).toEqual({ is: 'unknown' });
});

test('a lost connection ends a copy; the next one is sent as soon as it is back', async () => {
  const bench = new Bench();
  const asked = bench.ask(seconds(10));
  await bench.time.pass(seconds(0.8));
  bench.connected = false;
  bench.copies[0]?.answer({ is: 'silent' });
  await bench.time.pass(withoutBusMsMax / 2);
  expect(asked.is).toBeNull();
  bench.connected = true;
  await bench.time.pass(260);
  expect(bench.copies).toHaveLength(2);
  bench.copies[1]?.answer(yes);
  await bench.time.pass(10);
  expect(asked.is).toEqual(ok);
});

test('a connection that does not return soon gives unknown', async () => {
  const bench = new Bench();
  const asked = bench.ask(seconds(10));
  await bench.time.pass(seconds(0.8));
  bench.connected = false;
  bench.copies[0]?.answer({ is: 'silent' });
  await bench.time.pass(withoutBusMsMax + 300);
  expect(asked.is).toEqual({ is: 'unknown' });
});

test('an idempotent command is repeated without an identity', async () => {
  const bench = new Bench();
  bench.ask(seconds(10), { idempotent: true });
  await bench.time.pass(seconds(1.1));
  expect(bench.identities).toEqual([undefined, undefined]);
});

test("above the target's bound an ask has no number, and one copy", async () => {
  const bench = new Bench();
  const all = Array.from({ length: 66 }, () => bench.ask(seconds(10)));
  await bench.time.pass(10);
  const seqs = bench.identities.map((identity) => identity?.seq ?? null);
  expect(seqs).toEqual([...Array.from({ length: 64 }, (_, n) => n + 1), null, null]);
  await bench.time.pass(seconds(1.1));
  expect(bench.copies).toHaveLength(66 + 64);
  // the lowest one ends: what is asked next says so, and may be repeated again
  bench.copies[66]?.answer(yes);
  await bench.time.pass(10);
  expect(all[0]?.is).toEqual(ok);
  bench.ask(seconds(10));
  await bench.time.pass(10);
  expect(bench.identities.at(-1)).toEqual({ from: 'n:a', seq: 65, done: 1 });
});

test('numbers continue for a target that was removed', async () => {
  const bench = new Bench();
  for (const done of [0, 1, 2]) {
    bench.ask(seconds(10));
    await bench.time.pass(10);
    expect(bench.identities.at(-1)).toEqual({ from: 'n:a', seq: done + 1, done });
    bench.copies.at(-1)?.answer(yes);
    await bench.time.pass(10);
  }
});

test('no copy is sent after the caller was answered', async () => {
  const bench = new Bench();
  const asked = bench.ask(seconds(10));
  await bench.time.pass(500);
  bench.asker.endAll();
  await bench.time.pass(seconds(10));
  expect([asked.is, bench.copies.length]).toEqual([{ is: 'unknown' }, 1]);
});

describe('an ask to this node whose lease ends', () => {
  const ends = async (identity?: Identity): Promise<[Bench, Asked]> => {
    const bench = new Bench();
    let over: (none: null) => void = () => undefined;
    const end = new Promise<null>((resolve) => {
      over = resolve;
    });
    bench.lease = { partition: 3, whileMine: () => end } as unknown as PartitionLease;
    const asked = bench.ask(seconds(10), identity === undefined ? {} : { identity });
    await bench.time.pass(seconds(2));
    bench.lease = undefined;
    over(null);
    await bench.time.pass(50);
    return [bench, asked];
  };

  test('continues at the next owner under its identity', async () => {
    const [bench, asked] = await ends(keyed);
    expect(bench.copies.map(({ envelope }) => [envelope.identity, envelope.again])).toEqual([[keyed, true]]);
    bench.copies[0]?.answer(yes);
    await bench.time.pass(10);
    expect(asked.is).toEqual(ok);
  });

  test('is unknown at once without an identity, because no second copy may be sent', async () => {
    const [bench, asked] = await ends();
    expect([asked.is, bench.copies.length]).toEqual([{ is: 'unknown' }, 0]);
  });
});

test('an unresponsive owner is not waited for: the next owner is asked under the same identity', async () => {
  const bench = new Bench();
  const asked = bench.ask(seconds(10), { identity: keyed });
  await bench.time.pass(seconds(0.5));
  bench.maySend = false;
  bench.giveUp();
  await bench.time.pass(seconds(3));
  expect([asked.is, bench.copies.length]).toEqual([null, 1]);
  bench.maySend = true;
  await bench.time.pass(300);
  expect(bench.identities).toEqual([keyed, keyed]);
  bench.copies[1]?.answer(yes);
  await bench.time.pass(10);
  expect(asked.is).toEqual(ok);
});

test('an unresponsive owner without a next one in time gives unknown', async () => {
  const bench = new Bench();
  const asked = bench.ask(seconds(4));
  await bench.time.pass(seconds(0.5));
  bench.maySend = false;
  bench.giveUp();
  await bench.time.pass(seconds(5));
  expect([asked.is, bench.copies.length]).toEqual([{ is: 'unknown' }, 1]);
});

test('an unresponsive owner is sent nothing: the ask waits for the next one', async () => {
  const bench = new Bench();
  bench.maySend = false;
  const asked = bench.ask(seconds(10));
  await bench.time.pass(seconds(2));
  expect([asked.is, bench.copies.length]).toEqual([null, 0]);
  bench.maySend = true;
  await bench.time.pass(300);
  expect(bench.copies).toHaveLength(1);
  bench.copies[0]?.answer(yes);
  await bench.time.pass(10);
  expect(asked.is).toMatchObject({ is: 'ok' });
});

test('without a next one in time it is reported as not executed', async () => {
  const bench = new Bench();
  bench.maySend = false;
  const asked = bench.ask(seconds(4));
  await bench.time.pass(seconds(5));
  expect(asked.is).toMatchObject({ is: 'not_executed', why: 'moved' });
  expect([bench.copies.length, asked.afterMs <= seconds(4)]).toEqual([0, true]);
});
