/** The messages to and from an actor: envelope, identity, outcome, and every answer an ask can have. */
import type { Detail, Json, Sender, ViewMeta } from './actor.ts';
import type { Address, Scope } from './address.ts';
import type { Instant } from '../../kernel/time.ts';

/** The sender and the number of its command: with it, a repeated copy gets the stored outcome. */
export interface Identity {
  /** `n:<incarnation>`, an actor's address, or `k:<idempotency record>`. */
  readonly from: string;
  /** Rises per sender and target. */
  readonly seq: number;
  /** Everything up to here is settled or given up permanently. */
  readonly done: number;
}

/** Which request a command belongs to, and the node process whose gateway received it: when that process is
 *  dead, no client waits for the command. */
export interface Sole {
  readonly request: string;
  readonly node: string;
}

/** The answer to a command that may not wait behind one of another request. */
export const underWay: Extract<AskResult, { is: 'refused' }> = {
  is: 'refused',
  code: 'under_way',
  detail: {},
};

/** One command on its way to an actor. */
export interface Envelope {
  readonly to: Address;
  readonly command: string;
  readonly data: Json;
  readonly by: Sender;
  /** The sender's scope; null for a sender without one (a buyer: the id is the token). */
  readonly scope: Scope | null;
  readonly identity?: Identity;
  /** Real time after which it must not be executed. */
  readonly deadline: Instant;
  /** Set on results of effects: the row of `out` it settles. If that row does not exist, the result is
   *  dropped. */
  readonly settles?: number;
  /** Set on timers: which arming fired. An older generation is dropped. */
  readonly timer?: { readonly name: string; readonly gen: number };
  /** A copy of a command sent before: its refusal is stored too. */
  readonly again?: boolean;
  /** Its commit may wait a few milliseconds for the next one, to be sent with it. */
  readonly joins?: boolean;
  /** While a command of another request waits or runs at this actor, this one is answered `underWay` at once. */
  readonly sole?: Sole;
  /** Executed only while the actor's state has this fingerprint; otherwise refused with `moved_on`. */
  readonly ifState?: string;
  /** The answer carries what is committed then; `whole`: it is all that is asked for, and may be larger. */
  readonly shows?: boolean | 'whole';
}

/** The question to the owner of an actor what it has committed: no command, and nothing is stored for it. */
export const showCommitted = '_show';

/** What an actor has committed, never older than the command whose answer carries it. A tombstone is not shown. */
export interface Shown {
  readonly state: { readonly [key: string]: Json };
  readonly meta: ViewMeta;
  readonly v: number;
  /** The schema of `state`. A build that has another one reads the store. */
  readonly schema: number;
  /** Its actor's view. It does not cross the wire: who receives it builds it from the state. */
  readonly view?: { readonly [key: string]: unknown };
}

/** Every answer an ask can have; the type forces callers to handle `unknown`. `shown`: what is committed, for who has
 *  asked for it; absent where it cannot be carried. */
export type AskResult<Answer = Detail, Seen = Shown> =
  | { readonly is: 'ok'; readonly v: number; readonly detail: Answer; readonly shown?: Seen }
  /** An expected refusal; nothing changed. `not_found`: no such actor for this scope. */
  | { readonly is: 'refused'; readonly code: string; readonly detail: Detail; readonly shown?: Seen }
  /** Proof that it was not and will not be executed: it can be retried freely. */
  | {
      readonly is: 'not_executed';
      readonly why: 'overloaded' | 'expired' | 'moved';
      readonly retryAfterMs: number;
    }
  /** Executed once or not at all: retry with the same identity. */
  | { readonly is: 'unknown' }
  /** The transition threw; nothing changed. */
  | { readonly is: 'internal' };
