/** Milliseconds since 1970 UTC, on whichever clock the context says (real or a project's test clock). */
export type Instant = number;
/** A length of time in milliseconds. */
export type DurationMs = number;

export const seconds = (n: number): DurationMs => n * 1000;
export const minutes = (n: number): DurationMs => n * 60_000;
export const hours = (n: number): DurationMs => n * 3_600_000;
export const days = (n: number): DurationMs => n * 86_400_000;

/** `2026-11-20T09:15:00.000Z`: the only time format the service sends. Computed with arithmetic and tables:
 *  every answer contains several times, and a Date costs seven times as much. Throws RangeError for an
 *  invalid time. */
export function iso(at: Instant): string {
  if (!Number.isInteger(at) || at < year0 || at >= year10000) return new Date(at).toISOString();
  const day = Math.floor(at / days(1));
  const ms = at - days(day);
  const second = Math.floor(ms / 1000);
  return `${dateOf(day)}${hourMinute[Math.floor(second / 60)]}${two[second % 60]}${millisecond[ms % 1000]}`;
}

/** `2026-11-20` of a day since 1970, in the proleptic Gregorian calendar. Years are counted from March, so
 *  that the leap day is the last of its year, and in identical eras of 400 years. */
function dateOf(day: number): string {
  const sinceMarch0 = day + daysFromMarch0To1970;
  const era = Math.floor(sinceMarch0 / eraDays);
  const ofEra = sinceMarch0 - era * eraDays;
  const leapDays = Math.floor(ofEra / 1460) - Math.floor(ofEra / 36_524) + Math.floor(ofEra / 146_096);
  const yearOfEra = Math.floor((ofEra - leapDays) / 365);
  const ofYear = ofEra - 365 * yearOfEra - (yearOfEra >> 2) + Math.floor(yearOfEra / 100);
  const year = era * 400 + yearOfEra + (ofYear < daysMarchToDecember ? 0 : 1);
  return `${two[Math.floor(year / 100)]}${two[year % 100]}${monthDay[ofYear]}`;
}

const eraDays = 146_097;
const daysFromMarch0To1970 = 719_468;
const daysMarchToDecember = 306;
const year0 = Date.parse('0000-01-01T00:00:00.000Z');
const year10000 = Date.parse('9999-12-31T23:59:59.999Z') + 1;

const table = (length: number, textOf: (n: number) => string): readonly string[] =>
  Array.from({ length }, (_, n) => textOf(n));
const two = table(100, (n) => String(n).padStart(2, '0'));
const hourMinute = table(24 * 60, (n) => `T${two[Math.floor(n / 60)]}:${two[n % 60]}:`);
const millisecond = table(1000, (n) => `.${String(n).padStart(3, '0')}Z`);
/** `-03-01` to `-02-29`, by the day of a year that begins in March. */
const monthDay = table(366, (n) => new Date(Date.UTC(1999, 2, 1 + n)).toISOString().slice(4, 10));

/** Like `iso`, but null for null. */
export const isoOrNull = (at: Instant | null): string | null => (at === null ? null : iso(at));

/** The same time of day that many calendar months earlier (UTC); the last day of a month that is too short. */
export function monthsBefore(at: Instant, months: number): Instant {
  const date = new Date(at);
  const day = date.getUTCDate();
  date.setUTCMonth(date.getUTCMonth() - months);
  // a day that the month does not have has become one of the next month
  if (date.getUTCDate() !== day) date.setUTCDate(0);
  return date.getTime();
}

/** Nepal has one zone, UTC+05:45, and no daylight saving. */
export const kathmanduAheadMs: DurationMs = hours(5) + minutes(45);

/** The start of the day in Asia/Kathmandu. */
export const kathmanduMidnight = (at: Instant): Instant =>
  Math.floor((at + kathmanduAheadMs) / days(1)) * days(1) - kathmanduAheadMs;

/** `2026-11-20`: the day of an instant in Asia/Kathmandu. */
export const kathmanduDay = (at: Instant): string => iso(at + kathmanduAheadMs).slice(0, 10);

/** Cancels scheduled work; harmless when it has already run. */
export type Cancel = () => void;

/** The only source of time and delays for src/runtime; the simulation supplies its own. */
export interface Scheduler {
  /** Real time now. */
  now(): Instant;
  /** Milliseconds on a clock that never jumps; only differences are meaningful. */
  steady(): DurationMs;
  /** Runs `work` once, `delay` ms from now, unless cancelled. */
  after(delay: DurationMs, work: () => void): Cancel;
  /** Runs `work` once, when what has arrived meanwhile was handled. Virtual time has no such rounds. */
  readonly nextRound?: (work: () => void) => void;
}

/** Resolves after `delay` ms; never if the scheduler ends first. */
export const pause = (scheduler: Pick<Scheduler, 'after'>, delay: DurationMs): Promise<void> =>
  new Promise((resolve) => void scheduler.after(delay, resolve));

/** The process's own clock and timers. Timers do not keep the process alive. */
export const realScheduler: Scheduler = {
  now: () => Date.now(),
  steady: () => performance.now(),
  after(delay, work) {
    const timer = setTimeout(work, delay);
    timer.unref();
    return () => clearTimeout(timer);
  },
  nextRound: (work) => void setImmediate(work),
};
