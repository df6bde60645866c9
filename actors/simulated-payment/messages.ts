/** The sandbox's other side: what a provider knows of one payment, and a project's faults. */
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

/** Its id is the payment's, so any node finds it from the wire. */
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

/** What the sandbox may ask a simulated buyer to do. */
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
  /** A start call: the same again for a reference already known. */
  register: {
    readonly provider: Provider;
    readonly sessionId: string;
    readonly amount: Paisa;
    /** What the wire hands out (wallet_b: the pidx, wallet_a: the reference). */
    readonly handle: string;
    readonly returnUrl: string;
    readonly title: string;
    readonly lifeEndsAt: Instant | null;
    /** Where a buyer goes back to without having paid, if that is another address. */
    readonly failureUrl?: string;
    /** A life that begins when the buyer opens it. */
    readonly lifeOnceOpenMs?: DurationMs;
    /** What its session asks the simulated buyer to do as soon as the attempt starts. */
    readonly outcome?: SandboxOutcome;
  };
  open: Record<string, never>;
  /** After the end (declined, cancelled, life over) money comes from sandbox control, not the buyer's page. */
  pay: Record<string, never>;
  /** `reason`: where the wire has words for it. */
  decline: { readonly reason?: 'insufficient_funds' };
  cancel: Record<string, never>;
  /** null: all that is left. Answers detail `{amount}`. */
  refund: { readonly amount: Paisa | null };
  lifeEnds: { readonly key: string };
  /** One wire exchange, for the control door's log; the newest 100 stay. `shows`: the answer told the
   *  payment's state, so the next look-up is a later one. */
  record: {
    readonly call: SimulatedCall;
    readonly request: string;
    readonly response: string;
    readonly shows?: boolean;
  };
  /** A simulated buyer acts at this instant of the project's clock; a later plan replaces one not begun. */
  plan: { readonly outcome: SandboxOutcome; readonly at: Instant };
  planDue: { readonly key: string };
  /** What became of the play of this number. */
  played: { readonly how: Played; readonly play: number };
  /** `key` is the number of a play that was interrupted: the buyer goes on. */
  playAgain: { readonly key: string };
  /** The project's simulator is reset: nobody knows this payment any more. */
  forget: Record<string, never>;
}

/** `not_possible`: the payment is over, or was decided otherwise. `interrupted`: something did not answer, so nobody
 *  knows how far the buyer came. */
export type Played = 'played' | 'not_possible' | 'interrupted';

/** An outcome that was promised and is not reached yet. */
export interface Play {
  /** Grows with each play of the payment. */
  readonly number: number;
  readonly outcome: SandboxOutcome;
  readonly since: Instant;
  /** How often it was interrupted. */
  readonly interruptions: number;
}

export interface SimulatedPaymentEffects {
  /** Be the buyer: log in, press the button, come back. Another run goes on where the one before was interrupted. */
  'buyer.play': {
    readonly paymentId: string;
    readonly sessionId: string;
    readonly outcome: SandboxOutcome;
    readonly play: number;
    readonly since: Instant;
    readonly interruptions: number;
    /** No later play has begun: this one's faults are the payment's. */
    readonly newest: boolean;
  };
}

export interface LogEntry {
  readonly at: Instant;
  readonly call: SimulatedCall;
  readonly request: string;
  readonly response: string;
}

/** What every status of a simulated payment has. */
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
  readonly refunded: Paisa;
  /** Look-ups that were told the state since it last changed. */
  readonly lookupsShown: number;
  readonly planned: SandboxOutcome | null;
  /** In the order of their beginnings; none when left out. */
  readonly plays?: readonly Play[];
  /** How many have begun so far. */
  readonly playsBegun?: number;
  /** Why it was declined, when the buyer's bank says why. */
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
  /** Gone from this instant of the project's clock on; outcomes set it, the control door does not. */
  readonly until?: Instant;
}

export interface SimulatorCommands {
  /** Replaces all faults. */
  setFaults: { readonly faults: readonly Fault[] };
  /** Adds to them (sandbox outcomes). `instead`: those set for this reference alone are gone. */
  addFaults: { readonly faults: readonly Fault[]; readonly instead?: string };
  /** The faults that apply to this call now, counted down. */
  takeFaults: Answering<
    { readonly provider: Provider; readonly call: SimulatedCall; readonly reference: string },
    { readonly faults: readonly Fault[] }
  >;
  /** One of a kind that waits for its moment has had it: counts it down. */
  spendFault: { readonly provider: Provider; readonly kind: FaultKind; readonly reference: string };
}

export type SimulatorState = { readonly status: 'ready'; readonly faults: readonly Fault[] };

export interface SimulatorTypes extends ActorTypes {
  state: SimulatorState;
  terminal: never;
  commands: SimulatorCommands;
  effects: Record<never, never>;
}
