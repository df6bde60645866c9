/** The calendar of Asia/Kathmandu: days of the month, and months added to an instant.
 *  Boundary: the only user of luxon. The zone is written as its offset: Nepal has had one, without daylight
 *  saving, since 1986. */
import { DateTime, FixedOffsetZone } from 'luxon';
import type { Instant } from './time.ts';

const kathmandu = FixedOffsetZone.instance(5 * 60 + 45);

const local = (at: Instant): DateTime => DateTime.fromMillis(at, { zone: kathmandu });

/** 1 to 31. */
export const dayOfMonth = (at: Instant): number => local(at).day;

/** The same time of day so many months later, on this day of the month or the last one of a shorter month. */
export function monthsAfter(at: Instant, months: number, day: number): Instant {
  const month = local(at).set({ day: 1 }).plus({ months });
  return month.set({ day: Math.min(day, month.daysInMonth ?? day) }).toMillis();
}
