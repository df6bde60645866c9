import { expect, test } from 'vitest';
import type { Scheduler } from '../../../../src/kernel/time.ts';
import { Clearing, togetherMs } from '../../../../src/runtime/activation/clearing.ts';
import type { Doc, OutRow } from '../../../../src/store/store.ts';

/** Time that moves only when the test moves it. */
function clockwork() {
  let now = 1000;
  const due: { readonly at: number; readonly job: () => void }[] = [];
  const scheduler: Scheduler = {
    now: () => now,
    steady: () => now,
    after(ms, job) {
      const one = { at: now + ms, job };
      due.push(one);
      return () => void due.splice(due.indexOf(one), 1);
    },
  };
  const pass = (ms: number): void => {
    now += ms;
    const over = due.filter(({ at }) => at <= now);
    for (const one of over) due.splice(due.indexOf(one), 1);
    for (const { job } of over) job();
  };
  return { scheduler, pass };
}

const event: OutRow = {
  q: 7,
  type: 'event',
  eseq: 1,
  eventId: 'evt_7',
  event: 'payment.succeeded',
  objectId: 'pay_7',
  envelope: '{}',
  at: 1000,
};
const doc = { out: [event] } as unknown as Doc;

test('a clearing that was due without settled rows happens with the next settled row', () => {
  // given the last row was taken along by a turn just before its time came
  const { scheduler, pass } = clockwork();
  let stirred = 0;
  const clearing = new Clearing(scheduler, () => stirred++);
  clearing.soon(doc, new Set([6]), false);
  pass(5000);
  expect(stirred).toBe(1);

  // when another row is settled, then its clearing is not waited for in vain
  clearing.soon(doc, new Set([7]), false);
  pass(5000);
  expect(stirred).toBeGreaterThan(1);
  expect(clearing.due).toBe(true);
});

test('clearings due at about the same time happen at the same instant', () => {
  const { scheduler, pass } = clockwork();
  const stirredAt: number[] = [];
  pass(1);
  for (const _ of Array.from({ length: 10 })) {
    new Clearing(scheduler, () => void stirredAt.push(scheduler.now())).soon(doc, new Set([7]), false);
    pass(7);
  }
  for (let ms = 0; ms < 5000 + togetherMs; ms++) pass(1);
  expect(stirredAt).toHaveLength(10);
  expect(new Set(stirredAt).size).toBe(1);
});

test('while a clock walks clearings are not delayed', () => {
  const { scheduler, pass } = clockwork();
  let stirred = 0;
  pass(3);
  new Clearing(scheduler, () => stirred++).soon(doc, new Set([7]), true);
  pass(0);
  expect(stirred).toBe(1);
});
