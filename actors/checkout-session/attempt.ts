/** One attempt with one provider: a payment, and the look-ups that determine its outcome. */
import type { Booking, Instructions, LookupAnswer, Provider, Seen } from '../../src/providers/answers.ts';
import type { Paisa } from '../../src/kernel/money.ts';
import type { Instant } from '../../src/kernel/time.ts';

/** Why a look-up is made: `lastLook` at `expires_at`, `attemptEnd` when a QR code's own time is up,
 *  `switch` before another start, `operator` for a review, `refund` for a refund without an answer,
 *  `daily_lookup` to compare our books with the provider's. */
export type LookupCause =
  | 'poll'
  | 'buyer_return'
  | 'provider_callback'
  | 'provider_socket'
  | 'lastLook'
  | 'attemptEnd'
  | 'switch'
  | 'late'
  | 'operator'
  | 'refund'
  | 'daily_lookup';

/** `refunded`: in full; a part is in `refundedAmount`. */
export type PaymentStatus = 'pending' | 'processing' | 'success' | 'failed' | 'cancelled' | 'refunded';

/** How much of a payment its provider shows as refunded. */
export type RefundShown = 'part' | 'whole';

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

/** The phases in which a payment is looked up: while the buyer may pay it, after it was closed, after the
 *  session's end. */
export type LookupPhase = 'running' | 'closed' | 'over';

/** The look-ups of one payment: at most one in flight, the time of the next, and the position in its
 *  schedule. */
export interface LookupState {
  /** The reason of the look-up in flight; null when there is none. */
  readonly asked: LookupCause | null;
  /** When the latest look-up was requested. */
  readonly askedAt: Instant | null;
  /** How many look-ups were requested so far. */
  readonly count: number;
  /** A hint arrived that requires a look-up soon. */
  readonly again: LookupCause | null;
  /** Hints received so far; absent means none. */
  readonly hints?: number;
  /** When its timer fires; null while a look-up is in flight and when the schedule has ended. */
  readonly dueAt: Instant | null;
  readonly phase: LookupPhase;
  readonly since: Instant;
  /** Look-ups requested so far in the schedule of this phase. */
  readonly step: number;
}

/** Why a payment is, or was, under review. */
export interface Review {
  /** A description of what was found; empty when the provider has given a definite answer since the review
   *  was dismissed. */
  readonly doubt: string;
  /** An operator has ended it: the same doubt does not open another review. */
  readonly dismissed: boolean;
}

/** What a person is told about the latest review of a payment. It decides nothing: `Review` does. */
export interface ReviewRecord {
  readonly since: Instant;
  readonly doubt: string;
  /** The provider's own text, where it is not one we know. */
  readonly word: string | null;
  /** The amount the provider names; null when it names none. */
  readonly amountProvider: Paisa | null;
  /** What was paid under our reference, where that is not what was asked for: the review can be ended with it. Absent:
   *  it was something else that was found, or an older version has found it. */
  readonly otherAmount?: Paisa;
  /** Who has accepted it, until the provider has answered; absent otherwise. */
  readonly accepting?: Person & { readonly money?: MoneyEnding };
  /** Absent while it is open. */
  readonly ended?: ReviewEnd;
}

interface Person {
  readonly by: string;
  readonly reason: string;
}

/** What is done with money of another amount, if the look-up that this decision requests still finds it. */
export interface MoneyEnding {
  readonly how: 'keep' | 'refund';
  readonly amount: Paisa;
  /** The number of that look-up, of each leg. An earlier one says what the person has seen already, a later one
   *  might find what nobody has decided about. */
  readonly looks: { readonly [leg in LegName]?: number };
}

/** `answered`: by a clear answer of the provider, without a person. */
export type ReviewEnd = { readonly at: Instant } & (
  | ({ readonly how: 'accepted' | 'kept' | 'refunded' | 'dismissed' } & Person)
  | { readonly how: 'answered' }
);

/** The ways in which one payment may be paid: in the provider's app, or on its web pages. */
export type LegName = 'intent' | 'web';

/** One way of a payment, with its own reference at the provider and its own look-ups. */
export interface Leg {
  readonly name: LegName;
  /** Only while the attempt runs: a closed attempt gives instructions to no buyer. Of a leg that the buyer has left:
   *  what the buyer goes back to, if the leg that replaced it does not start. */
  readonly instructions: Instructions | null;
  /** null until the provider has answered the start: there is nothing to look up. */
  readonly lookupReference: string | null;
  readonly providerExpiresAt: Instant | null;
  /** The provider has given a definite outcome; without it the payment finally needs a review. */
  readonly clear: boolean;
  /** It does not decide, and the provider has stated that it brings no money; absent: not, or not yet. */
  readonly settled?: true;
  /** The difference that was reported last, while it lasts. */
  readonly differenceReported?: string;
  /** Absent while there is none. */
  readonly seen?: Seen;
  readonly look: LookupState;
}

/** What an answer that proves the money says of it. */
export type MoneyAnswer = Pick<LookupAnswer, 'providerRef' | 'traceId' | 'fee'> & {
  /** What was paid, where a person has taken another amount than was asked for. */
  readonly otherAmount?: Paisa;
};

/** What a provider has signed: the amount that was paid, and the reference it is of. */
export interface SignedAmount {
  readonly reference: string;
  readonly amountPaisa: Paisa | null;
}

/** Verified money of an invoice's session: its subscription decides what it pays, and has not answered yet. */
export interface Claim {
  /** When the look-up has found it. */
  readonly at: Instant;
  readonly brought: MoneyAnswer;
}

/** One attempt with one provider. */
export interface Payment {
  readonly id: string;
  readonly provider: Provider;
  readonly status: PaymentStatus;
  readonly providerRef: string | null;
  readonly traceId: string | null;
  readonly failure: Failure | null;
  /** What was paid; absent: what was asked for, or nothing yet. */
  readonly amountPaid?: Paisa;
  readonly refundedAmount: Paisa;
  readonly fee: Paisa | null;
  readonly late: boolean;
  readonly duplicate: boolean;
  readonly needsReview: boolean;
  readonly sequence: number;
  readonly paidAt: Instant | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  // Internal fields, never shown outside.
  /** Why it was closed; `failure` returns to this when a review ends. */
  readonly closedFor: Failure | null;
  readonly start: 'asked' | 'answered' | 'failed';
  /** The provider's socket that reports on this attempt; null when it has none. */
  readonly socketUrl: string | null;
  /** The buyer returned from the provider. */
  readonly returned: boolean;
  /** The provider has reported that its code was scanned; absent before. */
  readonly scanned?: true;
  /** How the provider has refused it last, while that ends nothing: a code may be scanned again. Absent: it has not. */
  readonly refusedFor?: Failure;
  /** Absent while nothing has been doubtful. */
  readonly review?: Review;
  /** The latest review, for people; absent when there was none, or only with an older version. */
  readonly reviewed?: ReviewRecord;
  /** Absent while the provider has shown no refund of it. */
  readonly refundShown?: RefundShown;
  /** Its money is there as the backup says, and its provider has not said since the restore that none of it is
   *  refunded. Absent: it has, or the payment was found paid since. */
  readonly unchecked?: true;
  /** The daily run that has looked it up last; absent: none. */
  readonly reconciledIn?: Instant;
  /** Of its leg in the app; absent: it never had one. */
  readonly booking?: Booking;
  /** What the provider has signed before its answer to the booking arrived; absent: nothing. */
  readonly toldEarly?: SignedAmount;
  /** The buyer has asked for the web; absent: the start call decides. */
  readonly webOnly?: true;
  /** How often the buyer has left the app for the web, which may fail to start; absent: never. */
  readonly webStarts?: number;
  /** Absent: there is none, or it was answered. */
  readonly claim?: Claim;
  /** The first one decides; of another one only the money counts. At most two. */
  readonly legs: readonly [Leg, ...Leg[]];
}
