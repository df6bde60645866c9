/** Times in client input: any ISO 8601 date-time with `Z` or an offset. */
import { assert } from '../../../src/kernel/assert.ts';
import { iso, type Instant } from '../../../src/kernel/time.ts';

const dateTime = /^(\d{4})-(\d\d)-(\d\d)T(\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d(?::?\d\d)?)$/i;

/** No test clock is moved past this, and nothing begins after it: whatever is derived from it, such as the end of a
 *  period of 365 years, still has a written form. */
export const latestStart: Instant = Date.UTC(2100, 0, 1);

/** The instant a text denotes; null when it is not valid. */
export function instantFrom(text: string): Instant | null {
  const match = dateTime.exec(text);
  if (match === null) return null;
  const [, year = '', month = '', day = '', time = '', zone = ''] = match;
  const date = `${year}-${month}-${day}`;
  if (!dayExists(date)) return null;
  const at = Date.parse(`${date}T${time}${fullZone(zone.toUpperCase())}`);
  return Number.isNaN(at) || !isWritten(at) ? null : at;
}

/** An offset may move a day of year 0 or 9999 into a year that answers cannot show. */
const isWritten = (at: Instant): boolean => dateTime.test(iso(at));

/** The same for a text that was checked before. */
export function checkedInstant(text: string): Instant {
  const at = instantFrom(text);
  assert(at !== null, 'a checked instant');
  return at;
}

/** Date.parse accepts 30 February. */
function dayExists(date: string): boolean {
  const at = new Date(`${date}T00:00:00.000Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(date);
}

const fullZone = (zone: string): string => {
  if (zone === 'Z' || zone.includes(':')) return zone;
  return zone.length === 3 ? `${zone}:00` : `${zone.slice(0, 3)}:${zone.slice(3)}`;
};
