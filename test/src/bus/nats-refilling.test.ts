/** When the stream of events is checked: one check follows the other, whatever their results. */
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { Refilling } from '../../../src/bus/nats-refilling.ts';
import type { EventsSeen } from '../../../src/bus/nats-streams.ts';
import { minutes, seconds } from '../../../src/kernel/time.ts';

const made = '2026-11-22T01:00:00Z';

/** A stream that answers with `seen`, and the checks of it. */
class Bench {
  looks = 0;
  seen: EventsSeen | null = null;
  filled: string[] = [];
  private back: () => void = () => undefined;
  private readonly wire = {
    connected: true,
    closed: false,
    onBack: (hear: () => void) => {
      this.back = hear;
      return () => undefined;
    },
    complaints: { warn: () => undefined },
  };
  readonly refilling = new Refilling(this.wire, {
    events: () => {
      this.looks++;
      return this.seen === null ? Promise.reject(new Error('503')) : Promise.resolve(this.seen);
    },
    eventsFilled: async (which) => {
      this.filled.push(which);
      this.seen = { made: which, ours: true, filled: true };
    },
    onEventsMade: () => () => undefined,
  });

  /** No more checks: a test that is tried again counts its own alone. */
  close(): void {
    this.wire.closed = true;
  }

  /** NATS was lost, and is back. */
  blink(): void {
    this.back();
  }

  async looksIn(ms: number): Promise<number> {
    const before = this.looks;
    await vi.advanceTimersByTimeAsync(ms);
    return this.looks - before;
  }
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a stream that cannot be checked is checked again every five seconds, without an end', async () => {
  const bench = new Bench();
  onTestFinished(() => bench.close());
  bench.refilling.by(() => Promise.resolve(true));
  expect(await bench.looksIn(minutes(10))).toBeLessThanOrEqual(121);
  // each time the wire comes back there is one look at once, and no more of them later
  for (let times = 0; times < 10; times++) {
    bench.blink();
    await bench.looksIn(10);
  }
  await bench.looksIn(minutes(10));
  expect(await bench.looksIn(minutes(10))).toBeLessThanOrEqual(120);
  bench.seen = { made, ours: false, filled: true };
  await bench.looksIn(seconds(5));
  expect(await bench.looksIn(minutes(10))).toBe(10);
});

test("the refill gets the stream's identity, each time until it reports that all is done", async () => {
  const bench = new Bench();
  onTestFinished(() => bench.close());
  const told: string[] = [];
  bench.seen = { made, ours: true, filled: false };
  bench.refilling.by(async (which) => told.push(which) > 2);
  await bench.looksIn(minutes(3));
  expect(told).toEqual([made, made, made]);
  expect(bench.filled).toEqual([made]);
});
