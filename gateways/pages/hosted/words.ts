/** Numbers and times as shown to buyers. Pure. */
import type { DurationMs, Instant } from '../../../src/kernel/time.ts';
import type { Counted, TimeTexts } from '../texts/texts.ts';

/** A number in the digits of the language. Amounts and references keep theirs. */
export const numberText = (n: number | string, { digits }: Pick<TimeTexts, 'digits'>): string =>
  String(n).replace(/\d/g, (digit) => digits[Number(digit)] ?? digit);

/** In English and in Nepali only 1 is singular. The script does the same. */
export const countedText = (n: number, of: Counted, times: Pick<TimeTexts, 'digits'>): string =>
  (n === 1 ? of.one : of.other).replace('{n}', numberText(n, times));

/** `3:30 pm`, with the day when it is not today: `3:30 pm on 21 Nov`. */
export function clockText(at: Instant, now: Instant, times: TimeTexts): string {
  const day = times.day(at);
  return day === times.day(now) ? times.clock(at) : times.clockOn(times.clock(at), day);
}

/** `28 minutes`, `1 hour 5 min`, `less than a minute`; whole minutes, rounded up. The script uses the same
 *  texts. */
export function leftText(left: DurationMs, times: TimeTexts): string {
  const { soon, minutes, hours, rest } = times.left;
  if (left < 60_000) return soon;
  const whole = Math.ceil(left / 60_000);
  if (whole < 60) return countedText(whole, minutes, times);
  const over = whole % 60;
  const text = countedText(Math.floor(whole / 60), hours, times);
  return over === 0 ? text : `${text} ${rest.replace('{n}', numberText(over, times))}`;
}

/** `2:59`. The script does the same. */
export function secondsText(left: DurationMs, times: Pick<TimeTexts, 'digits'>): string {
  const whole = Math.max(0, Math.ceil(left / 1000));
  const seconds = String(whole % 60).padStart(2, '0');
  return [Math.floor(whole / 60), seconds].map((part) => numberText(part, times)).join(':');
}

const shopNameCharactersMax = 30;

/** The shop's name for a sentence or a button; null when it is too long for one. */
export const shortName = (name: string): string | null =>
  name.length <= shopNameCharactersMax ? name : null;
