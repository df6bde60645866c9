/** What a checkout session understands, keeps and asks to be done outside. */
import { address, type Address, type Json } from '../../src/runtime/actor.ts';
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
  readonly returnUrl: string;
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
}

export type StartAnswer =
  | {
      readonly outcome: 'started';
      readonly instructions: Instructions;
      /** What a look-up of this attempt is asked with and must answer with (wallet_b: its pidx). Internal. */
      readonly lookupReference: string;
      readonly providerExpiresAt: Instant | null;
    }
  /** Refused or unanswered: nobody holds its instructions, so no money can follow. */
  | { readonly outcome: 'failed'; readonly message: string };

export type LookupOutcome =
  | 'paid' | 'pending' | 'failed' | 'cancelled' | 'expired'
  | 'refunded' | 'partially_refunded' | 'ambiguous' | 'not_found';

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
  readonly httpStatus: number | null;
  readonly durationMs: DurationMs;
  /** The answer as it came, keys, tokens and PINs blanked, at most 2 KiB. */
  readonly raw: string | null;
}

/** Why a look-up is made; `lastLook` is the one at `expires_at`, `switch` the one before another start. */
export type LookupCause = 'poll' | 'buyer_return' | 'provider_callback' | 'lastLook' | 'switch' | 'late';

export interface SessionCommands {
  /** Creates the session, `pending`. */
  open: { readonly order: Order; readonly expiresAt: Instant };
  /** The buyer (or sandbox control) picks a provider; `paymentId` was minted at the door, in the session's slot. */
  start: { readonly paymentId: string; readonly provider: Provider; readonly variant: 'web' | null };
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
  // What effects and timers bring.
  startAnswered: { readonly paymentId: string; readonly answer: StartAnswer; readonly durationMs: DurationMs };
  lookupAnswered: { readonly paymentId: string; readonly cause: LookupCause; readonly answer: LookupAnswer };
  pollDue: { readonly key: string };
  expiryReached: { readonly key: string };
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
    readonly cause: LookupCause;
  };
}

/** Refusals of a session, beside the runtime's `not_found`. */
export type SessionRefusal = 'invalid_state' | 'attempts_exhausted';
