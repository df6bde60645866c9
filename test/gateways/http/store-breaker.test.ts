/** What gateways do while the store does not answer, in virtual time. */
import { beforeEach, describe, expect, test } from 'vitest';
import { readingClient, StoreUnresponsive } from '../../../gateways/http/route/reading.ts';
import {
  createStoreBreaker,
  patienceMsMin,
  unanswered,
  type StoreBreaker,
} from '../../../src/runtime/activation/store-breaker.ts';
import { seconds } from '../../../src/kernel/time.ts';
import type { Client } from '../../../src/runtime/model/client.ts';
import type { AskResult } from '../../../src/runtime/model/envelope.ts';
import { DocumentUnreadable } from '../../../src/store/store.ts';
import { counterAt } from '../../src/runtime/counter.ts';
import { FakeClient } from '../../support/fake-client.ts';
import { VirtualScheduler } from '../../simulation/scheduler.ts';

/** As short as most of these tests want it. */
const patienceMs = 700;

let time: VirtualScheduler;
let breaker: StoreBreaker;
let lines: string[];
/** How the store answers a probe now: after some time, never, or with an error at once. */
let store: number | 'away' | 'failing';
let probes: number;

beforeEach(() => {
  time = new VirtualScheduler(1_000_000);
  [lines, store, probes] = [[], 2, 0];
  breaker = breakerOf(patienceMs);
});

const breakerOf = (ms: number): StoreBreaker =>
  createStoreBreaker({
    scheduler: time,
    patienceMs: ms,
    log: { warn: (_fields: object, line: string) => void lines.push(line) } as never,
    probe() {
      probes++;
      if (store === 'away') return new Promise(() => undefined);
      const answerMs = store;
      if (answerMs === 'failing') return Promise.reject(new Error('no primary'));
      return new Promise<void>((resolve) => void time.after(answerMs, resolve));
    },
  });

const never = <Outcome>(): Promise<Outcome> => new Promise(() => undefined);
/** When a promise came to something, and to what. */
function watched<Outcome>(work: Promise<Outcome>): { at: number; is: Outcome | null } {
  const began = time.now();
  const seen: { at: number; is: Outcome | null } = { at: Number.NaN, is: null };
  void work.then((is) => Object.assign(seen, { at: time.now() - began, is }));
  return seen;
}

describe('the store stops answering', () => {
  test.each(['away', 'failing'] as const)('%s: waiting callers are answered within a second', async (how) => {
    store = how;
    const first = watched(breaker.race(never<string>()));
    await time.pass(500);
    const second = watched(breaker.race(never<string>()));
    await time.pass(seconds(1));
    expect(first.is).toBe(unanswered);
    expect(first.at).toBeLessThan(seconds(1));
    expect(second.is).toBe(unanswered);
    expect(breaker.open).toBe(true);
    expect(lines).toEqual(['the store does not answer: requests are answered 503 until it does']);
  });

  test('it is probed four times a second, not more, until it answers', async () => {
    store = 'failing';
    void breaker.race(never());
    await time.pass(seconds(1));
    probes = 0;
    await time.pass(seconds(60));
    expect(probes).toBe(240);
  });

  test('and answers again: gateways use it within a second', async () => {
    store = 'away';
    void breaker.race(never());
    await time.pass(seconds(5));
    expect(breaker.open).toBe(true);
    store = 2;
    await time.pass(seconds(1));
    expect(breaker.open).toBe(false);
    expect(lines.at(-1)).toBe('the store answers again');
    const after = watched(breaker.race(Promise.resolve('found')));
    await time.pass(1);
    expect(after.is).toBe('found');
  });

  test.each([patienceMsMin, 3000, 30_000])(
    'with a patience of %d ms callers wait so long, and not longer',
    async (ms) => {
      store = 'failing';
      const own = breakerOf(ms);
      const call = watched(own.race(never<string>()));
      await time.pass(ms + 1);
      expect(call).toEqual({ at: ms, is: unanswered });
    },
  );

  test('and answers just before the patience is over: nobody is refused', async () => {
    store = 'failing';
    const own = breakerOf(3000);
    const call = watched(own.race(new Promise((resolve) => void time.after(2990, () => resolve('found')))));
    await time.pass(2700);
    store = 2;
    await time.pass(seconds(1));
    expect([call.is, own.open, lines]).toEqual(['found', false, []]);
  });

  test('a patience too short to tell an outage from a busy machine is a mistake of the caller', () => {
    expect(() => breakerOf(patienceMsMin - 1)).toThrow('a store is waited for');
  });

  test('and answers after an outage: it is asked again within half a second', async () => {
    store = 'failing';
    const own = breakerOf(3000);
    void own.race(never());
    await time.pass(seconds(12));
    expect(own.open).toBe(true);
    store = 2;
    await time.pass(500);
    expect(own.open).toBe(false);
  });

  test('without callers nothing is watched and nothing is probed', async () => {
    store = 'away';
    await time.pass(seconds(60));
    expect([probes, breaker.open]).toEqual([0, false]);
  });
});

describe('these are no outage', () => {
  test('one slow list on a store that answers', async () => {
    const list = watched(
      breaker.race(new Promise((resolve) => void time.after(seconds(4), () => resolve('rows')))),
    );
    await time.pass(seconds(5));
    expect(list).toEqual({ at: seconds(4), is: 'rows' });
    expect(lines).toEqual([]);
    expect(probes).toBeLessThanOrEqual(30);
  });

  test('a store that takes half a second for everything', async () => {
    store = 500;
    const slow = watched(
      breaker.race(new Promise((resolve) => void time.after(seconds(3), () => resolve('x')))),
    );
    await time.pass(seconds(4));
    expect([slow.is, lines]).toEqual(['x', []]);
  });

  test('a process that was paused: the answers that arrived meanwhile are processed first', async () => {
    const process = time.process();
    const own = createStoreBreaker({
      scheduler: process,
      patienceMs,
      log: { warn: (_fields: object, line: string) => void lines.push(line) } as never,
      probe: () => new Promise<void>((resolve) => void time.after(2, () => process.hold(resolve))),
    });
    const read = new Promise((resolve) => void time.after(20, () => process.hold(() => resolve('found'))));
    const call = watched(own.race(read));
    process.freeze(seconds(30));
    await time.pass(seconds(31));
    expect(call.is).toBe('found');
    expect(lines).toEqual([]);
  });
});

describe('a process that waits for a CPU', () => {
  /** Each timer comes late. */
  const starved = (): StoreBreaker =>
    createStoreBreaker({
      patienceMs,
      scheduler: { ...onlyTime(time), after: (delay, work) => time.after(delay + 60, work) },
      log: { warn: (_fields: object, line: string) => void lines.push(line) } as never,
      probe: () =>
        store === 'away'
          ? new Promise(() => undefined)
          : new Promise<void>((resolve) => void time.after(1500, resolve)),
    });
  const onlyTime = (own: VirtualScheduler) => ({ now: () => own.now(), steady: () => own.steady() });

  test('cannot judge a store that is slow as well', async () => {
    const own = starved();
    const slow = watched(
      own.race(new Promise((resolve) => void time.after(seconds(2), () => resolve('found')))),
    );
    await time.pass(seconds(3));
    expect([slow.is, lines]).toEqual(['found', []]);
  });

  test('still detects a store that is down', async () => {
    store = 'away';
    const own = starved();
    const call = watched(own.race(never<string>()));
    await time.pass(seconds(5));
    expect(call.is).toBe(unanswered);
    expect(own.open).toBe(true);
  });
});

describe('the client of gateways', () => {
  const at = counterAt('cnt_ab1');
  const asking = { by: 'system', scope: null } as const;
  class Waiting extends FakeClient {
    sent = 0;
    override ask(): Promise<AskResult<never, never>> {
      this.sent++;
      return never();
    }
    override read(): Promise<never> {
      this.sent++;
      return never();
    }
    override hint(): Promise<'stored'> {
      return Promise.resolve('stored');
    }
  }

  test('reports sent commands as unknown, unsent ones as not executed, and never success', async () => {
    store = 'away';
    const behind = new Waiting();
    const client: Client = readingClient(behind, breaker);
    const first = watched(client.ask(at, 'add', { by: 1 }, asking));
    const read = watched(Promise.resolve(client.read(at, null)).catch((thrown: unknown) => thrown));
    await time.pass(seconds(1));
    expect(first.is).toEqual({ is: 'unknown' });
    expect(first.at).toBeLessThan(seconds(1));
    expect(read.is).toBeInstanceOf(StoreUnresponsive);
    const sent = behind.sent;
    const later = await Promise.all([1, 2, 3, 4].map(() => client.ask(at, 'add', { by: 1 }, asking)));
    expect(later.map((each) => (each.is === 'not_executed' ? each.retryAfterMs : each.is))).toEqual([
      1000, 2000, 3000, 1000,
    ]);
    await expect(client.listRows({ kind: 'x', scope: null, page: 1, limit: 1 })).rejects.toThrow(
      StoreUnresponsive,
    );
    expect(behind.sent).toBe(sent);
    // a hint has another road than the store
    expect(await client.hint(at, 'add', { by: 1 }, asking)).toBe('stored');
  });

  test('distinguishes an unreadable document from an outage', async () => {
    class Broken extends FakeClient {
      override read(): Promise<never> {
        return Promise.reject(new DocumentUnreadable('cut short'));
      }
    }
    await expect(readingClient(new Broken(), breaker).read(at, null)).rejects.toThrow(DocumentUnreadable);
  });
});
