import { expect, test } from 'vitest';
import type { Scheduler } from '../../../../src/kernel/time.ts';
import { TurnThrottle, turnEveryMs } from '../../../../src/runtime/activation/turn-throttle.ts';
import { turnCommandsMax } from '../../../../src/runtime/turn/turn.ts';

/** Time that jumps to the end of each wait; `waits` has their lengths. */
function jumping() {
  let now = 1000;
  const waits: number[] = [];
  const scheduler: Scheduler = {
    now: () => now,
    steady: () => now,
    after(ms, job) {
      waits.push(ms);
      now += ms;
      queueMicrotask(job);
      return () => undefined;
    },
  };
  const pass = (ms: number): void => {
    now += ms;
  };
  return { scheduler, waits, pass };
}

test.each([
  { rowsInCommit: true, everyMs: turnEveryMs.oneCommit },
  { rowsInCommit: false, everyMs: turnEveryMs.severalCommands },
])(
  'while several callers write, a turn after a pause starts at once, the next only after $everyMs ms',
  async ({ everyMs, ...store }) => {
    const { scheduler, waits, pass } = jumping();
    const throttle = new TurnThrottle(scheduler, store, () => true);
    await throttle.turn(1);
    expect(waits).toEqual([]);
    pass(1);
    await throttle.turn(1);
    expect(waits).toEqual([everyMs - 1]);
    pass(everyMs);
    await throttle.turn(1);
    expect(waits).toHaveLength(1);
  },
);

test('commands that fill a turn are not delayed', async () => {
  const { scheduler, waits } = jumping();
  const throttle = new TurnThrottle(scheduler, { rowsInCommit: true }, () => true);
  await throttle.turn(1);
  await throttle.turn(turnCommandsMax);
  expect(waits).toEqual([]);
});

test('where writes come one after the other no turn is delayed', async () => {
  const { scheduler, waits } = jumping();
  const throttle = new TurnThrottle(scheduler, { rowsInCommit: true }, () => false);
  await throttle.turn(1);
  await throttle.turn(1);
  expect(waits).toEqual([]);
});
