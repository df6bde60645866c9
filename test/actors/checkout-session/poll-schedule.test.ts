import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import {
  nextLookupAt,
  runningWaitMsMax,
  runningWaitMsMin,
} from '../../../actors/checkout-session/poll-schedule.ts';
import type { LookupState, LookupPhase } from '../../../actors/checkout-session/attempt.ts';
import type { Provider } from '../../../src/providers/answers.ts';
import { hours, minutes, seconds } from '../../../src/kernel/time.ts';

const now = 1_000_000_000;
const at = (
  phase: LookupPhase,
  step: number,
  provider: Provider = 'wallet_b',
  id = 'pay_1',
  since = now,
): number | null => {
  const look: LookupState = {
    asked: null,
    askedAt: null,
    count: step,
    again: null,
    dueAt: null,
    phase,
    since,
    step,
  };
  const due = nextLookupAt(look, provider, id, now);
  return due === null ? null : due - now;
};

describe('a running attempt', () => {
  const waits = [3, 5, 8, 13, 21, 30, 30, 30];

  test('is looked up after 3, 5, 8, 13, 21, 30, 30 ... s, a tenth more or less, within 3 to 30 s', () => {
    fc.assert(
      fc.property(fc.string(), fc.nat(40), (id, step) => {
        const wait = at('running', step, 'wallet_b', id) ?? 0;
        const wanted = seconds(waits[step] ?? 30);
        expect(wait).toBeGreaterThanOrEqual(Math.max(runningWaitMsMin, wanted * 0.9));
        expect(wait).toBeLessThanOrEqual(Math.min(runningWaitMsMax, wanted * 1.1));
      }),
    );
  });

  test("is looked up at the same time whenever that is computed, and not at its neighbours' times", () => {
    expect(at('running', 4)).toBe(at('running', 4));
    const differing = new Set(Array.from({ length: 20 }, (_, n) => at('running', 4, 'wallet_b', `pay_${n}`)));
    expect(differing.size).toBeGreaterThan(10);
  });

  test('shown as a QR is looked up every 3 s exactly', () => {
    for (let step = 0; step < 60; step++) expect(at('running', step, 'qr_a')).toBe(seconds(3));
  });
});

test('a closed attempt of a living session is looked up 30 s and 2 min after its closing', () => {
  expect([0, 1, 2].map((step) => at('closed', step))).toEqual([seconds(30), minutes(2), null]);
});

describe("after the session's end", () => {
  const late = [minutes(2), minutes(10), hours(1), hours(6), hours(24)];

  test.each([
    ['wallet_b', late],
    ['qr_a', [seconds(30), ...late]],
  ] as const)('%s is looked up at its offsets, a tenth more or less', (provider, offsets) => {
    for (const [step, offset] of offsets.entries()) {
      expect(Math.abs((at('over', step, provider) ?? 0) - offset)).toBeLessThanOrEqual(offset / 10);
    }
    expect(at('over', offsets.length, provider)).toBeNull();
  });

  test('a look-up that is overdue is due now', () => {
    expect(at('over', 0, 'wallet_b', 'pay_1', now - hours(2))).toBe(0);
  });
});
