/** Milliseconds since 1970 UTC, on whichever clock the context says (real or a project's test clock). */
export type Instant = number;
/** A length of time in milliseconds. */
export type DurationMs = number;

export const seconds = (n: number): DurationMs => n * 1000;
export const minutes = (n: number): DurationMs => n * 60_000;
export const hours = (n: number): DurationMs => n * 3_600_000;
export const days = (n: number): DurationMs => n * 86_400_000;

/** `2026-11-20T09:15:00.000Z`: the one way a time leaves the service (decisions 1.9). */
export function iso(at: Instant): string {
  const day = Math.floor(at / days(1));
  if (day !== latest.day || !Number.isInteger(at)) return isoOfAnother(at, day);
  const ms = at - days(day);
  const [hour, minute] = [Math.floor(ms / hours(1)), Math.floor(ms / minutes(1)) % 60];
  return `${latest.date}T${two[hour]}:${two[minute]}:${two[Math.floor(ms / 1000) % 60]}.${three[ms % 1000]}Z`;
}

/** Every answer names several times, nearly all of one day: its date is made once. */
const latest = { day: Number.NaN, date: '' };
const two: readonly string[] = Array.from({ length: 60 }, (_, n) => String(n).padStart(2, '0'));
const three: readonly string[] = Array.from({ length: 1000 }, (_, n) => String(n).padStart(3, '0'));

function isoOfAnother(at: Instant, day: number): string {
  const text = new Date(at).toISOString();
  if (Number.isInteger(at)) [latest.day, latest.date] = [day, text.slice(0, text.indexOf('T'))];
  return text;
}

/** Like iso, null for null. */
export const isoOrNull = (at: Instant | null): string | null => (at === null ? null : iso(at));

/** Nepal has one zone, UTC+05:45, and no daylight saving. */
const kathmanduAheadMs: DurationMs = hours(5) + minutes(45);

/** When the day began in Asia/Kathmandu. */
export const kathmanduMidnight = (at: Instant): Instant =>
  Math.floor((at + kathmanduAheadMs) / days(1)) * days(1) - kathmanduAheadMs;

/** `2026-11-20`: the day of an instant in Asia/Kathmandu. */
export const kathmanduDay = (at: Instant): string => iso(at + kathmanduAheadMs).slice(0, 10);

/** Cancels what was scheduled; harmless when it has run already. */
export type Cancel = () => void;

/** The only source of time and waiting for src/runtime; the simulator brings its own. */
export interface Scheduler {
  /** Real time now. */
  now(): Instant;
  /** Milliseconds on a clock that never jumps; only differences mean something. */
  steady(): DurationMs;
  /** Runs `work` once, `delay` ms from now, unless cancelled. */
  after(delay: DurationMs, work: () => void): Cancel;
}

/** Resolves after `delay` ms; never, where the scheduler ends first. */
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
};
