/** The commands a checkout session accepts, and the effects it requests. */
import type { Paisa } from '../../src/kernel/money.ts';
import type {
  Booking,
  LookupAnswer,
  Provider,
  RefundAnswer,
  Seen,
  StartAnswer,
} from '../../src/providers/answers.ts';
import type { LookupCause, SignedAmount } from './attempt.ts';
import type { DurationMs, Instant } from '../../src/kernel/time.ts';
import { address, type Address, type Answering, type TellRefused } from '../../src/runtime/model/actor.ts';
import type { Language } from '../message/messages.ts';
import type { LinkedOrder } from '../payment-link/messages.ts';
import type { Order, PostalAddress } from './order.ts';
import type { RefundRequest } from './refund.ts';

export const checkoutSessionAt = (id: string): Address<SessionCommands> => address('checkout_session', id);

/** What a request with an Idempotency-Key says of it. */
export interface KeyedRequest {
  /** SHA-256 hex of the canonical body. */
  readonly hash: string;
  /** Derived from scope and key; finds the sessions of the key. */
  readonly tag: string;
  /** The number of this session among those of the key: one for each life of the key. */
  readonly generation: number;
  /** The highest number whose life is known to be over; 0: none. */
  readonly ended: number;
  readonly request: string;
  /** The newest version of the API, in which views are built, and the version that the client is answered in. */
  readonly written: string;
  readonly version: string;
}

/** `created`: by this very request. `replay`: answer what the first request was answered. `reused`: the key was
 *  used with another body. `next`: the life of this number is over, and the session of that number is the one to
 *  ask. `over`: the life of this number is over; the first session knows the next number. */
export type KeyedAnswer =
  | { readonly is: 'created' | 'replay' | 'reused' | 'over' }
  | { readonly is: 'next'; readonly generation: number };

export interface SessionCommands {
  /** Creates the session, `pending`. */
  open: { readonly order: Order; readonly lifeMs: DurationMs };
  /** The same for a request with an Idempotency-Key; the id is derived from the key. A session that is there
   *  already tells what to answer, and changes only the number of the key's next session. */
  openKeyed: Answering<
    { readonly order: Order; readonly lifeMs: DurationMs; readonly key: KeyedRequest },
    KeyedAnswer
  >;
  /** The same for a payment link, which has reserved a use for it. A session that is there already gives
   *  that use back. */
  openByLink: { readonly order: LinkedOrder; readonly lifeMs: DurationMs };
  /** Creates a Direct-QR session and its single payment together, hidden until the provider has answered;
   *  the gateway created `paymentId`. A session that cannot be opened is deleted: nothing is kept. */
  openDirectQr: { readonly order: Order; readonly paymentId: string; readonly lifeMs: DurationMs };
  /** The buyer (or sandbox control) picks a provider; the gateway created `paymentId` in the session's
   *  slot. Answers the attempt to watch, which may be another one (page.ts). */
  start: Answering<
    {
      readonly paymentId: string;
      readonly provider: Provider;
      readonly variant: 'web' | null;
      /** The address entered on the hosted page (`collectAddress`). */
      readonly customerAddress?: PostalAddress | null;
      /** Of the buyer's browser. */
      readonly language?: Language;
    },
    { readonly paymentId: string }
  >;
  /** A return, callback, socket message or scan: look up now. */
  hint: {
    readonly paymentId: string;
    readonly from: 'return' | 'callback' | 'socket' | 'scan';
    readonly says: 'paid' | 'failed' | 'cancelled' | 'unknown';
    readonly verified: boolean;
    readonly summary: string;
    /** The leg of the payment it is about; absent: the web. */
    readonly leg?: 'intent';
    readonly told?: SignedAmount;
  };
  /** The buyer leaves the page and goes back to the shop. */
  cancel: Record<string, never>;
  expire: Record<string, never>;
  /** A person ends a review: `accept` looks up the payment once more, and an equal answer makes it paid; `keep` and
   *  `refund` look it up, too, and take exactly `amount`, which is not what was asked for (other-amount.ts); `dismiss`
   *  leaves the payment unchanged. All but `dismiss` answer `lookupCount`: the count of their look-up. `who`: the
   *  login; absent: the operator. Refuses `review_changed` for less than an invoice asks for. */
  endReview: Answering<
    ReviewEnding & { readonly paymentId: string; readonly who?: string },
    { readonly lookupCount?: number }
  >;
  /** A person has a payment under review looked up at once. */
  lookUpNow: Answering<
    { readonly paymentId: string; readonly who: string },
    { readonly lookupCount: number }
  >;
  /** Opens a refund; the gateway created `id` in the session's slot. Refuses `payment_not_refundable`,
   *  `amount_exceeds_refundable` with what `remaining` allows, and `refund_limit_reached`. */
  refund: RefundRequest & { readonly paymentId: string };
  /** The merchant has refunded it in the provider's portal. */
  completeRefund: { readonly refundId: string; readonly notes: string | null };
  /** The merchant gives it up; its amount can be refunded again. */
  cancelRefund: { readonly refundId: string; readonly notes: string | null };
  /** One more look-up, if the run of this instant has not made it yet. */
  reconcile: { readonly paymentId: string; readonly run: Instant };
  /** The provider's fee, as its statement says. */
  recordFee: { readonly paymentId: string; readonly fee: Paisa };
  // Sent by the subscription whose invoice it is.
  /** What verified money pays: the invoice, or as a duplicate nothing. */
  claimed: { readonly paymentId: string; readonly duplicate: boolean };
  /** There is no such subscription. */
  claimRefused: TellRefused;
  // Sent by effects and timers.
  refundAnswered: RefundAnswered;
  startAnswered: {
    readonly paymentId: string;
    readonly answer: StartAnswer;
    readonly durationMs: DurationMs;
  };
  lookupAnswered: {
    readonly paymentId: string;
    /** Absent: the web. */
    readonly leg?: 'intent';
    readonly cause: LookupCause;
    readonly answer: LookupAnswer;
  };
  /** What the provider answered to the cancellation of a booking. Only look-ups decide what became of it. */
  bookingCancelled: {
    readonly paymentId: string;
    readonly done: boolean;
    readonly durationMs: DurationMs;
  };
  /** Whether we are connected to the provider's socket; polling continues in either case. */
  listening: { readonly paymentId: string };
  pollDue: { readonly key: string };
  expiryReached: { readonly key: string };
  /** The three minutes of a QR attempt are over, while its session continues. */
  attemptOver: { readonly key: string };
  /** The last look-up or the switch look-up got no answer in time. */
  lookupTimedOut: { readonly key: string };
  /** A refund of this payment waits for proof. */
  refundLookupDue: { readonly key: string };
}

/** What a person does with a payment under review. */
export type ReviewEnding = { readonly reason: string } & (
  | { readonly how: 'accept' | 'dismiss' }
  | { readonly how: 'keep' | 'refund'; readonly amount: Paisa }
);

/** The effect `provider.refund`: the one call of a refund. */
export interface RefundCall {
  readonly refundId: string;
  readonly paymentId: string;
  readonly provider: Provider;
  /** Of the refund. */
  readonly amount: Paisa;
  /** It covers the whole payment, and no refund succeeded before. */
  readonly full: boolean;
  readonly providerRef: string | null;
  readonly lookupReference: string;
  readonly mobileNumber: string | null;
}

/** The command `refundAnswered`: what the provider answered to a `RefundCall`. */
export interface RefundAnswered {
  readonly refundId: string;
  readonly answer: RefundAnswer;
}

export interface SessionEffects {
  'provider.refund': RefundCall;
  'provider.start': {
    readonly paymentId: string;
    readonly provider: Provider;
    readonly amount: Paisa;
    readonly order: Order;
    /** Not in the provider's app, whatever the project's settings say. */
    readonly webOnly?: true;
  };
  /** Cancels the booking of an attempt that goes on elsewhere. Best effort: it may be paid all the same. */
  'provider.cancel': {
    readonly paymentId: string;
    readonly provider: Provider;
    readonly booking: Booking;
  };
  'provider.lookup': {
    readonly paymentId: string;
    readonly provider: Provider;
    readonly amount: Paisa;
    readonly lookupReference: string;
    /** Absent: the web. */
    readonly leg?: 'intent';
    readonly providerExpiresAt: Instant | null;
    readonly seen?: Seen;
    readonly cause: LookupCause;
    /** The socket to listen to while the attempt is polled; null or absent: there is none. */
    readonly socketUrl?: string | null;
  };
  /** Opens the provider's socket from our server and returns at once; messages on it arrive as `hint`.
   *  Look-ups repeat `socketUrl`, so that the next owner listens too. */
  'provider.listen': {
    readonly paymentId: string;
    readonly provider: Provider;
    readonly lookupReference: string;
    readonly socketUrl: string;
  };
}
