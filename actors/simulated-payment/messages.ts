/** The simulated provider: what it knows of one payment, and a project's faults. */
import {
  address,
  type ActorTypes,
  type Address,
  type Scope,
  type Answering,
} from '../../src/runtime/model/actor.ts';
import type { Paisa } from '../../src/kernel/money.ts';
import type { DurationMs, Instant } from '../../src/kernel/time.ts';
import type { Provider } from '../../src/providers/answers.ts';
import type { SimulatedCall } from '../../src/providers/traits.ts';
import type { FaultKind } from './fault-kinds.ts';

/** Its id is the payment's, so that any node finds it from the provider's protocol. */
export const simulatedPaymentAt = (paymentId: string): Address<SimulatedPaymentCommands> =>
  address('simulated_payment', paymentId);
/** One per sandbox project; its id is the scope. */
export const simulatorAt = (scope: Scope): Address<SimulatorCommands> => address('simulator', scope);

export type SimulatedStatus =
  | 'created'
  | 'opened'
  | 'paid'
  | 'declined'
  | 'cancelled'
  | 'ended'
  | 'partly_refunded'
  | 'refunded';

export type { FaultKind, SimulatedCall };

/** What the sandbox may request from a simulated buyer. */
export type SandboxOutcome =
  | 'success'
  | 'declined'
  | 'insufficient_funds'
  | 'cancelled'
  | 'scanned'
  | 'lost_redirect'
  | 'late_success'
  | 'duplicate_callback'
  | 'double_payment'
  | 'wrong_amount'
  | 'bad_signature'
  | 'ambiguous'
  | 'timeout'
  | 'server_error'
  | 'outage'
  | 'never'
  | 'refund_rejected'
  | 'refund_timeout';

export interface SimulatedPaymentCommands {
  /** A start call; for a known reference it returns the same payment again. */
  register: {
    readonly provider: Provider;
    readonly sessionId: string;
    readonly amount: Paisa;
    /** The id given to clients (wallet_b: the pidx, wallet_a: the reference). */
    readonly handle: string;
    readonly returnUrl: string;
    readonly title: string;
    readonly lifeEndsAt: Instant | null;
    /** The address for a buyer who returns without having paid, if it is another one. */
    readonly failureUrl?: string;
    /** A lifetime that starts when the buyer opens it. */
    readonly lifeOnceOpenMs?: DurationMs;
    /** Where the provider's server calls when the attempt has ended; absent: nowhere. */
    readonly callbackUrl?: string;
    /** What its session requests from the simulated buyer as soon as the attempt starts. */
    readonly outcome?: SandboxOutcome;
  };
  open: Record<string, never>;
  /** After the end (declined, cancelled, expired) money comes from sandbox control, not from the buyer's
   *  page. */
  pay: Record<string, never>;
  /** `reason`: used where the protocol has a field for it. */
  decline: { readonly reason?: 'insufficient_funds' };
  cancel: Record<string, never>;
  /** A refund call has arrived, whatever is answered to it: the ledger counts it. */
  refundCalled: Record<string, never>;
  /** null: everything that is left. Answers detail `{amount}`. A refund call (`system`), or the merchant at
   *  the provider's portal. */
  refund: { readonly amount: Paisa | null };
  lifeEnds: { readonly key: string };
  /** One request and answer, for the control route's log; the newest 100 are kept. `shows`: the answer
   *  contained the payment's state, so the next look-up is a later one. */
  record: {
    readonly call: SimulatedCall;
    readonly request: string;
    readonly response: string;
    readonly shows?: boolean;
  };
  /** A simulated buyer acts at this instant of the project's clock; a later plan replaces one that has not
   *  started. */
  plan: { readonly outcome: SandboxOutcome; readonly at: Instant };
  planDue: { readonly key: string };
  /** The result of the play with this number. */
  played: { readonly how: Played; readonly play: number };
  /** `key` is the number of an interrupted play: the buyer continues. */
  playAgain: { readonly key: string };
  /** What came of a try of the provider's call with this number. `waitMs`: of one that is held back. */
  calledBack: { readonly call: number; readonly how: CalledBack; readonly waitMs?: DurationMs };
  /** `key` is the number of a call to be tried again. */
  callAgain: { readonly key: string };
  /** The project's simulator is reset: this payment becomes unknown. */
  forget: Record<string, never>;
}

/** `not_possible`: the payment has ended, or was decided otherwise. `interrupted`: something did not
 *  answer, so it is not known how far the buyer came. */
export type Played = 'played' | 'not_possible' | 'interrupted';

/** `taken`: answered with 200. `refused`: anything else, so it is tried again. `later`: it is held back. `never`: it
 *  is not sent at all. */
export type CalledBack = 'taken' | 'refused' | 'later' | 'never';

/** A call of the provider's server that is under way. */
export interface Callback {
  readonly number: number;
  /** Tries so far. */
  readonly tries: number;
  /** It has been held back before, and is not again. */
  readonly held: boolean;
}

/** A requested outcome that has not been reached yet. */
export interface Play {
  /** Grows with each play of the payment. */
  readonly number: number;
  readonly outcome: SandboxOutcome;
  readonly since: Instant;
  /** How often it was interrupted. */
  readonly interruptions: number;
}

export interface SimulatedPaymentEffects {
  /** Act as the buyer: log in, press the button, return. Another run continues where the previous one was
   *  interrupted. */
  'buyer.play': {
    readonly paymentId: string;
    readonly sessionId: string;
    readonly outcome: SandboxOutcome;
    readonly play: number;
    readonly since: Instant;
    readonly interruptions: number;
    /** No later play has started: this one's faults apply to the payment. */
    readonly newest: boolean;
  };
  /** The provider's server calls ours. */
  'callback.send': { readonly paymentId: string; readonly call: number; readonly held: boolean };
}

export interface LogEntry {
  readonly at: Instant;
  readonly call: SimulatedCall;
  readonly request: string;
  readonly response: string;
}

/** The fields common to every status of a simulated payment. */
export interface SimulatedFields {
  readonly provider: Provider;
  readonly sessionId: string;
  readonly amount: Paisa;
  readonly handle: string;
  readonly returnUrl: string;
  readonly title: string;
  readonly lifeEndsAt: Instant | null;
  readonly failureUrl?: string;
  readonly lifeOnceOpenMs?: DurationMs;
  readonly callbackUrl?: string;
  /** The newest call of the provider's server; absent: none is under way. */
  readonly callback?: Callback;
  /** How many have begun so far; absent means none. */
  readonly callbacksBegun?: number;
  readonly refunded: Paisa;
  /** Refund calls received so far; absent means none. */
  readonly refundCalls?: number;
  /** Look-ups that returned the state since it last changed. */
  readonly lookupsShown: number;
  readonly planned: SandboxOutcome | null;
  /** In the order in which they started; absent means none. */
  readonly plays?: readonly Play[];
  /** How many have started so far. */
  readonly playsBegun?: number;
  /** Why it was declined, when the buyer's bank gives a reason. */
  readonly declinedFor?: 'insufficient_funds';
  /** Oldest first. */
  readonly log: readonly LogEntry[];
}

export type SimulatedPaymentState = SimulatedFields & { readonly status: SimulatedStatus };

export interface SimulatedPaymentTypes extends ActorTypes {
  state: { [S in SimulatedStatus]: SimulatedFields & { readonly status: S } }[SimulatedStatus];
  terminal: never;
  commands: SimulatedPaymentCommands;
  effects: SimulatedPaymentEffects;
}

export interface Fault {
  readonly provider: Provider;
  readonly call: SimulatedCall | 'any';
  readonly kind: FaultKind;
  /** null = all references. */
  readonly reference: string | null;
  /** null = until cleared. */
  readonly times: number | null;
  readonly delayMs: number;
  readonly value: string | number | null;
  /** Removed at this instant of the project's clock; set by outcomes, not by the control route. */
  readonly until?: Instant;
}

export interface SimulatorCommands {
  /** Replaces all faults. */
  setFaults: { readonly faults: readonly Fault[] };
  /** Adds faults (sandbox outcomes). `instead`: faults set only for this reference are removed first: those
   *  of its refund call when the new ones are about that call, otherwise those of its other calls. */
  addFaults: { readonly faults: readonly Fault[]; readonly instead?: string };
  /** The faults that apply to this call now, with their counts reduced. */
  takeFaults: Answering<
    { readonly provider: Provider; readonly call: SimulatedCall; readonly reference: string },
    { readonly faults: readonly Fault[] }
  >;
  /** A fault of a kind that waits for its moment was shown: reduces its count. */
  spendFault: { readonly provider: Provider; readonly kind: FaultKind; readonly reference: string };
}

export type SimulatorState = { readonly status: 'ready'; readonly faults: readonly Fault[] };

export interface SimulatorTypes extends ActorTypes {
  state: SimulatorState;
  terminal: never;
  commands: SimulatorCommands;
  effects: Record<never, never>;
}
