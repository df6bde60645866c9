/** The input of every rule: a change of a session, and the step it adds to.
 *  A rule adds one type of consequence (events, effects, timers ...) by comparing the states; transition.ts
 *  lists the rules. */
import type { Change, Json, Note, Turn } from '../../../src/runtime/model/actor.ts';
import type { CheckoutSession, SessionState } from '../state.ts';

/** What a transition reports beside the next state. */
export interface Also {
  /** The command or look-up that caused the change; shown in the timeline. */
  readonly cause: string;
  /** The information received, before the transitions it caused. */
  readonly notes?: readonly Note[];
  /** An event that does not follow from a change of state. */
  readonly extraEvent?: ExtraEvent | null;
  readonly answer?: { readonly [key: string]: Json };
}

/** An event about a payment whose data is not the payment. */
export interface ExtraEvent {
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
