/** A delivery that has ended, sent once more because the merchant requested it (manual retry).
 *  1. A success stays a success whatever the result; a failed delivery gets the result of this try.
 *  2. One such try at a time: a repeated request while it is in progress refers to the same try. */
import type { Turn, Verdict } from '../../src/runtime/model/actor.ts';
import type { DeliveryState, DeliveryTypes } from './messages.ts';
import { healthOf, posted, withReport, tried, type Attempted, type Tried } from './trying.ts';

type X = Turn<DeliveryTypes>;
type Ended = Extract<DeliveryState, { status: 'success' | 'failed' }>;

export const sendAgain = (s: Ended, x: X): Verdict =>
  s.byHand === true ? x.ok() : posted(become({ ...s, byHand: true }, x), s, true, x);

/** A node of an older version may have put it off. */
export const againDue = (s: Ended, x: X): Verdict =>
  s.byHand === true ? posted(x.stay(), s, true, x) : x.ok();

export function attemptedAgain(s: Ended, c: Attempted, x: X): Verdict {
  if (s.byHand !== true) return x.ok();
  switch (c.result.is) {
    case 'held':
      return againDue(s, x);
    case 'no_endpoint':
      return become({ ...s, byHand: false }, x);
    default:
      return ended(s, c.result, c, x);
  }
}

function ended(s: Ended, result: Tried, c: Attempted, x: X): Verdict {
  const health = healthOf(result);
  const after = tried(s, result, c, x);
  const change = health === 'ok' ? x.become('success', after) : become(after, x);
  return withReport(change, { before: s, after, health }, c, x);
}

const become = (s: Ended, x: X) => (s.status === 'success' ? x.become('success', s) : x.become('failed', s));
