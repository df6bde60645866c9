import fc from 'fast-check';
import { expect, test } from 'vitest';
import { days, iso, kathmanduDay, monthsBefore } from '../../../src/kernel/time.ts';

const ofDate = (at: number): string => new Date(at).toISOString();
/** As far as a Date goes in either direction. */
const atMax = 8.64e15;
const [year0, year9999] = [Date.parse('0000-01-01T00:00:00.000Z'), Date.parse('9999-12-31T23:59:59.999Z')];

test('a time is written as Date writes it, in the whole range of Date', () => {
  fc.assert(
    fc.property(fc.integer({ min: year0, max: year9999 }), (at) => iso(at) === ofDate(at)),
    { numRuns: 20_000 },
  );
  fc.assert(fc.property(fc.integer({ min: -atMax, max: atMax }), (at) => iso(at) === ofDate(at)));
  fc.assert(fc.property(fc.double({ min: -atMax, max: atMax, noNaN: true }), (at) => iso(at) === ofDate(at)));
});

test('each day of four hundred years, its first and its last millisecond', () => {
  for (let day = Date.UTC(1800, 0, 1) / days(1); day < Date.UTC(2201, 0, 1) / days(1); day++)
    for (const at of [days(day), days(day + 1) - 1])
      if (iso(at) !== ofDate(at)) expect(iso(at)).toBe(ofDate(at));
});

test.each([year0 - 1, year0, -1, -0, 0, 1, 1.5, -0.5, year9999, year9999 + 1, -atMax, atMax])('%s', (at) => {
  expect(iso(at)).toBe(ofDate(at));
});

test.each([Number.NaN, Infinity, -Infinity, atMax + 1])('%s is not a time', (at) => {
  expect(() => iso(at)).toThrow(RangeError);
});

test('the day in Kathmandu is ahead by 5:45', () => {
  expect(kathmanduDay(Date.parse('2026-11-20T18:14:59.999Z'))).toBe('2026-11-20');
  expect(kathmanduDay(Date.parse('2026-11-20T18:15:00.000Z'))).toBe('2026-11-21');
});

test.each([
  ['2026-11-20T09:15:00.000Z', 6, '2026-05-20T09:15:00.000Z'],
  ['2026-08-31T23:59:59.999Z', 6, '2026-02-28T23:59:59.999Z'],
  ['2028-08-31T00:00:00.000Z', 6, '2028-02-29T00:00:00.000Z'],
  ['2027-03-15T00:00:00.000Z', 6, '2026-09-15T00:00:00.000Z'],
  ['2026-05-31T12:00:00.000Z', 1, '2026-04-30T12:00:00.000Z'],
  ['2026-05-31T12:00:00.000Z', 0, '2026-05-31T12:00:00.000Z'],
])('%s, %i months before', (at, months, before) => {
  expect(iso(monthsBefore(Date.parse(at), months))).toBe(before);
});
