import { expect, test } from 'vitest';
import { prorationOf } from '../../../actors/subscription/proration.ts';
import type { PlanCopy } from '../../../actors/subscription/state.ts';

const plan = (amount: number) => ({ amount }) as PlanCopy;
// April in Kathmandu
const period = {
  number: 0,
  start: Date.parse('2026-03-31T18:15:00.000Z'),
  end: Date.parse('2026-04-30T18:15:00.000Z'),
};
const noon = Date.parse('2026-04-16T06:15:00.000Z');

test('row 54: the unused part of a period is rounded down to a paisa', () => {
  const at = (now: number) => prorationOf({ plan: plan(150_000), period }, plan(300_000), now);
  expect(at(noon)).toEqual({ unusedCredit: 72_500, newPlanCharge: 300_000, netAmount: 227_500 });
  // a second that has begun is not used yet
  expect(at(noon + 999).unusedCredit).toBe(72_500);
  expect(at(noon + 1000).unusedCredit).toBe(72_499);
  expect(at(period.start).unusedCredit).toBe(150_000);
  expect(at(period.end - 1).unusedCredit).toBe(0);
  expect(at(period.end + 5000)).toEqual({ unusedCredit: 0, newPlanCharge: 300_000, netAmount: 300_000 });
});

test('the largest amount over the longest period is exact, and a cheaper plan gives money back', () => {
  const years = { ...period, end: period.start + 365 * 366 * 86_400_000 };
  const now = years.start + 1000;
  expect(prorationOf({ plan: plan(100_000_000), period: years }, plan(1000), now)).toEqual({
    unusedCredit: 99_999_999,
    newPlanCharge: 1000,
    netAmount: 1000 - 99_999_999,
  });
});
