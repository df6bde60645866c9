import { expect, test } from 'vitest';
import { clockText, countedText, leftText } from '../../../gateways/pages/hosted/words.ts';
import { en } from '../../../gateways/pages/texts/en.ts';
import { ne } from '../../../gateways/pages/texts/ne.ts';

const at = Date.parse('2026-11-20T09:45:00.000Z');

test("a time is shown in Nepal's zone, UTC+05:45", () => {
  expect(clockText(at, at - 60_000, en.times)).toBe('3:30 pm');
  expect(en.times.moment(at)).toBe('20 Nov 2026, 3:30 pm');
  expect(clockText(at, at - 60_000, ne.times)).toBe('१५:३० बजे');
  expect(ne.times.moment(at)).toBe('२०२६ नोभेम्बर २०, १५:३० बजे');
});

test('a time on another day in Nepal shows the day, although UTC has not changed it yet', () => {
  const late = Date.parse('2026-11-20T18:20:00.000Z');
  expect(clockText(late, at, en.times)).toBe('12:05 am on 21 Nov');
  expect(clockText(late, at, ne.times)).toBe('नोभेम्बर २१, ००:०५ बजे');
});

test.each([
  [0, 'less than a minute', 'एक मिनेटभन्दा कम समय'],
  [59_999, 'less than a minute', 'एक मिनेटभन्दा कम समय'],
  [60_000, '1 minute', '१ मिनेट'],
  [60_001, '2 minutes', '२ मिनेट'],
  [28 * 60_000, '28 minutes', '२८ मिनेट'],
  [60 * 60_000, '1 hour', '१ घण्टा'],
  [65 * 60_000, '1 hour 5 min', '१ घण्टा ५ मिनेट'],
  [1440 * 60_000, '24 hours', '२४ घण्टा'],
])('%i ms are "%s" and "%s"', (ms, english, nepali) => {
  expect([leftText(ms, en.times), leftText(ms, ne.times)]).toEqual([english, nepali]);
});

test('counted things are singular for one, in both languages', () => {
  const { tooManyThen } = en.trouble;
  expect(countedText(1, tooManyThen, en.times)).toContain('Try again in a second.');
  expect(countedText(41, tooManyThen, en.times)).toContain('Try again in 41 seconds.');
  const { triesLeft } = ne.hosted.chooser;
  expect([1, 2].map((n) => countedText(n, triesLeft, ne.times))).toEqual([
    'अब १ प्रयास बाँकी छ।',
    'अब २ प्रयास बाँकी छन्।',
  ]);
});
