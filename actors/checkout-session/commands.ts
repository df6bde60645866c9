/** What a checkout session understands, and what it asks to be done outside. */
import type { Paisa } from '../../src/kernel/money.ts';
import type { LookupAnswer, Provider, Seen, StartAnswer } from '../../src/providers/answers.ts';
import type { LookupCause } from './attempt.ts';
import type { DurationMs, Instant } from '../../src/kernel/time.ts';
import { address, type Address, type Answering } from '../../src/runtime/model/actor.ts';
import type { Order, PostalAddress } from './order.ts';

export const checkoutSessionAt = (id: string): Address<SessionCommands> => address('checkout_session', id);

export interface SessionCommands {
  /** Creates the session, `pending`. */
  open: { readonly order: Order; readonly lifeMs: DurationMs };
  /** Creates a Direct-QR session and its one payment together, hidden until the provider has
   *  answered; `paymentId` was minted at the door. What cannot be opened is buried: nothing is kept. */
  openDirectQr: { readonly order: Order; readonly paymentId: string; readonly lifeMs: DurationMs };
  /** The buyer (or sandbox control) picks a provider; `paymentId` was minted at the door, in the session's
   *  slot. Answers the attempt to watch, which may be another one (page.ts). */
  start: Answering<
    {
      readonly paymentId: string;
      readonly provider: Provider;
      readonly variant: 'web' | null;
      /** The address the hosted page asked for (`collectAddress`). */
      readonly customerAddress?: PostalAddress | null;
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
  };
  /** The buyer leaves for the shop. */
  cancel: Record<string, never>;
  expire: Record<string, never>;
  /** An operator ends a review: `accept` asks the provider once more, and an equal answer makes it paid; `dismiss`
   *  leaves the payment as it is. Answers `looks` to an `accept`: its look-up is the one of this count. */
  endReview: Answering<
    { readonly paymentId: string; readonly how: 'accept' | 'dismiss'; readonly reason: string },
    { readonly looks?: number }
  >;
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
  /** A QR attempt of a session that lives on has had its three minutes. */
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
  /** Opens the provider's socket (our server does) and comes back at once; what is heard there comes
   *  as `hint`. Look-ups repeat `socketUrl`, so a successor of the node that listened listens too. */
  'provider.listen': {
    readonly paymentId: string;
    readonly provider: Provider;
    readonly lookupReference: string;
    readonly socketUrl: string;
  };
}
