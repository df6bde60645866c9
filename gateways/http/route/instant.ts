/** Times in client input: any ISO 8601 date-time with `Z` or an offset. */
import type { Instant } from '../../../src/kernel/time.ts';

const dateTime = /^(\d{4})-(\d\d)-(\d\d)T(\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d(?::?\d\d)?)$/i;

/** The instant a text denotes; null when it is not valid. */
export function instantFrom(text: string): Instant | null {
  const match = dateTime.exec(text);
  if (match === null) return null;
  const [, year = '', month = '', day = '', time = '', zone = ''] = match;
  const date = `${year}-${month}-${day}`;
  if (!dayExists(date)) return null;
  const at = Date.parse(`${date}T${time}${fullZone(zone.toUpperCase())}`);
  return Number.isNaN(at) ? null : at;
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
