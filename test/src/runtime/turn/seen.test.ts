import { expect, test } from 'vitest';
import { hours, minutes, seconds } from '../../../../src/kernel/time.ts';
import {
  forgetting,
  knownOutcome,
  memoryOf,
  outcomeOf,
  pruned,
  remembering,
  sendersMax,
  seqsAboveDoneMax,
} from '../../../../src/runtime/turn/seen.ts';
import type { Seen } from '../../../../src/store/store.ts';

const now = 1_000_000;
const from = 'checkout_session/cs_1';

/** An actor that has executed these of one sender's commands. */
const heard = (...seqs: readonly number[]): readonly Seen[] =>
  seqs.reduce<readonly Seen[]>(
    (all, seq) => remembering(all, { from, seq, done: 0 }, outcomeOf(seq, 'ok', seq, { seq }), now),
    [],
  );

test('a repeat gets its own outcome, among others of its sender and of other senders', () => {
  const all = remembering(
    heard(1, 2, 3),
    { from: 'k:a', seq: 1, done: 0 },
    outcomeOf(1, 'no', 4, { why: 'x' }),
    now,
  );
  expect(knownOutcome(all, { from, seq: 2, done: 0 })).toEqual({ is: 'ok', v: 2, detail: { seq: 2 } });
  expect(knownOutcome(all, { from: 'k:a', seq: 1, done: 0 })).toEqual({
    is: 'refused',
    code: 'no',
    detail: { why: 'x' },
  });
  expect(knownOutcome(all, { from, seq: 4, done: 0 })).toBeNull();
  expect(knownOutcome(all, { from: 'k:b', seq: 1, done: 0 })).toBeNull();
});

test('an outcome without detail is stored without one and returned with an empty one', () => {
  const all = remembering([], { from, seq: 1, done: 0 }, outcomeOf(1, 'ok', 7, {}), now);
  expect(JSON.stringify(all)).toBe(`[["${from}",0,${now},[[1,"ok",7]]]]`);
  expect(knownOutcome(all, { from, seq: 1, done: 0 })).toEqual({ is: 'ok', v: 7, detail: {} });
});

test('settled outcomes are dropped, stay settled, and a late copy is answered unknown', () => {
  const all = forgetting(heard(1, 2, 3), from, 2, now);
  expect(all).toEqual([[from, 2, now, [[3, 'ok', 3, { seq: 3 }]]]]);
  expect(knownOutcome(all, { from, seq: 2, done: 0 })).toEqual({ is: 'unknown' });
  const later = remembering(all, { from, seq: 4, done: 1 }, outcomeOf(4, 'ok', 4, {}), now);
  expect(later[0]?.[1]).toBe(2);
  expect(forgetting(later, from, 2, now)).toBe(later);
  expect(forgetting(later, 'k:never', 2, now)).toBe(later);
});

test('a sender too far ahead is told to retry', () => {
  const ahead = knownOutcome(heard(1), { from, seq: seqsAboveDoneMax + 1, done: 0 });
  expect(ahead).toMatchObject({ is: 'not_executed', why: 'overloaded' });
  expect(knownOutcome(heard(1), { from, seq: seqsAboveDoneMax + 1, done: 1 })).toBeNull();
});

test('no new sender is accepted above the limit, but those without outcomes do not count', () => {
  const full = Array.from({ length: sendersMax }, (_, at): Seen => [
    `k:${at}`,
    0,
    now,
    [outcomeOf(1, 'ok', 1, {})],
  ]);
  const newcomer = { from: 'k:new', seq: 1, done: 0 };
  expect(knownOutcome(full, newcomer)).toMatchObject({ is: 'not_executed', why: 'overloaded' });
  expect(knownOutcome(full, { from: 'k:7', seq: 1, done: 0 })).toMatchObject({ is: 'ok' });
  expect(knownOutcome(forgetting(full, 'k:7', 1, now), newcomer)).toBeNull();
});

test('commands of nodes are executed, however many keys an actor has stored', () => {
  const full = Array.from({ length: sendersMax }, (_, at): Seen => [
    `k:${at}`,
    0,
    now,
    [outcomeOf(1, 'ok', 1, {})],
  ]);
  const carried = { from: 'n:a', seq: 1, done: 0 };
  expect(knownOutcome(full, carried)).toBeNull();
  const then = remembering(full, carried, outcomeOf(1, 'ok', 2, {}), now);
  expect(knownOutcome(then, carried)).toEqual({ is: 'ok', v: 2, detail: {} });
});

test('senders are dropped after their retention: nodes after minutes, others after a day, empty ones sooner', () => {
  const one = outcomeOf(1, 'ok', 1, {});
  const all: readonly Seen[] = [
    ['n:a', 0, now, [one]],
    ['k:a', 0, now, [one]],
    ['k:b', 1, now, []],
    ['cs/a', 1, now, []],
  ];
  const names = (after: number): readonly string[] => pruned(all, now + after).map(([name]) => name);
  expect(pruned(all, now + seconds(20))).toBe(all);
  expect(names(seconds(20) + 1)).toEqual(['n:a', 'k:a', 'k:b']);
  expect(names(minutes(1) + 1)).toEqual(['n:a', 'k:a']);
  expect(names(minutes(10) + 1)).toEqual(['k:a']);
  expect(names(hours(25) + 1)).toEqual([]);
  // no copy can come where there is no other node
  expect(pruned(all, now + 1, true).map(([name]) => name)).toEqual(['n:a', 'k:a']);
});

test('the format of an older build is read, and the current one is unchanged', () => {
  const older = {
    [from]: {
      done: 1,
      at: now,
      r: { '2': { code: 'ok', v: 2, detail: { seq: 2 } }, '3': { code: 'no', v: 3 } },
    },
  };
  const lifted = memoryOf(older);
  expect(lifted).toEqual([
    [
      from,
      1,
      now,
      [
        [2, 'ok', 2, { seq: 2 }],
        [3, 'no', 3],
      ],
    ],
  ]);
  expect(memoryOf(lifted)).toBe(lifted);
  expect(memoryOf({ 0: lifted[0], ...older } as never)).toEqual([lifted[0], lifted[0]]);
});
