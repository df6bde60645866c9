/** What can go wrong between a process and the simulated store, in numbers. */
import type { DurationMs, Instant } from '../kernel/time.ts';

/** How the store behaves; the simulation changes it while it runs. Chances are 0 to 1, per request. */
export interface Weather {
  /** One way on the wire, and the odd slow one. */
  latencyMsMin: DurationMs;
  latencyMsMax: DurationMs;
  /** The request arrives and is answered into the void. */
  silent: number;
  /** The request never arrives. */
  lost: number;
  /** The request arrives long after its sender gave up. */
  late: number;
  lateMsMax: DurationMs;
  /** Part of a batch never arrives. */
  cut: number;
  /** The store says no to all of it and has written nothing, as a full disk or a lock does. */
  refused: number;
  /** A read is answered only after `stallMsMax`, or fails. */
  stall: number;
  stallMsMax: DurationMs;
  /** How long a sender waits for an answer before it says `unknown`, or a read rejects. */
  answerMsMax: DurationMs;
  /** Nothing arrives before this instant. */
  awayUntil: Instant;
  /** Every write sent before this instant is refused. */
  fullUntil: Instant;
}

export const calmWeather: Readonly<Weather> = {
  latencyMsMin: 1,
  latencyMsMax: 4,
  silent: 0,
  lost: 0,
  late: 0,
  lateMsMax: 0,
  cut: 0,
  refused: 0,
  stall: 0,
  stallMsMax: 0,
  answerMsMax: 5000,
  awayUntil: 0,
  fullUntil: 0,
};
