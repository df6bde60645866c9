/** The calendar of Asia/Kathmandu: days of the month, and months added to an instant. Plain arithmetic: what comes
 *  next of a subscription needs many of these dates whenever it is shown. Pure. */
import { days, kathmanduAheadMs, type Instant } from './time.ts';

/** Its parts are read in UTC. */
const local = (at: Instant): Date => new Date(at + kathmanduAheadMs);

/** 1 to 31. */
export const dayOfMonth = (at: Instant): number => local(at).getUTCDate();

/** The same time of day so many months later, on this day of the month or the last one of a shorter month. */
export function monthsAfter(at: Instant, months: number, day: number): Instant {
  const from = local(at);
  const [year, month] = [from.getUTCFullYear(), from.getUTCMonth() + months];
  // day 0 is the last one of the month before
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const midnight = Math.floor(from.getTime() / days(1)) * days(1);
  return Date.UTC(year, month, Math.min(day, lastDay)) + (at - midnight);
}
