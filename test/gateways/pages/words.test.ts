import { expect, test } from 'vitest';
import { clockText, leftText, momentText } from '../../../gateways/pages/hosted/words.ts';

const at = Date.parse('2026-11-20T09:45:00.000Z');

test("a time is shown in Nepal's zone, UTC+05:45", () => {
  expect(clockText(at, at - 60_000)).toBe('3:30 pm');
  expect(momentText(at)).toBe('20 Nov 2026, 3:30 pm');
});

test('a time on another day in Nepal shows the day, although UTC has not changed it yet', () => {
  const late = Date.parse('2026-11-20T18:20:00.000Z');
  expect(clockText(late, at)).toBe('12:05 am on 21 Nov');
});

test.each([
  [0, 'less than a minute'],
  [59_999, 'less than a minute'],
  [60_000, '1 minute'],
  [60_001, '2 minutes'],
  [28 * 60_000, '28 minutes'],
  [60 * 60_000, '1 hour'],
  [65 * 60_000, '1 hour 5 min'],
  [1440 * 60_000, '24 hours'],
])('%i ms are "%s"', (ms, text) => {
  expect(leftText(ms)).toBe(text);
});
