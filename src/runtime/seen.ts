/** What an actor remembers of its senders, so that a repeated copy meets its stored outcome (engine 5).
 *  Pure: takes the memory, returns the memory. */
import { hours, minutes, type Instant } from '../kernel/time.ts';
import type { Seen } from '../store/store.ts';
import type { Json } from './actor.ts';
import type { AskResult, Identity, Outcome } from './envelope.ts';

/** Senders with stored outcomes one actor holds. */
export const sendersMax = 1000;
/** How far a sender may run ahead of its lowest unsettled command. */
export const seqsAboveDoneMax = 64;
const lifeOfNodesMs = minutes(10);
const lifeOfOthersMs = hours(25);
const lifeOfEmptyMs = minutes(1);

export type SeenBySender = { readonly [from: string]: Seen };

const overloaded: AskResult = { is: 'not_executed', why: 'overloaded', retryAfterMs: 1000 };

/** The stored outcome of a repeat, OVERLOADED at a bound, or null: execute it. */
export function knownOutcome(all: SeenBySender, { from, seq, done }: Identity): AskResult | null {
  const seen = all[from];
  if (seen === undefined) return sendersHeld(all) >= sendersMax ? overloaded : null;
  // settled or given up by its own sender: a late copy that nobody waits for
  if (seq <= seen.done) return { is: 'unknown' };
  const outcome = seen.r[seq];
  if (outcome !== undefined) return resultOf(outcome);
  return seq > Math.max(seen.done, done) + seqsAboveDoneMax ? overloaded : null;
}

// Hot, all of them: each turn asks, and lists of keys would be most of its garbage.

/** Those with outcomes; the others count only as long as that cannot matter. */
function sendersHeld(all: SeenBySender): number {
  let held = 0;
  for (const _ in all) held++;
  return held < sendersMax ? held : Object.values(all).filter(({ r }) => !isEmpty(r)).length;
}

/** With this outcome stored. */
export function remembering(
  all: SeenBySender,
  { from, seq, done }: Identity,
  outcome: Outcome,
  realNow: Instant,
): SeenBySender {
  const before = forgetting(all, from, done, realNow)[from];
  return {
    ...all,
    [from]: { done: Math.max(before?.done ?? 0, done), at: realNow, r: { ...before?.r, [seq]: outcome } },
  };
}

/** Without what the sender says is settled. The same object when there is nothing to forget. */
export function forgetting(all: SeenBySender, from: string, done: number, realNow: Instant): SeenBySender {
  const seen = all[from];
  if (seen === undefined || seen.done >= done) return all;
  const r = Object.fromEntries(Object.entries(seen.r).filter(([seq]) => Number(seq) > done));
  return { ...all, [from]: { done, at: realNow, r } };
}

/** Without senders who have been silent for their life. */
export function pruned(all: SeenBySender, realNow: Instant): SeenBySender {
  for (const from in all) {
    const seen = all[from];
    if (seen !== undefined && isOver(from, seen, realNow))
      return Object.fromEntries(Object.entries(all).filter(([each, one]) => !isOver(each, one, realNow)));
  }
  return all;
}

const isOver = (from: string, seen: Seen, realNow: Instant): boolean =>
  realNow - seen.at > lifeOf(from, seen);

function lifeOf(from: string, { r }: Seen): number {
  if (isEmpty(r)) return lifeOfEmptyMs;
  return from.startsWith('n:') ? lifeOfNodesMs : lifeOfOthersMs;
}

function isEmpty(r: Seen['r']): boolean {
  for (const _ in r) return false;
  return true;
}

/** An outcome small enough to be stored. */
export const outcomeOf = (code: string, v: number, detail: { readonly [key: string]: Json }): Outcome =>
  Object.keys(detail).length > 0 ? { code, v, detail } : { code, v };

const resultOf = ({ code, v, detail = {} }: Outcome): AskResult =>
  code === 'ok' ? { is: 'ok', v, detail } : { is: 'refused', code, detail };
