/** Circuit breaker for providers: stops calling a provider that does not answer, and detects when it
 *  answers again.
 *  Boundary: counts and decides; knows no network, and only the clock passed in.
 *  1. Only a call without a readable answer is a failure; a decline is not.
 *  2. While it is open no call is made; afterwards exactly one probe is sent, and its result decides.
 *  3. Reports from other nodes (breaker-sharing.ts) keep buyers away, but prevent no call. A readable answer
 *     to a call of this node overrides them: a node that alone cannot reach a provider does not keep buyers
 *     away on other nodes for long. */
import type { Scope } from '../runtime/model/address.ts';
import { minutes, seconds, type DurationMs, type Instant } from '../kernel/time.ts';
import type { FailedCalls, Failure } from './answers.ts';

export const failuresInRowMax = 5;
const callsRemembered = 20;
export const windowMs: DurationMs = minutes(1);
export const openMs: DurationMs = seconds(30);
/** Circuits kept; the least recently used one is removed first. */
const circuitsMax = 10_000;

/** `refused`: do not call. Otherwise the caller must report the result when the call has ended. */
export type Admission = 'free' | 'probe' | 'refused';

interface Ended {
  readonly at: Instant;
  /** null: it had a readable answer. */
  readonly failure: Failure | null;
}

type Circuit =
  | {
      readonly is: 'closed';
      readonly ended: readonly Ended[];
      /** Until when another node reported it open; null: no report. */
      readonly reportedUntil: Instant | null;
    }
  | { readonly is: 'open'; readonly until: Instant; readonly probing: boolean };

const closed: Circuit = { is: 'closed', ended: [], reportedUntil: null };
/** The clocks of two nodes differ by less than this; a report with a later time is invalid. */
const reportedAheadMsMax: DurationMs = 2 * openMs;

/** One per provider, project and mode: wrong credentials of one merchant, or faults set by one, affect
 *  nobody else. */
export const circuitOf = (provider: string, scope: Scope): string => `${provider} ${scope}`;

export function partsOf(circuit: string): { readonly provider: string; readonly scope: Scope } {
  const cut = circuit.lastIndexOf(' ');
  return { provider: circuit.slice(0, cut), scope: circuit.slice(cut + 1) as Scope };
}

/** A circuit opened on this node, after these calls, or closed again. */
export type CircuitTurn =
  | {
      readonly is: 'opened';
      readonly at: Instant;
      readonly until: Instant;
      readonly failed: readonly FailedCalls[];
    }
  | { readonly is: 'closed'; readonly at: Instant };

export type Turned = (circuit: string, turn: CircuitTurn) => void;

export class Breakers {
  private readonly circuits = new Map<string, Circuit>();
  private readonly listeners: Turned[] = [];

  /** Calls it each time a circuit opens or closes on this node. */
  onTurn(listener: Turned): void {
    this.listeners.push(listener);
  }

  /** Whether a call may be made now. */
  admit(circuit: string, now: Instant): Admission {
    const state = this.circuits.get(circuit);
    if (state === undefined || state.is === 'closed') return 'free';
    if (now < state.until || state.probing) return 'refused';
    this.keep(circuit, { ...state, probing: true });
    return 'probe';
  }

  /** Reports the end of an admitted call; `failure` is null when it had a readable answer. */
  report(
    circuit: string,
    admission: Exclude<Admission, 'refused'>,
    now: Instant,
    failure: Failure | null,
  ): void {
    const state = this.circuits.get(circuit) ?? closed;
    if (admission === 'probe') {
      if (failure === null) this.close(circuit, now);
      else this.open(circuit, now, [{ at: now, failure }]);
      return;
    }
    // A call from before the circuit opened proves nothing about now.
    if (state.is === 'open') return;
    const ended = [...state.ended, { at: now, failure }].slice(-callsRemembered);
    if (broken(ended, now)) this.open(circuit, now, ended);
    else
      this.keep(circuit, {
        is: 'closed',
        ended,
        reportedUntil: failure === null ? null : state.reportedUntil,
      });
  }

  /** A report of another node: open until then, or closed again (null). This node's own results take
   *  precedence; but when the provider answers another node's probe, the next call here is a probe, too. */
  applyReport(circuit: string, until: Instant | null): void {
    const state = this.circuits.get(circuit) ?? closed;
    if (state.is === 'closed') this.keep(circuit, { ...state, reportedUntil: until });
    else if (until === null) this.keep(circuit, { ...state, until: 0 });
  }

  /** Whether a start would be refused now: the page shows the provider as unavailable. */
  isOpen(circuit: string, now: Instant): boolean {
    const state = this.circuits.get(circuit);
    if (state === undefined) return false;
    if (state.is === 'open') return now < state.until || state.probing;
    const { reportedUntil } = state;
    return reportedUntil !== null && now < reportedUntil && reportedUntil - now <= reportedAheadMsMax;
  }

  /** The circuits that are open now, here or by a report. `nowOf` tells the time of a circuit's scope. */
  openNow(nowOf: (circuit: string) => Instant): readonly string[] {
    return [...this.circuits.keys()].filter((circuit) => this.isOpen(circuit, nowOf(circuit)));
  }

  private open(circuit: string, now: Instant, ended: readonly Ended[]): void {
    const until = now + openMs;
    this.keep(circuit, { is: 'open', until, probing: false });
    this.tell(circuit, { is: 'opened', at: now, until, failed: failedIn(ended) });
  }

  private close(circuit: string, now: Instant): void {
    this.keep(circuit, closed);
    this.tell(circuit, { is: 'closed', at: now });
  }

  private tell(circuit: string, turn: CircuitTurn): void {
    for (const listener of this.listeners) listener(circuit, turn);
  }

  private keep(circuit: string, state: Circuit): void {
    this.circuits.delete(circuit);
    this.circuits.set(circuit, state);
    if (this.circuits.size <= circuitsMax) return;
    const oldest = this.circuits.keys().next();
    if (oldest.done !== true) this.circuits.delete(oldest.value);
  }
}

function broken(ended: readonly Ended[], now: Instant): boolean {
  const row = ended.slice(-failuresInRowMax);
  if (row.length === failuresInRowMax && row.every((call) => call.failure !== null)) return true;
  const failures = ended.filter((call) => call.failure !== null && now - call.at <= windowMs).length;
  return failures >= callsRemembered / 2;
}

/** The failures among these calls: how many of each kind. */
function failedIn(ended: readonly Ended[]): readonly FailedCalls[] {
  const counts = new Map<string, FailedCalls>();
  for (const { failure } of ended) {
    if (failure === null) continue;
    const key = `${failure.call} ${failure.why}`;
    counts.set(key, { ...failure, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  return [...counts.values()];
}
