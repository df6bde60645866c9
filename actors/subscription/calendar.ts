/** When billing periods begin, in the calendar of Asia/Kathmandu.
 *  1. Every start is computed from the anchor, never from the start before it: a month that is too short
 *     shortens only its own period.
 *  2. Days and weeks are added as days. Months, quarters and years are added as months: the day of month is the
 *     anchor's, or the last one of a shorter month, and the local time of day stays.
 *  Pure. */
import { dayOfMonth, monthsAfter } from '../../src/kernel/calendar.ts';
import { days, type Instant } from '../../src/kernel/time.ts';

export const intervalUnits = ['day', 'week', 'month', 'quarter', 'year'] as const;
export type IntervalUnit = (typeof intervalUnits)[number];

/** The length of one billing period: `count` is an integer of at least 1. */
export interface Interval {
  readonly unit: IntervalUnit;
  readonly count: number;
}

/** What periods are counted from. */
export interface Anchor {
  /** The start of the first of them. */
  readonly at: Instant;
  /** The wanted day of month, 1 to 31. It may be later than the day of `at`: after a change of plan on
   *  28 February, periods that began on a 31st return to it. */
  readonly day: number;
}

const monthsPer: Readonly<Record<IntervalUnit, number | null>> = {
  day: null,
  week: null,
  month: 1,
  quarter: 3,
  year: 12,
};
const daysPer: Readonly<Record<'day' | 'week', number>> = { day: 1, week: 7 };

/** The anchor of periods that begin now, without any before them. */
export const anchorAt = (at: Instant): Anchor => ({ at, day: dayOfMonth(at) });

/** The start of the period with this number; 0 is the anchor itself. The end of a period is the start of the
 *  next one. Throws RangeError for a number that is not a whole one of at least 0. */
export function periodStart({ at, day }: Anchor, { unit, count }: Interval, number: number): Instant {
  if (!Number.isSafeInteger(number) || number < 0) throw new RangeError(`no period has the number ${number}`);
  if (number === 0) return at;
  // a day has 24 hours: the zone has no daylight saving
  if (unit === 'day' || unit === 'week') return at + days(daysPer[unit] * count * number);
  return monthsAfter(at, (monthsPer[unit] ?? 1) * count * number, day);
}

/** The anchor after a change of plan at a renewal: periods of the new interval are counted from there. */
export function anchorAfterChange(before: Anchor, from: Interval, to: Interval, renewal: Instant): Anchor {
  const keepsDay = monthsPer[from.unit] !== null && monthsPer[to.unit] !== null;
  return keepsDay ? { at: renewal, day: before.day } : anchorAt(renewal);
}
