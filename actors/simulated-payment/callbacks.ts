/** The calls of a provider's server about one payment: one when the attempt has ended, tried again while it is not
 *  taken.
 *  1. A call says how the payment stands when it is sent; a newer call replaces one that was not taken yet.
 *  2. It is tried four times, ten seconds apart on the project's clock. */
import type { Change, Turn, Verdict } from '../../src/runtime/model/actor.ts';
import { seconds, type DurationMs } from '../../src/kernel/time.ts';
import type {
  Callback,
  SimulatedFields,
  SimulatedPaymentCommands,
  SimulatedPaymentState,
  SimulatedPaymentTypes,
  SimulatedStatus,
} from './messages.ts';
import { fieldsOf } from './plays.ts';

type X = Turn<SimulatedPaymentTypes>;
type Commands = SimulatedPaymentCommands;

export const callbackTriesMax = 4;
export const callbackWaitMs: DurationMs = seconds(10);

const announced: readonly SimulatedStatus[] = ['paid', 'declined', 'cancelled'];

/** Changes to a status, and calls where the provider has an address for it. */
export function announcing(
  status: SimulatedStatus,
  fields: SimulatedFields,
  x: X,
): Change<SimulatedPaymentTypes> {
  if (fields.callbackUrl === undefined || !announced.includes(status)) return x.become(status, fields);
  const number = (fields.callbacksBegun ?? 0) + 1;
  const callback: Callback = { number, tries: 0, held: false };
  return x
    .become(status, { ...fields, callback, callbacksBegun: number })
    .effect('callback.send', dataOf(callback, x));
}

export function calledBack(
  state: SimulatedPaymentState,
  { call, how, waitMs = 0 }: Commands['calledBack'],
  x: X,
): Verdict {
  const { callback, ...rest } = state;
  if (callback === undefined || callback.number !== call) return x.ok();
  const fields = fieldsOf(rest);
  const again = (next: Callback, ms: DurationMs): Verdict =>
    x.become(state.status, { ...fields, callback: next }).timer(`callAgain/${call}`, x.now + ms);
  if (how === 'later') return again({ ...callback, held: true }, waitMs);
  const tries = callback.tries + 1;
  if (how === 'refused' && tries < callbackTriesMax) return again({ ...callback, tries }, callbackWaitMs);
  return x.become(state.status, fields);
}

export function callAgain(state: SimulatedPaymentState, { key }: Commands['callAgain'], x: X): Verdict {
  const { callback } = state;
  return callback === undefined || String(callback.number) !== key
    ? x.ok()
    : x.stay().effect('callback.send', dataOf(callback, x));
}

const dataOf = (
  { number, held }: Callback,
  { id }: X,
): SimulatedPaymentTypes['effects']['callback.send'] => ({ paymentId: id, call: number, held });
