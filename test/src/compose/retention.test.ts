/** Which records ever go, and when: everything else has no end. */
import { expect, test } from 'vitest';
import { cast } from '../../../actors/cast.ts';
import { retention } from '../../../src/compose/collections.ts';
import { hours } from '../../../src/kernel/time.ts';

const day = hours(24);

test('what is kept how long; money and what it is made of has no end', () => {
  const rules = retention.filter(({ gone }) => gone !== true);
  expect(
    rules.map(({ kind, keptMs, only, realTime = false }) => [
      kind,
      keptMs / day,
      only?.value ?? '',
      realTime,
    ]),
  ).toEqual([
    ['idempotency_key', 1, '', false],
    ['provider_incident', 90, '', false],
    // the text of a statement; its items have no end
    ['statement_part', 7, '', false],
    ['webhook_delivery', 90, '', false],
    // what the first request with a key was answered
    ['keyed_answer', 1, '', false],
    ['journal', 104, '', false],
    ['timeline', 400, 'poll', false],
    ['timeline', 400, 'refund', false],
    ['request_log', 30, '', true],
  ]);
});

test('tombstones of every kind go, later than any repeat of a command', () => {
  const tombstones = retention.filter(({ gone }) => gone === true);
  expect(tombstones.map(({ kind }) => kind)).toEqual(cast.map(({ kind }) => kind));
  for (const { keptMs } of tombstones) expect(keptMs).toBeGreaterThan(hours(25));
});
