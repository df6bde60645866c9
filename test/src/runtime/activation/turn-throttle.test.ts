import { expect, test } from 'vitest';
import type { Scheduler } from '../../../../src/kernel/time.ts';
import { Pace, unhurriedEveryMs } from '../../../../src/runtime/activation/turn-throttle.ts';
import { turnCommandsMax } from '../../../../src/runtime/turn/turn.ts';

/** Time that jumps to whatever is waited for; `waits` tells how long each wait was. */
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

test('a turn after a rest begins at once, the next only when its time has come', async () => {
  const { scheduler, waits, pass } = jumping();
  const pace = new Pace(scheduler);
  await pace.turn(1);
  expect(waits).toEqual([]);
  pass(5);
  await pace.turn(1);
  expect(waits).toEqual([unhurriedEveryMs - 5]);
  pass(unhurriedEveryMs);
  await pace.turn(1);
  expect(waits).toHaveLength(1);
});

test('commands that fill a turn are not kept waiting', async () => {
  const { scheduler, waits } = jumping();
  const pace = new Pace(scheduler);
  await pace.turn(1);
  await pace.turn(turnCommandsMax);
  expect(waits).toEqual([]);
});
