/** What every rule is given: a change of a session, and the step it adds to.
 *  A rule adds one sort of consequence (events, effects, timers ...) by comparing the states; settle.ts lists them. */
import type { Change, Json, Note, Turn } from '../../../src/runtime/model/actor.ts';
import type { Payment } from '../attempt.ts';
import type { CheckoutSession, SessionState } from '../state.ts';

/** What a transition says beside the next state. */
export interface Also {
  /** The command or look-up that led here; stands in the timeline. */
  readonly cause: string;
  /** What was heard, before the transitions it led to. */
  readonly notes?: readonly Note[];
  /** An event that no change of state shows. */
  readonly telling?: Telling | null;
  readonly answer?: { readonly [key: string]: Json };
}

/** An event about a payment whose data is not the payment. */
export interface Telling {
  readonly type: string;
  readonly paymentId: string;
  readonly data: object;
}

export interface Changed {
  readonly x: Turn<CheckoutSession>;
  /** null at creation. */
  readonly before: SessionState | null;
  readonly after: SessionState;
  readonly also: Also;
}

export type Rule = (step: Change<CheckoutSession>, changed: Changed) => void;

export const paymentIn = (session: SessionState | null, id: string): Payment | null =>
  session?.payments.find((payment) => payment.id === id) ?? null;
