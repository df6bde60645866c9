/** The state of a checkout session, by status. */
import type { Instant } from '../../src/kernel/time.ts';
import type { Provider } from '../../src/providers/answers.ts';
import type { ActorTypes } from '../../src/runtime/model/actor.ts';
import type { Payment } from './attempt.ts';
import type { KeyedRequest, SessionCommands, SessionEffects } from './commands.ts';
import type { Language } from '../message/messages.ts';
import type { Order, PostalAddress } from './order.ts';
import type { QrEvent } from './qr-events.ts';
import type { Refund } from './refund.ts';

/** The fields common to every status. */
export interface Purchase {
  readonly order: Order;
  /** `order.source`, in a field a list can filter by. */
  readonly source: Order['source'];
  /** As shown: the running or last attempt's; in a redirect flow always the merchant's choice. */
  readonly provider: Provider | null;
  /** Attempts in the order in which they started. */
  readonly payments: readonly Payment[];
  /** Of all its payments, in the order in which they were opened. */
  readonly refunds: readonly Refund[];
  readonly expiresAt: Instant;
  readonly customerAddress: PostalAddress | null;
  /** Of the browser in which the buyer started the last attempt; absent when no browser did. */
  readonly language?: Language;
  /** The QR text of a Direct-QR session; null for every other session. */
  readonly qrMessage: string | null;
  /** A Direct-QR session's own log, oldest first, `n` = 1, 2, ...; empty for every other session. There is
   *  at most one `qr.scanned`, and it comes first; `qr.expired` may be followed by the `qr.paid` of late
   *  money. */
  readonly qrLog: readonly QrEvent[];
  /** The Idempotency-Key that created it; absent: none, or the key has a record of its own. */
  readonly keyed?: KeyUse;
  readonly sequence: number;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** One life of an Idempotency-Key. */
export interface KeyUse extends Omit<KeyedRequest, 'ended'> {
  /** On the project's clock; from then on the key is new. */
  readonly endsAt: Instant;
  /** Only in the first session of a key: the number of the last one. Absent: it is this one. */
  readonly latest?: number;
}

/** The session waits for a fresh look-up of the running payment: the last one at `expires_at`, the last one
 *  of an attempt whose time is up, or the one before another attempt. `looks`: its count when the wait
 *  began; an answer to an earlier look-up is not fresh. */
export type Waiting = {
  readonly since: Instant;
  readonly looks: number;
  /** The same count of the other leg; absent when there is none. */
  readonly otherLooks?: number;
} & (
  | { readonly is: 'lastLook' | 'attemptEnd' }
  | {
      readonly is: 'switch';
      readonly paymentId: string;
      readonly provider: Provider;
      /** The buyer has asked for the web. */
      readonly webOnly?: true;
    }
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
  /** The money arrived after the session had ended without it. */
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

/** A Direct-QR session whose provider has not answered yet. It is hidden: it has no source, so no list
 *  finds it and no route shows it. */
export type HiddenSession = Omit<Purchase, 'source'> & {
  readonly status: 'hidden';
  readonly source: null;
  readonly running: string;
  /** The provider has refused our credentials: nothing will come of it. Kept for whoever has asked. */
  readonly startRefused?: true;
};

export interface CheckoutSession extends ActorTypes {
  state: SessionState | HiddenSession;
  terminal: 'success' | 'failed' | 'cancelled' | 'expired';
  commands: SessionCommands;
  effects: SessionEffects;
}
