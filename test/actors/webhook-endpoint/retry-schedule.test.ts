import { expect, test } from 'vitest';
import { retrySchedule, waitAfter } from '../../../actors/webhook-endpoint/retry-schedule.ts';
import { hours, minutes, seconds } from '../../../src/kernel/time.ts';

const ids = Array.from({ length: 200 }, (_, i) => `whd_${i}`);

test('ten tries over 75 hours and 35 minutes', () => {
  expect(retrySchedule).toHaveLength(10);
  expect(retrySchedule.reduce((sum, wait) => sum + wait, 0)).toBe(hours(75) + minutes(35) + seconds(5));
});

test('each wait is within 10 % of its plan, the first exactly nothing', () => {
  for (const [attempts, planned] of retrySchedule.entries()) {
    const waits = ids.map((id) => waitAfter(attempts, id, null) ?? NaN);
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(planned * 0.9);
    expect(Math.max(...waits)).toBeLessThanOrEqual(planned * 1.1);
  }
  expect(waitAfter(0, 'whd_1', null)).toBe(0);
});

test('deliveries that failed together are not retried together, and one delivery always waits the same time', () => {
  expect(new Set(ids.map((id) => waitAfter(2, id, null))).size).toBeGreaterThan(190);
  expect(waitAfter(2, 'whd_1', null)).toBe(waitAfter(2, 'whd_1', null));
});

test('after the tenth try there is no wait', () => {
  expect(waitAfter(10, 'whd_1', null)).toBeNull();
  expect(waitAfter(10, 'whd_1', minutes(1))).toBeNull();
});

test('Retry-After lengthens a wait, up to a day, and never shortens it', () => {
  expect(waitAfter(1, 'whd_1', minutes(2))).toBe(minutes(2));
  expect(waitAfter(1, 'whd_1', hours(48))).toBe(hours(24));
  expect(waitAfter(3, 'whd_1', 1)).toBe(waitAfter(3, 'whd_1', null));
});
