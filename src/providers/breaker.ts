/** Stops calling a provider that does not answer, and finds out when it does again.
 *  Boundary: counts and decides; knows no network, and no clock but the one it is given.
 *  1. Only a call without a readable answer is a failure; a decline is none.
 *  2. While open nothing goes out; afterwards exactly one probe does, and its end decides.
 *  3. Other nodes' word for it (breaker-news.ts) keeps buyers away, but holds back no call. A readable answer
 *     of our own is better proof: who alone cannot reach a provider turns nobody away elsewhere for long. */
import { isLive, type Scope } from '../runtime/model/address.ts';
import { minutes, seconds, type DurationMs, type Instant } from '../kernel/time.ts';

export const failuresInRowMax = 5;
export const callsRemembered = 20;
export const windowMs: DurationMs = minutes(1);
export const openMs: DurationMs = seconds(30);
/** Circuits kept; the one unused longest goes first. */
const circuitsMax = 10_000;

/** `refused`: do not call. Anything else must be reported when the call has ended. */
export type Admission = 'free' | 'probe' | 'refused';

interface Ended {
  readonly at: Instant;
  readonly readable: boolean;
}

type Circuit =
  | {
      readonly is: 'closed';
      readonly ended: readonly Ended[];
      /** Another node found it open, until then; null: none did. */
      readonly toldUntil: Instant | null;
    }
  | { readonly is: 'open'; readonly until: Instant; readonly probing: boolean };

const closed: Circuit = { is: 'closed', ended: [], toldUntil: null };
/** Clocks of two nodes differ by less; what is told of a later time is no word of ours. */
const toldAheadMsMax: DurationMs = 2 * openMs;

/** One provider in live; one provider and project in sandbox: a project's faults stop nobody else. */
export const circuitOf = (provider: string, scope: Scope): string =>
  isLive(scope) ? provider : `${provider} ${scope}`;

/** Told of a circuit that opened here until then, or closed again (null). */
export type Turned = (circuit: string, until: Instant | null) => void;

export class Breakers {
  private readonly circuits = new Map<string, Circuit>();
  /** For whoever tells the other nodes. */
  onTurned: Turned | null = null;

  /** Whether a call may go now. */
  admit(circuit: string, now: Instant): Admission {
    const state = this.circuits.get(circuit);
    if (state === undefined || state.is === 'closed') return 'free';
    if (now < state.until || state.probing) return 'refused';
    this.keep(circuit, { ...state, probing: true });
    return 'probe';
  }

  /** How an admitted call ended. */
  report(circuit: string, admission: Exclude<Admission, 'refused'>, now: Instant, readable: boolean): void {
    const state = this.circuits.get(circuit) ?? closed;
    if (admission === 'probe') {
      if (readable) this.close(circuit);
      else this.open(circuit, now);
      return;
    }
    // A call from before it opened says nothing about now.
    if (state.is === 'open') return;
    const ended = [...state.ended, { at: now, readable }].slice(-callsRemembered);
    if (broken(ended, now)) this.open(circuit, now);
    else this.keep(circuit, { is: 'closed', ended, toldUntil: readable ? null : state.toldUntil });
  }

  /** What another node found: open until then, or closed again (null). What was found here counts for more. */
  told(circuit: string, until: Instant | null): void {
    const state = this.circuits.get(circuit) ?? closed;
    if (state.is === 'closed') this.keep(circuit, { ...state, toldUntil: until });
  }

  /** Whether a start would be refused now: the page shows the provider as down. */
  isOpen(circuit: string, now: Instant): boolean {
    const state = this.circuits.get(circuit);
    if (state === undefined) return false;
    if (state.is === 'open') return now < state.until || state.probing;
    const { toldUntil } = state;
    return toldUntil !== null && now < toldUntil && toldUntil - now <= toldAheadMsMax;
  }

  private open(circuit: string, now: Instant): void {
    const until = now + openMs;
    this.keep(circuit, { is: 'open', until, probing: false });
    this.onTurned?.(circuit, until);
  }

  private close(circuit: string): void {
    this.keep(circuit, closed);
    this.onTurned?.(circuit, null);
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
  if (row.length === failuresInRowMax && row.every((call) => !call.readable)) return true;
  const failures = ended.filter((call) => !call.readable && now - call.at <= windowMs).length;
  return failures >= callsRemembered / 2;
}
