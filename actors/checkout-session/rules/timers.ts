/** Arms and moves the timers a state requires.
 *  1. Every open session has its expiry armed, unless the last look-up at that expiry is in flight, or the
 *     subscription of its invoice is about to end it. */
import type { Instant } from '../../../src/kernel/time.ts';
import { hasTrait } from '../../../src/providers/catalog.ts';
import { lookupKey } from '../legs.ts';
import { isPaid } from '../payment.ts';
import { lastLookupMsMax, qrLifeMs, switchLookupMsMax } from '../poll-schedule.ts';
import { nextRefundLookupAt } from '../refund-schedule.ts';
import { isDirectQr } from '../qr-log.ts';
import type { SessionState } from '../state.ts';
import { hasClaim, runningOf } from '../steps.ts';
import type { Rule } from './rule.ts';

export const timers: Rule = (step, { before, after }) => {
  const old = before === null ? noTimers : timersOf(before);
  const now = timersOf(after);
  for (const [name, at] of now) if (old.get(name) !== at) step.timer(name, at);
  for (const name of old.keys()) if (!now.has(name)) step.noTimer(name);
};

const noTimers: ReadonlyMap<string, Instant> = new Map();

/** The timers a state requires: `expiry`, `lookOver`, `attempt/<payment>` of a running QR, and per payment
 *  one `poll/<payment>`, one `poll/<payment>-i` for a leg in the provider's app and one `refund/<payment>` (at
 *  most 18: five attempts, a sixth payment where two legs of one were paid). */
export function timersOf(session: SessionState): ReadonlyMap<string, Instant> {
  const timers = new Map<string, Instant>();
  const waiting = session.status === 'initiated' ? session.waiting : null;
  if (!('endedAt' in session) && waiting?.is !== 'lastLook' && !hasClaim(session))
    timers.set('expiry', session.expiresAt);
  if (waiting !== null) timers.set('lookOver', waiting.since + waitMsMax[waiting.is]);
  const ends = attemptEnd(session);
  if (ends !== null) timers.set(`attempt/${ends.id}`, ends.at);
  for (const { id, legs } of session.payments) {
    for (const { name, look } of legs)
      if (look.dueAt !== null) timers.set(`poll/${lookupKey(id, name)}`, look.dueAt);
    const refundLookupAt = session.refunds.length === 0 ? null : nextRefundLookupAt(session.refunds, id);
    if (refundLookupAt !== null) timers.set(`refund/${id}`, refundLookupAt);
  }
  return timers;
}

/** When we end the running attempt ourselves; null when its session or its provider ends it. */
function attemptEnd(session: SessionState): { readonly id: string; readonly at: Instant } | null {
  if (session.status !== 'initiated' || isDirectQr(session) || session.waiting !== null) return null;
  if (hasClaim(session)) return null;
  const running = runningOf(session);
  if (running.start !== 'answered' || !hasTrait(running.provider, 'scanned_code')) return null;
  // its money was refunded at once: nothing is left to wait for
  if (isPaid(running)) return null;
  const at = running.createdAt + qrLifeMs;
  return at < session.expiresAt ? { id: running.id, at } : null;
}

const waitMsMax = { lastLook: lastLookupMsMax, attemptEnd: lastLookupMsMax, switch: switchLookupMsMax };
