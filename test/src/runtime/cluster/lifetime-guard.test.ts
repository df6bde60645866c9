import { expect, test } from 'vitest';
import { guardedScheduler } from '../../../../src/runtime/cluster/lifetime-guard.ts';
import { realScheduler } from '../../../../src/kernel/time.ts';

test('a guarded scheduler has rounds of the event loop where its own has them, and none once its owner is dead', async () => {
  let dead = false;
  const ran: string[] = [];
  const { nextRound } = guardedScheduler(realScheduler, () => dead);
  const round = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
  nextRound?.(() => ran.push('alive'));
  await round();
  nextRound?.(() => ran.push('dead'));
  dead = true;
  await round();
  expect(ran).toEqual(['alive']);
  const { nextRound: none, ...virtual } = realScheduler;
  expect([none, guardedScheduler(virtual, () => dead).nextRound]).toEqual([none, undefined]);
});
