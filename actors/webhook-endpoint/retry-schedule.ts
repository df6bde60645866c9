/** When an unsuccessful delivery is tried again. */
import { fractionOf } from '../../src/kernel/hash.ts';
import { hours, minutes, seconds, type DurationMs } from '../../src/kernel/time.ts';

/** The delay before each try; there are as many tries as entries. */
export const retrySchedule: readonly DurationMs[] = [
  seconds(0),
  seconds(5),
  minutes(5),
  minutes(30),
  hours(2),
  hours(5),
  hours(10),
  hours(14),
  hours(20),
  hours(24),
];
export const retryAfterMsMax = hours(24);
const jitter = 0.1;

/** The delay before the next try after `attempts` of them, null when none is left. Jitter comes from the
 *  delivery's id, so that deliveries that failed together are not retried together. `askedForMs`: the
 *  endpoint's Retry-After. */
export function waitAfter(
  attempts: number,
  deliveryId: string,
  askedForMs: DurationMs | null,
): DurationMs | null {
  const planned = retrySchedule[attempts];
  if (planned === undefined) return null;
  const spread = Math.round(planned * (1 - jitter + 2 * jitter * fractionOf(deliveryId, attempts)));
  return Math.max(spread, Math.min(askedForMs ?? 0, retryAfterMsMax));
}
