/** Times as buyers read them: Nepal has one time zone, UTC+05:45, and no daylight saving. */
import { minutes, type Instant } from '../../../src/kernel/time.ts';

/** More minutes than the pages of one hour name. */
const textsKept = 256;

/** Writes an instant in a language (BCP 47), to the minute at most: the text is that of its whole minute. Texts are
 *  kept: the pages of a moment name the same few minutes, and a formatter costs as much as a tenth of a page. Throws
 *  RangeError for an invalid instant. */
export function inKathmandu(language: string, shown: Intl.DateTimeFormatOptions): (at: Instant) => string {
  const formatter = new Intl.DateTimeFormat(language, { timeZone: 'Asia/Kathmandu', ...shown });
  const kept = new Map<number, string>();
  return (at) => {
    const minute = Math.floor(at / minutes(1));
    const known = kept.get(minute);
    if (known !== undefined) return known;
    const text = formatter.format(at);
    if (kept.size >= textsKept) kept.clear();
    kept.set(minute, text);
    return text;
  };
}
