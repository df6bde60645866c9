/** The types exchanged between a checkout session and its payment providers: the possible answers of a
 *  start and a look-up, and what a provider claims by itself.
 *  Boundary: types only; the session decides what they mean for the money. */
import type { Paisa } from '../kernel/money.ts';
import type { DurationMs, Instant } from '../kernel/time.ts';

export type { Provider } from './catalog.ts';

/** Where the buyer's browser goes to pay. */
export interface Instructions {
  readonly kind: 'form' | 'redirect' | 'qr' | 'intent';
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly fields: { readonly [name: string]: string };
  /** Only for kind `qr`, whose `url` is empty: the text a bank's app scans, exactly as the provider made
   *  it. */
  readonly qrMessage?: string;
}

/** What the provider calls an attempt that is paid in its app. */
export interface Booking {
  readonly bookingId: string;
  readonly correlationId: string;
}

export type StartAnswer =
  | {
      readonly outcome: 'started';
      readonly instructions: Instructions;
      /** The reference with which this attempt is looked up, and which the answer must repeat (wallet_b:
       *  its pidx). Internal. */
      readonly lookupReference: string;
      readonly providerExpiresAt: Instant | null;
      /** The provider's socket that reports on the attempt; absent when it has none. */
      readonly socketUrl?: string | null;
      /** The attempt is booked in the provider's app; absent: it starts on the web. Internal. */
      readonly booking?: Booking;
    }
  /** Refused or unanswered: no buyer has its instructions, so no payment can follow. */
  | {
      readonly outcome: 'failed';
      readonly message: string;
      /** Its own answer to this call refuses our credentials; of providers with Direct-QR. */
      readonly refused?: true;
    };

export type LookupOutcome =
  | 'paid'
  | 'pending'
  | 'failed'
  | 'cancelled'
  | 'expired'
  | 'refunded'
  | 'partially_refunded'
  | 'ambiguous'
  | 'not_found';

export interface LookupAnswer {
  readonly outcome: LookupOutcome;
  /** False when there was no readable answer; the outcome is then `pending`. */
  readonly answered: boolean;
  /** null when the provider names no amount. */
  readonly amountPaisa: Paisa | null;
  /** The reference as the provider repeats it; null when it does not. */
  readonly reference: string | null;
  readonly providerRef: string | null;
  readonly traceId: string | null;
  readonly failureCode: 'declined' | 'insufficient_funds' | null;
  readonly fee: Paisa | null;
  /** For an ambiguous answer, the provider's own text: printable, redacted like `raw`, at most 100
   *  characters. */
  readonly word?: string;
  /** What is odd about the answer and changes nothing: shown in the payment's timeline, in our own words. */
  readonly note?: string;
  readonly httpStatus: number | null;
  readonly durationMs: DurationMs;
  /** The answer as it arrived, with keys, tokens and PINs redacted, at most 2 KiB. */
  readonly raw: string | null;
}

/** A provider's answer to a refund call. Only look-ups decide after `unknown`; the call is never
 *  repeated. */
export interface RefundAnswer {
  /** `done`: 2xx. `refused`: 4xx. `unknown`: timeout, 5xx, unreadable, or it is not certain that it was
   *  sent. */
  readonly outcome: 'done' | 'refused' | 'unknown';
  /** The provider's own id of the refund, when its answer carries one. */
  readonly providerRefundId: string | null;
  /** For `refused`: the provider's text, printable, at most 500 characters. */
  readonly message: string | null;
  readonly httpStatus: number | null;
  readonly durationMs: DurationMs;
  /** The answer as it arrived, with keys, tokens and PINs redacted, at most 2 KiB. */
  readonly raw: string | null;
}

/** Observations about an attempt that are needed to interpret some provider statuses. */
export interface Seen {
  /** The buyer returned through the address for unpaid attempts. */
  readonly returnedUnpaid: boolean;
  /** A look-up has reported that the provider considers the attempt open. */
  readonly wasPending: boolean;
  /** The amount that a signed callback of the provider names; null: it cannot be read; absent: none
   *  has named one. */
  readonly toldAmount?: Paisa | null;
  /** The money has arrived; absent: it has not. */
  readonly paid?: true;
}

/** The claim of a buyer's return: a reason to look up, never a result. */
export interface ReturnHint {
  readonly hint: 'paid' | 'failed' | 'cancelled' | 'unknown';
  /** Whether the provider signed it and the signature is valid. */
  readonly verified: boolean;
  readonly summary: string;
}

/** A call of a provider's server to our callback address. */
export interface CallbackRequest {
  /** The payment of the address; without one, what `paymentOfCallback` found. */
  readonly paymentId: string;
  /** As it arrived: signatures cover text. */
  readonly body: string;
  /** One header's value by lower-case name, '' when absent. */
  header(name: string): string;
}

/** The claim of a provider's server: a reason to look up, never a result. */
export interface CallbackHint extends ReturnHint {
  /** The leg of the payment it is about; absent: the web. */
  readonly leg?: 'intent';
  /** The amount it says was paid, and the reference it says that of. */
  readonly told?: { readonly reference: string; readonly amountPaisa: Paisa | null };
}

/** A call without a readable answer of the provider. */
export type FailureWhy = 'timeout' | 'connection' | 'too_large' | 'unreadable';

/** `cancel`: of a booking in an app. */
export type CallName = 'start' | 'lookup' | 'refund' | 'cancel';

export interface Failure {
  readonly call: CallName;
  readonly why: FailureWhy;
}

/** Calls of one kind that failed in the same way. */
export interface FailedCalls extends Failure {
  readonly count: number;
}
