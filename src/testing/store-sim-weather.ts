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
  /** How far a single member may be behind; felt only by who asks one member alone. */
  behindMsMax: DurationMs;
  /** How long a write that got lost stands at a primary without majority before it is rolled back. */
  forkedMsMax: DurationMs;
  /** An update whose sender died may arrive this late: long after the tombstone of its document was purged. */
  ancientMsMax: DurationMs;
  /** How long a tombstone is kept; longer than any creation is on its way. */
  tombstoneMs: DurationMs;
  /** Chance that a registration arrives a second time, as what a driver sends again does, and how much later. */
  repeated: number;
  repeatedMsMax: DurationMs;
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
  behindMsMax: 0,
  forkedMsMax: 0,
  ancientMsMax: 0,
  tombstoneMs: 24 * 3_600_000,
  repeated: 0,
  repeatedMsMax: 0,
  awayUntil: 0,
  fullUntil: 0,
};
