/** One attempt with one provider: a payment, and the look-ups that find out what became of it. */
import type { Instructions, Provider, Seen } from '../../src/providers/answers.ts';
import type { Paisa } from '../../src/kernel/money.ts';
import type { Instant } from '../../src/kernel/time.ts';

/** Why a look-up is made; `lastLook` is the one at `expires_at`, `attemptEnd` the one when a code's own time is up,
 *  `switch` the one before another start, `operator` the one of a review. */
export type LookupCause =
  | 'poll'
  | 'buyer_return'
  | 'provider_callback'
  | 'provider_socket'
  | 'lastLook'
  | 'attemptEnd'
  | 'switch'
  | 'late'
  | 'operator';

/** `refunded` will join when refunds do. */
export type PaymentStatus = 'pending' | 'processing' | 'success' | 'failed' | 'cancelled';

export type FailureCode =
  | 'declined'
  | 'insufficient_funds'
  | 'user_cancelled'
  | 'session_expired'
  | 'attempt_expired'
  | 'superseded'
  | 'provider_error'
  | 'provider_timeout'
  | 'amount_mismatch'
  | 'signature_invalid';

/** Shown as `failureCode` and `failureReason`. */
export interface Failure {
  readonly code: FailureCode;
  readonly reason: string;
}

/** When a payment is looked up: while the buyer may pay it, after it was closed, after the session's end. */
export type LookPhase = 'running' | 'closed' | 'over';

/** The look-ups of one payment: at most one in flight, the next one's time, the place in its schedule. */
export interface Look {
  /** Why the one in flight was asked; null when none is. */
  readonly asked: LookupCause | null;
  /** When the latest was asked. */
  readonly askedAt: Instant | null;
  /** How many were asked so far. */
  readonly count: number;
  /** A hint that the next look-up must follow soon. */
  readonly again: LookupCause | null;
  /** Hints heard so far; none when left out. */
  readonly hints?: number;
  /** When its timer fires; null while one is in flight and when the schedule has ended. */
  readonly dueAt: Instant | null;
  readonly phase: LookPhase;
  readonly since: Instant;
  /** Look-ups of this phase's schedule that were asked. */
  readonly step: number;
}

/** Why a payment is, or was, under review. */
export interface Review {
  /** What was found, in words; empty when the provider has given a clear word since it was dismissed. */
  readonly doubt: string;
  /** An operator has ended it: the same doubt again opens no other. */
  readonly dismissed: boolean;
}

/** One attempt with one provider. */
export interface Payment {
  readonly id: string;
  readonly provider: Provider;
  readonly status: PaymentStatus;
  readonly providerRef: string | null;
  readonly traceId: string | null;
  readonly failure: Failure | null;
  readonly refundedAmount: Paisa;
  readonly fee: Paisa | null;
  readonly late: boolean;
  readonly duplicate: boolean;
  readonly needsReview: boolean;
  readonly sequence: number;
  readonly paidAt: Instant | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  // Never shown outside.
  /** Why it was closed; what `failure` goes back to when a review is over. */
  readonly closedFor: Failure | null;
  readonly start: 'asked' | 'answered' | 'failed';
  /** Only while it runs: a closed attempt is handed to nobody. */
  readonly instructions: Instructions | null;
  /** null until the provider answered the start: nothing to look up. */
  readonly lookupReference: string | null;
  readonly providerExpiresAt: Instant | null;
  /** Where the provider tells what happens to it; null where it tells nothing. */
  readonly socketUrl: string | null;
  /** The buyer came back from it. */
  readonly returned: boolean;
  /** Absent while there is nothing of it. */
  readonly seen?: Seen;
  /** Absent while nothing has been doubtful about it. */
  readonly review?: Review;
  /** The provider has said what became of it; without that it needs a review in the end. */
  readonly clear: boolean;
  readonly look: Look;
}
