/** The test clock of a sandbox. */
import { pathOf, type Asked } from './asked.ts';
import type { Result } from './failure.ts';
import type { Place } from './types.ts';

export interface TestClock {
  readonly now: string;
  readonly offsetSeconds: number;
  readonly status: 'ready' | 'advancing';
  /** By the last advance. */
  readonly fired: number;
  readonly nextTimerAt: string | null;
}

/** One of the two. */
export type Advance = { readonly bySeconds: number } | { readonly to: string };

export interface ClockApi {
  clock(place: Place): Promise<Result<TestClock>>;
  /** Sent again with the same key, it moves once. */
  advanceClock(place: Place, by: Advance, key: string): Promise<Result<TestClock>>;
  /** Ends an advance at the instant it has reached. */
  stopClock(place: Place, key: string): Promise<Result<TestClock>>;
}

export const clockCallsOf = (asked: Asked): ClockApi => ({
  clock: (place) => asked('GET', `${pathOf(place)}/test/clock`),
  advanceClock: (place, by, key) => asked('POST', `${pathOf(place)}/test/clock/advance`, by, key),
  stopClock: (place, key) => asked('POST', `${pathOf(place)}/test/clock/stop`, {}, key),
});
