/** When a payment is looked up. Pure: the jitter is a hash of id and step. */
import { fractionOf } from '../../src/kernel/hash.ts';
import { hours, minutes, seconds, type DurationMs, type Instant } from '../../src/kernel/time.ts';
import type { LookupState, LookupPhase } from './attempt.ts';
import { hasTrait, type Provider } from '../../src/providers/catalog.ts';

/** Delays between look-ups of a running attempt; the last one repeats until it is settled. */
const runningWaits: readonly DurationMs[] = [3, 5, 8, 13, 21, 30].map(seconds);
export const runningWaitMsMin = seconds(3);
export const runningWaitMsMax = seconds(30);
/** A QR code lives 180 s and is looked up every 3 s, without jitter. */
const qrWaitMs = seconds(3);
/** How long a QR attempt can be paid, inside a session that may live longer. */
export const qrLifeMs = minutes(3);
/** A closed attempt of a session that is still open, counted from its closing. */
const closedOffsets: readonly DurationMs[] = [seconds(30), minutes(2)];
/** Counted from the session's end. */
const lateOffsets: readonly DurationMs[] = [minutes(2), minutes(10), minutes(60), hours(6), hours(24)];
const qrLateOffsets: readonly DurationMs[] = [seconds(30), ...lateOffsets];
/** A hint causes a look-up at once, but not sooner than this after the last one. */
export const hintGapMs = seconds(1);
/** How long a buyer's change of provider waits for the look-up of the running attempt. */
export const switchLookupMsMax = seconds(3);
/** How long a session at its `expires_at` waits for the last look-up. */
export const lastLookupMsMax = seconds(10);

const jitterShare = 0.1;

/** When the next look-up of this payment is due; null when its schedule has ended. Never before `now`. */
export function nextLookupAt(
  look: LookupState,
  provider: Provider,
  paymentId: string,
  now: Instant,
): Instant | null {
  if (look.phase === 'running') return now + runningWait(provider, paymentId, look.step);
  const offset = offsetsOf(look.phase, provider)[look.step];
  if (offset === undefined) return null;
  const shifted = look.phase === 'over' ? jittered(offset, paymentId, 'over', look.step) : offset;
  return Math.max(now, look.since + shifted);
}

/** Whether the schedule after the session's end has reached its last look-up (+24 h). */
export const lastLateLookupRequested = (look: LookupState, provider: Provider): boolean =>
  look.phase === 'over' && look.step >= offsetsOf('over', provider).length;

function offsetsOf(phase: Exclude<LookupPhase, 'running'>, provider: Provider): readonly DurationMs[] {
  if (phase === 'closed') return closedOffsets;
  return hasTrait(provider, 'scanned_code') ? qrLateOffsets : lateOffsets;
}

function runningWait(provider: Provider, paymentId: string, step: number): DurationMs {
  if (hasTrait(provider, 'scanned_code')) return qrWaitMs;
  const wait = runningWaits[step] ?? runningWaitMsMax;
  return Math.min(runningWaitMsMax, Math.max(runningWaitMsMin, jittered(wait, paymentId, 'running', step)));
}

/** `ms` plus or minus a tenth, the same for the same payment and step. */
const jittered = (ms: DurationMs, ...parts: readonly (string | number)[]): DurationMs =>
  Math.round(ms * (1 - jitterShare + 2 * jitterShare * fractionOf(...parts)));
