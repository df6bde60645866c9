/** Times and texts as shown to buyers. Pure. */
import type { DurationMs, Instant } from '../../../src/kernel/time.ts';
import { html, type Html } from '../html.ts';

/** Nepal has one time zone, UTC+05:45, and no daylight saving. */
const kathmandu = 'Asia/Kathmandu';
const formatter = (shown: Intl.DateTimeFormatOptions): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat('en-GB', { timeZone: kathmandu, ...shown });
const clockFormat = formatter({ hour: 'numeric', minute: '2-digit', hourCycle: 'h12' });
const dayFormat = formatter({ day: 'numeric', month: 'short' });
const fullFormat = formatter({ day: 'numeric', month: 'short', year: 'numeric' });

/** `3:30 pm`, with the day when it is not today: `3:30 pm on 21 Nov`. */
export function clockText(at: Instant, now: Instant): string {
  const day = dayFormat.format(at);
  return `${clockFormat.format(at)}${day === dayFormat.format(now) ? '' : ` on ${day}`}`;
}

/** `20 Nov 2026, 3:01 pm`. */
export const momentText = (at: Instant): string => `${fullFormat.format(at)}, ${clockFormat.format(at)}`;

/** `28 minutes`, `1 hour 5 min`, `less than a minute`; whole minutes, rounded up. The script uses the same
 *  wording. */
export function leftText(left: DurationMs): string {
  if (left < 60_000) return 'less than a minute';
  const minutes = Math.ceil(left / 60_000);
  const rest = minutes % 60;
  if (minutes < 60) return minutes === 1 ? '1 minute' : `${minutes} minutes`;
  const hours = Math.floor(minutes / 60);
  return `${hours === 1 ? '1 hour' : `${hours} hours`}${rest === 0 ? '' : ` ${rest} min`}`;
}

/** Text written by a merchant: isolated from our text direction, and marked as Nepali when it is in
 *  Devanagari, so that a screen reader uses the right voice. */
export const said = (text: string): Html =>
  /\p{Script=Devanagari}/u.test(text)
    ? html`<bdi lang="ne">${plain(text)}</bdi>`
    : html`<bdi>${plain(text)}</bdi>`;

/** Removes characters that change the text direction: a name must not alter how the amount beside it reads. */
export const plain = (text: string): string =>
  text.replace(/[\u202A-\u202E\u2066-\u2069\u200E\u200F\u061C]/g, '');

const shopNameCharactersMax = 30;

/** The shop's name within a sentence or on a button, when it is short enough. */
export const theShop = (name: string): Html =>
  name.length <= shopNameCharactersMax ? said(name) : html`the shop`;
