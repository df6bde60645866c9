import fc from 'fast-check';
import { DateTime, FixedOffsetZone } from 'luxon';
import { describe, expect, test } from 'vitest';
import {
  anchorAfterChange,
  anchorAt,
  intervalUnits,
  periodStart,
  type Anchor,
  type Interval,
} from '../../../actors/subscription/calendar.ts';
import { days, iso } from '../../../src/kernel/time.ts';

/** `2026-01-31 10:00` in Kathmandu. */
const at = (local: string): number => Date.parse(`${local.replace(' ', 'T')}:00.000+05:45`);
const localOf = (instant: number): string =>
  iso(instant + 5.75 * 3_600_000)
    .slice(0, 16)
    .replace('T', ' ');
const starts = (anchor: Anchor, interval: Interval, count: number): readonly string[] =>
  Array.from({ length: count }, (_, n) => localOf(periodStart(anchor, interval, n + 1)));

describe('Periods of the documented examples', () => {
  test.each<[string, string, Interval, readonly string[]]>([
    [
      'monthly from a 31st',
      '2026-01-31 00:00',
      { unit: 'month', count: 1 },
      ['2026-02-28 00:00', '2026-03-31 00:00', '2026-04-30 00:00', '2026-05-31 00:00'],
    ],
    [
      'every two months into a leap year',
      '2027-12-31 00:00',
      { unit: 'month', count: 2 },
      ['2028-02-29 00:00', '2028-04-30 00:00'],
    ],
    [
      'quarterly, with a time of day',
      '2026-11-30 10:00',
      { unit: 'quarter', count: 1 },
      ['2027-02-28 10:00', '2027-05-30 10:00', '2027-08-30 10:00'],
    ],
    [
      'yearly from a leap day',
      '2028-02-29 00:00',
      { unit: 'year', count: 1 },
      ['2029-02-28 00:00', '2030-02-28 00:00', '2031-02-28 00:00', '2032-02-29 00:00'],
    ],
    [
      'every two weeks',
      '2026-12-25 09:30',
      { unit: 'week', count: 2 },
      ['2027-01-08 09:30', '2027-01-22 09:30'],
    ],
    ['daily', '2026-02-28 00:00', { unit: 'day', count: 1 }, ['2026-03-01 00:00', '2026-03-02 00:00']],
  ])('%s', (_name, anchor, interval, expected) => {
    expect(starts(anchorAt(at(anchor)), interval, expected.length)).toEqual(expected);
  });

  test('in UTC', () => {
    const anchor = anchorAt(at('2026-01-31 00:00'));
    const utc = [0, 1, 2].map((n) => iso(periodStart(anchor, { unit: 'month', count: 1 }, n)));
    expect(utc).toEqual(['2026-01-30T18:15:00.000Z', '2026-02-27T18:15:00.000Z', '2026-03-30T18:15:00.000Z']);
  });

  test('a number that is no period is refused', () => {
    for (const number of [-1, 0.5, Number.NaN, 2 ** 53])
      expect(() => periodStart(anchorAt(0), { unit: 'day', count: 1 }, number)).toThrow(RangeError);
  });
});

describe('After a change of plan', () => {
  const before = anchorAt(at('2026-01-31 00:00'));
  const renewal = at('2026-02-28 00:00');
  const month: Interval = { unit: 'month', count: 1 };

  test('between months, quarters and years the day of month is kept', () => {
    const quarter: Interval = { unit: 'quarter', count: 1 };
    const after = anchorAfterChange(before, month, quarter, renewal);
    expect(starts(after, quarter, 3)).toEqual(['2026-05-31 00:00', '2026-08-31 00:00', '2026-11-30 00:00']);
  });

  test('from weeks to months the day of the renewal counts', () => {
    const after = anchorAfterChange(before, { unit: 'week', count: 4 }, month, renewal);
    expect(starts(after, month, 2)).toEqual(['2026-03-28 00:00', '2026-04-28 00:00']);
  });

  test('from months to weeks the weeks count from the renewal', () => {
    const week: Interval = { unit: 'week', count: 1 };
    expect(starts(anchorAfterChange(before, month, week, renewal), week, 2)).toEqual([
      '2026-03-07 00:00',
      '2026-03-14 00:00',
    ]);
  });
});

const interval = fc.record({
  unit: fc.constantFrom(...intervalUnits),
  count: fc.integer({ min: 1, max: 24 }),
});
const anchors = fc
  .integer({ min: at('2020-01-01 00:00'), max: at('2040-01-01 00:00') })
  .map((instant) => anchorAt(instant));
const horizon = at('2240-01-01 00:00');

describe('For any plan, over two hundred years', () => {
  test('each period begins after the one before, with the time of day of the anchor, on its day or the last of a shorter month', () => {
    fc.assert(
      fc.property(anchors, interval, fc.integer({ min: 1, max: 2000 }), (anchor, of, number) => {
        const [start, end] = [periodStart(anchor, of, number - 1), periodStart(anchor, of, number)];
        fc.pre(end < horizon);
        expect(end).toBeGreaterThan(start);
        expect((end - anchor.at) % days(1)).toBe(0);
        if (of.unit === 'day' || of.unit === 'week') return;
        const day = Number(localOf(end).slice(8, 10));
        const isLast = localOf(end + days(1)).slice(8, 10) === '01';
        expect(day === anchor.day || (day < anchor.day && isLast)).toBe(true);
      }),
    );
  });

  test('a start is the same as a library of calendars has it', () => {
    fc.assert(
      fc.property(anchors, interval, fc.integer({ min: 0, max: 2000 }), (anchor, of, number) => {
        const start = periodStart(anchor, of, number);
        fc.pre(start < horizon);
        expect(start).toBe(byLibrary(anchor, of, number));
      }),
    );
  });
});

describe('However a period is reached', () => {
  const many = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 12 });

  test('by way of changes of plan, at any renewals: periods of one interval stay where they are', () => {
    fc.assert(
      fc.property(anchors, interval, many, (anchor, of, steps) => {
        let [at, passed] = [anchor, 0];
        for (const step of steps) {
          at = anchorAfterChange(at, of, of, periodStart(at, of, step));
          passed += step;
        }
        fc.pre(at.at < horizon);
        expect(at.at).toBe(periodStart(anchor, of, passed));
        expect(periodStart(at, of, 1)).toBe(periodStart(anchor, of, passed + 1));
      }),
    );
  });
});

/** The same by a library of calendars. Nepal has had one offset, without daylight saving, since 1986. */
function byLibrary({ at: instant, day }: Anchor, { unit, count }: Interval, number: number): number {
  if (number === 0) return instant;
  const from = DateTime.fromMillis(instant, { zone: FixedOffsetZone.instance(5 * 60 + 45) });
  if (unit === 'day' || unit === 'week') return from.plus({ [unit]: number * count }).toMillis();
  const months = number * count * { month: 1, quarter: 3, year: 12 }[unit];
  const month = from.set({ day: 1 }).plus({ months });
  return month.set({ day: Math.min(day, month.daysInMonth ?? day) }).toMillis();
}
