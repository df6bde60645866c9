/** What an actor remembers of its senders, so that a repeated copy gets its stored outcome.
 *  Pure: takes the list, returns the list.
 *  Hot path: each turn reads the whole list, so these functions avoid copying it. */
import { hours, minutes, seconds, type Instant } from '../../kernel/time.ts';
import type { Outcome, Seen } from '../../store/store.ts';
import type { Json } from '../model/actor.ts';
import type { AskResult, Identity } from '../model/envelope.ts';

/** Senders with stored outcomes that one actor holds. Nodes are not counted: there are few of them, and
 *  their commands must not be refused because clients' keys have filled the list. */
export const sendersMax = 1000;
/** How far a sender may be ahead of its lowest unsettled command. */
export const seqsAboveDoneMax = 64;
const lifeOfNodesMs = minutes(10);
const lifeOfOthersMs = hours(25);
const lifeOfEmptyMs = minutes(1);
/** An actor asks for 10 s at most, and the clocks of two nodes may differ by 5 s: later no copy is executed. A busy
 *  target hears thousands of actors a minute, and all of them are in its document. */
const lifeOfEmptyActorsMs = seconds(20);

type SeenList = readonly Seen[];

const overloaded: AskResult = { is: 'not_executed', why: 'overloaded', retryAfterMs: 1000 };

/** The stored outcome of a repeat, OVERLOADED at a bound, or null: execute it. */
export function knownOutcome(all: SeenList, { from, seq, done }: Identity): AskResult | null {
  const seen = all[placeOf(all, from)];
  if (seen === undefined) return !isNode(from) && isFull(all) ? overloaded : null;
  const [, settled, , outcomes] = seen;
  // settled or given up by its own sender: a late copy that no caller waits for
  if (seq <= settled) return { is: 'unknown' };
  const outcome = outcomes.find(([one]) => one === seq);
  if (outcome !== undefined) return resultOf(outcome);
  return seq > Math.max(settled, done) + seqsAboveDoneMax ? overloaded : null;
}

/** Senders without stored outcomes do not count towards the bound; the length is only a cheap first check. */
const isFull = (all: SeenList): boolean =>
  all.length >= sendersMax && all.filter(([, , , outcomes]) => outcomes.length > 0).length >= sendersMax;

/** With this outcome stored. */
export function remembering(
  all: SeenList,
  { from, done }: Identity,
  outcome: Outcome,
  realNow: Instant,
): SeenList {
  const place = placeOf(all, from);
  const [, settled, , outcomes] = all[place] ?? unknownSender;
  const kept = above(outcomes, done);
  return placed(all, place, [from, Math.max(settled, done), realNow, kept.concat([outcome])]);
}

/** Without what the sender reports as settled. Returns the same list when there is nothing to remove. */
export function forgetting(all: SeenList, from: string, done: number, realNow: Instant): SeenList {
  const place = placeOf(all, from);
  const [, settled, , outcomes] = all[place] ?? unknownSender;
  if (place < 0 || settled >= done) return all;
  return placed(all, place, [from, done, realNow, above(outcomes, done)]);
}

/** Without senders that have been silent for longer than their retention time. Returns the same list when
 *  there are none. `alone`: there is no other node, so no copy of a settled command can still come. */
export function pruned(all: SeenList, realNow: Instant, alone = false): SeenList {
  const isOver = ([from, , at, outcomes]: Seen): boolean => realNow - at > lifeOf(from, outcomes, alone);
  for (const seen of all) if (isOver(seen)) return all.filter((one) => !isOver(one));
  return all;
}

function lifeOf(from: string, outcomes: Seen[3], alone: boolean): number {
  if (outcomes.length > 0) return isNode(from) ? lifeOfNodesMs : lifeOfOthersMs;
  if (alone) return 0;
  return isNode(from) || isKeyed(from) ? lifeOfEmptyMs : lifeOfEmptyActorsMs;
}

const isNode = (from: string): boolean => from.startsWith('n:');
const isKeyed = (from: string): boolean => from.startsWith('k:');

const unknownSender: Seen = ['', 0, 0, []];

/** -1: unknown sender. */
function placeOf(all: SeenList, from: string): number {
  // the newest sender is last, and most likely to repeat
  for (let at = all.length - 1; at >= 0; at--) if (all[at]?.[0] === from) return at;
  return -1;
}

const above = (outcomes: readonly Outcome[], done: number): readonly Outcome[] =>
  outcomes.length === 0 ? outcomes : outcomes.filter(([seq]) => seq > done);

// `concat` allocates a list of exact size; a spread reserves room for sixteen more, which every document
// would keep
const placed = (all: SeenList, place: number, seen: Seen): SeenList =>
  place < 0 ? all.concat([seen]) : all.with(place, seen);

/** An outcome small enough to be stored. */
export const outcomeOf = (
  seq: number,
  code: string,
  v: number,
  detail: { readonly [key: string]: Json },
): Outcome => (Object.keys(detail).length > 0 ? [seq, code, v, detail] : [seq, code, v]);

const resultOf = ([, code, v, detail = {}]: Outcome): AskResult =>
  code === 'ok' ? { is: 'ok', v, detail } : { is: 'refused', code, detail };

/** The form in which documents were stored before they held a list. */
interface OlderMemory {
  readonly [from: string]: {
    readonly done: number;
    readonly at: Instant;
    readonly r: { readonly [seq: string]: OlderOutcome };
  };
}

interface OlderOutcome {
  readonly code: string;
  readonly v: number;
  readonly detail?: { readonly [key: string]: Json };
}

/** The list of a stored document, whether an older build wrote it, a newer one, or both alternately. */
export const memoryOf = (stored: SeenList | OlderMemory): SeenList =>
  Array.isArray(stored)
    ? (stored as SeenList)
    : Object.entries(stored as OlderMemory).map(([from, one]): Seen => {
        if (Array.isArray(one)) return one as unknown as Seen;
        const outcomes = Object.entries(one.r).map(([seq, { code, v, detail = {} }]) =>
          outcomeOf(Number(seq), code, v, detail),
        );
        return [from, one.done, one.at, outcomes];
      });
