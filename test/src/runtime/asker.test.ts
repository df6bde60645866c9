/** How a question to another node ends when its owner cannot answer. */
import { expect, test } from 'vitest';
import type { Bus, CopyAnswer } from '../../../src/bus/bus.ts';
import { seconds } from '../../../src/kernel/time.ts';
import { Asker } from '../../../src/runtime/asker.ts';
import type { AskResult, Envelope } from '../../../src/runtime/envelope.ts';
import type { Ownership } from '../../../src/runtime/ownership.ts';
import { VirtualScheduler } from '../../simulation/scheduler.ts';
import { noMeters } from '../../support/no-meters.ts';

/** An asker whose question goes to an owner elsewhere, who does what the story says. */
class Bench {
  readonly time = new VirtualScheduler(1_000_000);
  /** Copies sent, and how each is answered. */
  readonly copies: ((answer: CopyAnswer) => void)[] = [];
  maySpeak = true;
  giveUp: () => void = () => undefined;

  ask(waitMs: number): { is: AskResult | null; afterMs: number } {
    const from = this.time.now();
    const seen: { is: AskResult | null; afterMs: number } = { is: null, afterMs: Number.NaN };
    const envelope = { to: { kind: 'k', id: 'x_00a' }, command: 'c', deadline: from + waitMs };
    const asker = new Asker({
      scheduler: this.time,
      ownership: {
        tenureOf: () => undefined,
        partitionOf: () => 3,
        maySpeak: () => this.maySpeak,
        whenMute: (_partition: number, giveUp: () => void) => {
          this.giveUp = giveUp;
          return () => undefined;
        },
      } as unknown as Ownership,
      bus: {
        connected: true,
        ask: () => new Promise<CopyAnswer>((resolve) => this.copies.push(resolve)),
      } as unknown as Bus,
      deliver: () => Promise.reject(new Error('nobody lives here')),
      faults: {},
      meters: noMeters,
    });
    void asker
      .ask(envelope as unknown as Envelope, waitMs)
      .then((is) => Object.assign(seen, { is, afterMs: this.time.now() - from }));
    return seen;
  }
}

const yes: CopyAnswer = { is: 'answered', result: { is: 'ok', v: 1, detail: {} } };

test('an owner that is found mute leaves the asker in doubt at once, and no second copy is sent', async () => {
  const bench = new Bench();
  const asked = bench.ask(seconds(10));
  await bench.time.pass(seconds(3));
  expect(asked.is).toBeNull();
  bench.maySpeak = false;
  bench.giveUp();
  await bench.time.pass(10);
  expect(asked.is).toEqual({ is: 'unknown' });
  expect(bench.copies).toHaveLength(1);
  // what comes after all is nothing
  bench.copies[0]?.(yes);
  await bench.time.pass(seconds(10));
  expect([asked.is, bench.copies.length]).toEqual([{ is: 'unknown' }, 1]);
});

test('a mute owner is sent nothing: the question waits for the next one', async () => {
  const bench = new Bench();
  bench.maySpeak = false;
  const asked = bench.ask(seconds(10));
  await bench.time.pass(seconds(2));
  expect([asked.is, bench.copies.length]).toEqual([null, 0]);
  bench.maySpeak = true;
  await bench.time.pass(300);
  expect(bench.copies).toHaveLength(1);
  bench.copies[0]?.(yes);
  await bench.time.pass(10);
  expect(asked.is).toMatchObject({ is: 'ok' });
});

test('when there is no next one in time it was certainly not executed', async () => {
  const bench = new Bench();
  bench.maySpeak = false;
  const asked = bench.ask(seconds(4));
  await bench.time.pass(seconds(5));
  expect(asked.is).toMatchObject({ is: 'not_executed', why: 'moved' });
  expect([bench.copies.length, asked.afterMs <= seconds(4)]).toEqual([0, true]);
});
