/** The sandbox's other side: what a provider knows of one payment (providers 9), and the faults of a project. */
import { address, type Address, type Json, type Scope } from '../../src/runtime/actor.ts';
import type { Paisa } from '../../src/kernel/money.ts';
import type { Instant } from '../../src/kernel/time.ts';
import type { Provider } from '../checkout-session/messages.ts';

/** Its id is the payment's, so any node finds it from the wire. */
export const simulatedPaymentAt = (paymentId: string): Address<SimulatedPaymentCommands> =>
  address('simulated_payment', paymentId);
/** One per sandbox project; its id is the scope. */
export const simulatorAt = (scope: Scope): Address<SimulatorCommands> => address('simulator', scope);

export type SimulatedStatus =
  | 'created' | 'opened' | 'paid' | 'declined' | 'cancelled' | 'ended' | 'partly_refunded' | 'refunded';

export type SimulatedCall = 'start' | 'lookup' | 'refund' | 'cancel' | 'return' | 'callback' | 'socket';

export interface SimulatedPaymentCommands {
  /** A start call: the same again for a reference already known. */
  register: {
    readonly provider: Provider;
    readonly sessionId: string;
    readonly amount: Paisa;
    /** What the wire hands out (wallet_b: the pidx). */
    readonly handle: string;
    readonly returnUrl: string;
    readonly title: string;
    readonly lifeEndsAt: Instant | null;
  };
  open: Record<string, never>;
  pay: Record<string, never>;
  decline: Record<string, never>;
  cancel: Record<string, never>;
  refund: { readonly amount: Paisa | null };
  lifeEnds: { readonly key: string };
  /** One wire exchange, for the control door's log; the newest 100 stay. */
  record: { readonly call: SimulatedCall; readonly request: string; readonly response: string };
}

export interface Fault {
  readonly provider: Provider;
  readonly call: SimulatedCall | 'any';
  readonly kind: string;
  /** null = all references. */
  readonly reference: string | null;
  /** null = until cleared. */
  readonly times: number | null;
  readonly delayMs: number;
  readonly value: string | number | null;
}

export interface SimulatorCommands {
  /** Replaces all faults. */
  setFaults: { readonly faults: readonly Fault[] };
  /** Adds to them (sandbox outcomes). */
  addFaults: { readonly faults: readonly Fault[] };
  /** The faults that apply to this call now, counted down; answers detail `{faults: [...]}`. */
  takeFaults: { readonly provider: Provider; readonly call: SimulatedCall; readonly reference: string };
}

export type LogEntry = { readonly at: Instant; readonly call: SimulatedCall; readonly request: string; readonly response: string };
export type FaultDetail = { readonly faults: readonly { readonly [key: string]: Json }[] };
