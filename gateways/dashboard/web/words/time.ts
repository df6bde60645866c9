/** Times for readers in Nepal, on the clock of the project. Pure: `now` is an argument. */

/** Nepal has one time zone, UTC+05:45, and no daylight saving. */
const zone = 'Asia/Kathmandu';
const zoneMs = (5 * 60 + 45) * 60_000;
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

const formatter = (shown: Intl.DateTimeFormatOptions): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat('en-GB', { timeZone: zone, ...shown });
const clockFormat = formatter({ hour: 'numeric', minute: '2-digit', hourCycle: 'h12' });
const secondFormat = formatter({ hour: 'numeric', minute: '2-digit', second: '2-digit', hourCycle: 'h12' });
const dayFormat = formatter({ day: 'numeric', month: 'short' });
const longDayFormat = formatter({ day: 'numeric', month: 'long' });
const yearFormat = formatter({ day: 'numeric', month: 'short', year: 'numeric' });

/** Days since 1970 in Nepal. */
export const dayOf = (at: number): number => Math.floor((at + zoneMs) / dayMs);
/** The start of that day. */
export const dayStart = (day: number): number => day * dayMs - zoneMs;

/** `3:01 pm`. */
export const clockText = (at: number): string => clockFormat.format(at);
/** `3:01:22 pm`. */
export const secondText = (at: number): string => secondFormat.format(at);
/** `21 November`. */
export const longDayText = (at: number): string => longDayFormat.format(at);
/** `20 Nov 2026, 3:01:22 pm, Nepal time`. */
export const fullText = (at: number): string =>
  `${yearFormat.format(at)}, ${secondFormat.format(at)}, Nepal time`;

/** `Today`, `Yesterday`, `19 Nov`, `19 Nov 2025`. */
export function dayText(at: number, now: number): string {
  const back = dayOf(now) - dayOf(at);
  if (back === 0) return 'Today';
  if (back === 1) return 'Yesterday';
  return Math.abs(back) < 300 ? dayFormat.format(at) : yearFormat.format(at);
}

/** Within a sentence: `today`, `yesterday`, `tomorrow`, `28 Feb`. */
export function dayWord(at: number, now: number): string {
  const ahead = dayOf(at) - dayOf(now);
  if (ahead === 1) return 'tomorrow';
  return ahead === 0 || ahead === -1 ? dayText(at, now).toLowerCase() : dayText(at, now);
}

/** `Today, 3:01 pm`, `28 Feb, 12:00 am`, `28 Feb 2028, 12:00 am`. */
export const momentText = (at: number, now: number): string => `${dayText(at, now)}, ${clockText(at)}`;

/** `As of 3:01 pm`, `As of 19 Nov, 3:01 pm`. */
export const asOfText = (at: number, now: number): string =>
  `As of ${dayOf(at) === dayOf(now) ? clockText(at) : momentWord(at, now)}`;

/** The same within a sentence: `today, 3:01 pm`. */
export const momentWord = (at: number, now: number): string => `${dayWord(at, now)}, ${clockText(at)}`;

/** `just now`, `12 s ago`, `4 min ago`, `3 h ago`, `2 days ago`; in the future `in 4 min`. */
export function agoText(at: number, now: number): string {
  const ms = Math.abs(now - at);
  if (ms < 5_000) return 'just now';
  if (at <= now) return `${lengthText(ms)} ago`;
  // a trial of seven days that began a minute ago ends in 7 days, not in 6
  return `in ${ms < dayMs ? lengthText(ms) : daysText(Math.round(ms / dayMs))}`;
}

function lengthText(ms: number): string {
  if (ms < minuteMs) return `${Math.floor(ms / 1000)} s`;
  if (ms < hourMs) return `${Math.floor(ms / minuteMs)} min`;
  if (ms < dayMs) return `${Math.floor(ms / hourMs)} h`;
  return daysText(Math.floor(ms / dayMs));
}

/** `1 day`, `14 days`. */
export const daysText = (days: number): string => (days === 1 ? '1 day' : `${days} days`);

/** `214 ms`, `1.2 s`, `42 s`, `3 min`. */
export function durationText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  return lengthText(ms);
}

/** The time since the previous entry, `+1.2 s`; nothing when it was the same moment. */
export const sinceText = (ms: number): string => (ms < 1 ? '' : `+${durationText(ms)}`);

/** For a field of a date and a time: `2026-11-20T15:01`, in Nepal. */
export const nepalText = (at: number): string => new Date(at + zoneMs).toISOString().slice(0, 16);

/** From such a field; null when it names no instant. */
export function nepalInstant(text: string): number | null {
  const found = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/.test(text) ? Date.parse(`${text}Z`) : Number.NaN;
  return Number.isNaN(found) ? null : found - zoneMs;
}
