/** The days that the dates of a statement span, and the walk through our payments of these days. */
import { days, kathmanduMidnight, type Instant } from '../../src/kernel/time.ts';
import type { DatesSeen, ScanPlace } from './messages.ts';

/** Days that the dates of one statement may span. */
export const spanDaysMax = 400;

export const spanFrom = ({ first }: DatesSeen): Instant => kathmanduMidnight(first);
/** Exclusive. */
export const spanTo = ({ last }: DatesSeen): Instant => kathmanduMidnight(last) + days(1);

export const spanDays = (dates: DatesSeen): number => (spanTo(dates) - spanFrom(dates)) / days(1);

export const withDate = (dates: DatesSeen | null, date: Instant | null): DatesSeen | null => {
  if (date === null) return dates;
  if (dates === null) return { first: date, last: date };
  return { first: Math.min(dates.first, date), last: Math.max(dates.last, date) };
};

/** null: without dates nothing can be missing. */
export const firstScan = (dates: DatesSeen | null): ScanPlace | null =>
  dates === null ? null : { day: spanFrom(dates), to: null, page: 1, read: 0 };

/** The next day of the span; null after the last one. */
export const nextDay = (dates: DatesSeen, { day, read }: ScanPlace): ScanPlace | null =>
  day + days(1) >= spanTo(dates) ? null : { day: day + days(1), to: null, page: 1, read };
