/** What a checkout session understands, keeps and asks to be done outside. */
import { address, type ActorTypes, type Address, type Json } from '../../src/runtime/actor.ts';
import type { Paisa } from '../../src/kernel/money.ts';
import type { DurationMs, Instant } from '../../src/kernel/time.ts';

export type Provider = 'wallet_a' | 'wallet_b' | 'qr_a' | 'bank_a' | 'wallet_c';

export const checkoutSessionAt = (id: string): Address<SessionCommands> => address('checkout_session', id);

export interface PostalAddress {
  readonly line1: string;
  readonly line2: string | null;
  readonly city: string;
  readonly state: string | null;
  readonly postalCode: string | null;
  readonly country: string | null;
}

export interface Customer {
  readonly name: string | null;
  readonly email: string | null;
  readonly phone: string | null;
  readonly address: PostalAddress | null;
}

/** What the merchant asked for, checked at the door; the same in every status. */
export interface Order {
  readonly amount: Paisa;
  readonly currency: 'NPR';
  readonly description: string | null;
  /** null for Direct-QR, which has no page to come back from. */
  readonly returnUrl: string | null;
  readonly cancelUrl: string | null;
  readonly collectAddress: boolean;
  readonly customer: Customer | null;
  readonly metadata: { readonly [key: string]: Json };
  readonly flow: 'hosted' | 'redirect';
  /** The provider of a redirect flow, or the one a hosted page preselects. */
  readonly preselected: Provider | null;
  readonly referenceId: string | null;
  readonly source: 'checkout' | 'direct_qr' | 'payment_link' | 'invoice';
  /** Where the buyer opens it, made at the door from BASE_URL. */
  readonly checkoutUrl: string | null;
}

/** Where the buyer's browser goes to pay. */
export interface Instructions {
  readonly kind: 'form' | 'redirect' | 'qr' | 'intent';
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly fields: { readonly [name: string]: string };
  /** Of kind `qr`, whose `url` is empty: the text a bank's app scans, as the provider made it. */
  readonly qrMessage?: string;
}

export type StartAnswer =
  | {
      readonly outcome: 'started';
      readonly instructions: Instructions;
      /** What a look-up of this attempt is asked with and must answer with (wallet_b: its pidx). Internal. */
      readonly lookupReference: string;
      readonly providerExpiresAt: Instant | null;
      /** Where the provider tells what happens to the attempt; left out when it has no such socket. */
      readonly socketUrl?: string | null;
    }
  /** Refused or unanswered: nobody holds its instructions, so no money can follow. */
  | { readonly outcome: 'failed'; readonly message: string };

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
  /** Of an ambiguous answer, the provider's own word: printable, blanked like `raw`, at most 100 characters. */
  readonly word?: string;
  readonly httpStatus: number | null;
  readonly durationMs: DurationMs;
  /** The answer as it came, keys, tokens and PINs blanked, at most 2 KiB. */
  readonly raw: string | null;
}

/** Why a look-up is made; `lastLook` is the one at `expires_at`, `attemptEnd` the one when a code's own time is up,
 *  `switch` the one before another start, `operator` the one of a review. */
export type LookupCause =
  | 'poll'
  | 'buyer_return'
  | 'provider_callback'
  | 'lastLook'
  | 'attemptEnd'
  | 'switch'
  | 'late'
  | 'operator';

export interface SessionCommands {
  /** Creates the session, `pending`. */
  open: { readonly order: Order; readonly lifeMs: DurationMs };
  /** Creates a Direct-QR session and its one payment together (decisions 16), hidden until the provider has
   *  answered; `paymentId` was minted at the door. What cannot be opened is buried: nothing is kept. */
  openDirectQr: { readonly order: Order; readonly paymentId: string; readonly lifeMs: DurationMs };
  /** The buyer (or sandbox control) picks a provider; `paymentId` was minted at the door, in the session's
   *  slot. Answers detail `{paymentId}`: the attempt to watch, which may be another one (page.ts). */
  start: {
    readonly paymentId: string;
    readonly provider: Provider;
    readonly variant: 'web' | null;
    /** The address the hosted page asked for (`collectAddress`). */
    readonly customerAddress?: PostalAddress | null;
  };
  /** A return, callback, socket message or scan: look up now. */
  hint: {
    readonly paymentId: string;
    readonly from: 'return' | 'callback' | 'socket' | 'scan';
    readonly says: 'paid' | 'failed' | 'cancelled' | 'unknown';
    readonly verified: boolean;
    readonly summary: string;
  };
  /** The buyer leaves for the shop. */
  cancel: Record<string, never>;
  expire: Record<string, never>;
  /** An operator ends a review: `accept` asks the provider once more, and an equal answer makes it paid; `dismiss`
   *  leaves the payment as it is. Answers detail `{looks}` to an `accept`: its look-up is the one of this count. */
  endReview: { readonly paymentId: string; readonly how: 'accept' | 'dismiss'; readonly reason: string };
  // What effects and timers bring.
  startAnswered: {
    readonly paymentId: string;
    readonly answer: StartAnswer;
    readonly durationMs: DurationMs;
  };
  lookupAnswered: { readonly paymentId: string; readonly cause: LookupCause; readonly answer: LookupAnswer };
  /** The provider's socket is listened to, or cannot be: polling goes on beside it either way. */
  listening: { readonly paymentId: string };
  pollDue: { readonly key: string };
  expiryReached: { readonly key: string };
  /** A QR attempt of a session that lives on has had its three minutes (decisions 8.6). */
  attemptOver: { readonly key: string };
  /** The last look-up or the switch look-up got no answer in its time. */
  lookOver: { readonly key: string };
}

export interface SessionEffects {
  'provider.start': {
    readonly paymentId: string;
    readonly provider: Provider;
    readonly amount: Paisa;
    readonly order: Order;
  };
  'provider.lookup': {
    readonly paymentId: string;
    readonly provider: Provider;
    readonly amount: Paisa;
    readonly lookupReference: string;
    readonly providerExpiresAt: Instant | null;
    readonly seen?: Seen;
    readonly cause: LookupCause;
    /** Whoever polls a running attempt also listens to this; null, or left out: there is nothing to hear. */
    readonly socketUrl?: string | null;
  };
  /** Opens the provider's socket (our server does, providers 5) and comes back at once; what is heard there comes
   *  as `hint`. Look-ups repeat `socketUrl`, so a successor of the node that listened listens too. */
  'provider.listen': {
    readonly paymentId: string;
    readonly provider: Provider;
    readonly lookupReference: string;
    readonly socketUrl: string;
  };
}

/** Refusals of a session, beside the runtime's `not_found`. */
export type SessionRefusal = 'invalid_state' | 'attempts_exhausted';

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

/** What was seen of an attempt, without which some provider's words cannot be understood. */
export interface Seen {
  /** The buyer came back by the way of those who have not paid. */
  readonly returnedUnpaid: boolean;
  /** A look-up has said that the provider holds the attempt open. */
  readonly wasPending: boolean;
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

/** One event of a Direct-QR session's stream, except `connected` and `ping` (decisions 16). */
export type QrEvent =
  | { readonly n: number; readonly event: 'qr.scanned'; readonly data: QrScanned }
  | { readonly n: number; readonly event: 'qr.paid'; readonly data: QrPaid }
  | { readonly n: number; readonly event: 'qr.expired'; readonly data: QrExpired };

// The keys stand in the order of the wire: `JSON.stringify(data)` is the frame's data.

export interface QrScanned {
  readonly sessionId: string;
  /** ISO 8601, as all times here. */
  readonly scannedAt: string;
}
export interface QrPaid {
  readonly paymentId: string;
  readonly sessionId: string;
  readonly amount: Paisa;
  readonly currency: 'NPR';
  readonly provider: Provider;
  readonly traceId: string | null;
}
export interface QrExpired {
  readonly sessionId: string;
  readonly expiredAt: string;
}

/** What every status of a session has. */
export interface Purchase {
  readonly order: Order;
  /** `order.source`, where a list can filter by it. */
  readonly source: Order['source'];
  /** As shown: the running or last attempt's; of a redirect flow always the merchant's choice. */
  readonly provider: Provider | null;
  /** Attempts in the order of their starts. */
  readonly payments: readonly Payment[];
  readonly expiresAt: Instant;
  readonly customerAddress: PostalAddress | null;
  /** The text of a Direct-QR session's code; null for every other session. */
  readonly qrMessage: string | null;
  /** A Direct-QR session's own log, oldest first, `n` = 1, 2, ...; empty for every other session. A `qr.scanned` is
   *  at most once and first; `qr.expired` may be followed by the `qr.paid` of late money. */
  readonly qrLog: readonly QrEvent[];
  readonly sequence: number;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** The session waits for a fresh look-up of the running payment: the last one at `expires_at`, the last one of an
 *  attempt whose time is up, or the one before another attempt. `looks`: its count when the wait began; an older
 *  answer is not fresh. */
export type Waiting = { readonly since: Instant; readonly looks: number } & (
  | { readonly is: 'lastLook' | 'attemptEnd' }
  | { readonly is: 'switch'; readonly paymentId: string; readonly provider: Provider }
);

export type PendingSession = Purchase & { readonly status: 'pending' };
export type InitiatedSession = Purchase & {
  readonly status: 'initiated';
  readonly running: string;
  readonly waiting: Waiting | null;
};
export type PaidSession = Purchase & {
  readonly status: 'success';
  readonly paidBy: string;
  /** The money came after the session had ended without it. */
  readonly late: boolean;
  readonly endedAt: Instant;
};
export type UnpaidSession = Purchase & {
  readonly status: 'failed' | 'cancelled' | 'expired';
  readonly endedAt: Instant;
};
export type LivingSession = PendingSession | InitiatedSession;
export type EndedSession = PaidSession | UnpaidSession;
export type SessionState = LivingSession | EndedSession;

/** A Direct-QR session whose provider has not answered yet. Outsiders do not see it: it names no source, so no list
 *  finds it and no door shows it. */
export type HiddenSession = Omit<Purchase, 'source'> & {
  readonly status: 'hidden';
  readonly source: null;
  readonly running: string;
};

export interface CheckoutSession extends ActorTypes {
  state: SessionState | HiddenSession;
  terminal: 'success' | 'failed' | 'cancelled' | 'expired';
  commands: SessionCommands;
  effects: SessionEffects;
}
