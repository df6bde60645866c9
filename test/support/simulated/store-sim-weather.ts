/** The faults between a process and the simulated store, as numbers. */
import type { DurationMs, Instant } from '../../../src/kernel/time.ts';

/** The behaviour of the store; the simulation changes it while it runs. Probabilities are 0 to 1, per
 *  request. */
export interface Weather {
  /** One-way latency, with an occasional slow message. */
  latencyMsMin: DurationMs;
  latencyMsMax: DurationMs;
  /** The request arrives and its answer is lost. */
  silent: number;
  /** The request never arrives. */
  lost: number;
  /** The request arrives long after its sender gave up. */
  late: number;
  lateMsMax: DurationMs;
  /** Part of a batch never arrives. */
  cut: number;
  /** The store refuses everything and has written nothing, as with a full disk or a lock. */
  refused: number;
  /** A read is answered only after `stallMsMax`, or fails. */
  stall: number;
  stallMsMax: DurationMs;
  /** How long a sender waits for an answer before it returns `unknown`, or a read rejects. */
  answerMsMax: DurationMs;
  /** How far a single member may lag behind; this affects only reads from one member. */
  behindMsMax: DurationMs;
  /** How long a lost write stays at a primary without majority before it is rolled back. */
  forkedMsMax: DurationMs;
  /** An update whose sender died may arrive this late: long after the tombstone of its document was purged. */
  ancientMsMax: DurationMs;
  /** How long a tombstone is kept; longer than any creation is in transit. */
  tombstoneMs: DurationMs;
  /** Probability that a registration arrives a second time, like a driver's retry, and how much later. */
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
