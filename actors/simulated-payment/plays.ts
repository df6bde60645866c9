/** The simulated buyer's pending outcomes: which are being played, and when an interrupted play continues.
 *  1. A play ends when its outcome is reached or no longer possible. An interruption only delays it.
 *  2. It continues after a delay that doubles up to a minute, on the project's clock, for a day at most:
 *     after that the payment is no longer looked up.
 *  3. Several outcomes of one payment are several plays; the faults of the newest apply. */
import type { Change, Turn, Verdict } from '../../src/runtime/model/actor.ts';
import { fractionOf } from '../../src/kernel/hash.ts';
import { hours, minutes, seconds, type DurationMs } from '../../src/kernel/time.ts';
import type {
  Play,
  SandboxOutcome,
  SimulatedFields,
  SimulatedPaymentCommands,
  SimulatedPaymentState,
  SimulatedPaymentTypes,
  SimulatedStatus,
} from './messages.ts';

type X = Turn<SimulatedPaymentTypes>;
type Commands = SimulatedPaymentCommands;

/** The maximum number of plays in progress per payment; further requests must be retried later. */
export const playsMax = 8;
export const playMsMax: DurationMs = hours(24);
const waitMsMin: DurationMs = seconds(1);
const waitMsMax: DurationMs = minutes(1);
const jitterShare = 0.1;

/** The delay after this many interruptions, with jitter, so that plays interrupted by one outage do not
 *  resume together. */
export function waitAfter(interruptions: number, paymentId: string): DurationMs {
  const whole = Math.min(waitMsMax, waitMsMin * 2 ** (interruptions - 1));
  return Math.round(whole * (1 - jitterShare + 2 * jitterShare * fractionOf(paymentId, interruptions)));
}

export function plan(state: SimulatedPaymentState, { outcome, at }: Commands['plan'], x: X): Verdict {
  if (playsOf(state).length >= playsMax) return x.refuse('too_many_plays');
  if (at <= x.now) return begin(state.status, fieldsOf(state), outcome, x).noTimer('planDue');
  return x.become(state.status, { ...fieldsOf(state), planned: outcome }).timer('planDue', at);
}

export function planDue(state: SimulatedPaymentState, _command: unknown, x: X): Verdict {
  return state.planned === null ? x.ok() : begin(state.status, fieldsOf(state), state.planned, x);
}

/** The buyer starts: the plan is cleared. */
export function begin(
  status: SimulatedStatus,
  fields: SimulatedFields,
  outcome: SandboxOutcome,
  x: X,
): Change<SimulatedPaymentTypes> {
  const number = (fields.playsBegun ?? 0) + 1;
  const play: Play = { number, outcome, since: x.now, interruptions: 0 };
  const plays = [...playsOf(fields), play];
  const change = x.become(status, { ...fields, planned: null, plays, playsBegun: number });
  return change.effect('buyer.play', dataOf(fields, play, true, x));
}

export function played(
  state: SimulatedPaymentState,
  { how, play: number }: Commands['played'],
  x: X,
): Verdict {
  const play = playsOf(state).find((one) => one.number === number);
  if (play === undefined) return x.ok();
  if (how !== 'interrupted' || x.now >= play.since + playMsMax) return withPlay(state, number, null, x);
  const again: Play = { ...play, interruptions: play.interruptions + 1 };
  const at = x.now + waitAfter(again.interruptions, x.id);
  return withPlay(state, number, again, x).timer(`playAgain/${number}`, at);
}

export function playAgain(state: SimulatedPaymentState, { key }: Commands['playAgain'], x: X): Verdict {
  const play = playsOf(state).find(({ number }) => String(number) === key);
  if (play === undefined) return x.ok();
  const newest = play.number === state.playsBegun;
  return x.stay().effect('buyer.play', dataOf(state, play, newest, x));
}

const playsOf = ({ plays = [] }: SimulatedFields): readonly Play[] => plays;

function withPlay(state: SimulatedPaymentState, number: number, instead: Play | null, x: X) {
  const plays = playsOf(state).flatMap((one) => {
    if (one.number !== number) return [one];
    return instead === null ? [] : [instead];
  });
  return x.become(state.status, { ...fieldsOf(state), plays });
}

const dataOf = (
  { sessionId }: SimulatedFields,
  { number, outcome, since, interruptions }: Play,
  newest: boolean,
  { id }: X,
): SimulatedPaymentTypes['effects']['buyer.play'] => ({
  paymentId: id,
  sessionId,
  outcome,
  play: number,
  since,
  interruptions,
  newest,
});

export function fieldsOf({ status: _status, ...fields }: SimulatedPaymentState): SimulatedFields {
  return fields;
}
