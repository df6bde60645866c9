/** The commands and the state of a payment link. */
import type { Paisa } from '../../src/kernel/money.ts';
import type { Instant } from '../../src/kernel/time.ts';
import { address, type ActorTypes, type Address, type TellRefused } from '../../src/runtime/model/actor.ts';
import type { Order } from '../checkout-session/order.ts';
import type { Metadata } from '../metadata.ts';

export const paymentLinkAt = (id: string): Address<PaymentLinkCommands> => address('payment_link', id);

/** What the merchant sets, validated at the gateway. */
export interface LinkRequest {
  readonly name: string;
  readonly description: string | null;
  /** null: the buyer enters one between `minAmount` and `maxAmount`, which are null otherwise. */
  readonly amount: Paisa | null;
  readonly minAmount: Paisa | null;
  readonly maxAmount: Paisa | null;
  /** null: no limit. */
  readonly maxUses: number | null;
  readonly expiresAt: Instant | null;
  /** null: our own thank-you page. */
  readonly returnUrl: string | null;
  readonly collectAddress: boolean;
  readonly metadata: Metadata;
}

/** Absent: unchanged. `metadata` merges by key, and null deletes a key. */
export type LinkChange = Partial<
  Pick<LinkRequest, 'name' | 'description' | 'maxUses' | 'expiresAt' | 'returnUrl' | 'metadata'>
> & { readonly active?: boolean };

export interface PaymentLinkCommands {
  open: LinkRequest & { readonly referenceId: string; readonly url: string };
  /** Refuses `invalid_state` for `active: true` at a limit, and `metadata_too_many_keys`. */
  change: LinkChange;
  /** A buyer wants to pay: reserves one use and opens the session. The gateway created `sessionId`; a repeat
   *  with the same one reserves nothing more. `amount`: what the buyer entered. Refuses `invalid_state`
   *  unless the link is active, `all_uses_reserved`, and `amount_out_of_range`. */
  reserve: { readonly sessionId: string; readonly amount: Paisa | null; readonly checkoutUrl: string };
  // Sent by sessions of the link.
  /** The session succeeded, once per session. `held`: the reservation it still had; null: it had ended
   *  before, and the money came late. */
  sessionPaid: { readonly paymentId: string; readonly held: Instant | null };
  /** The session ended without money, or was open already when it was opened again. */
  sessionOver: { readonly held: Instant };
  /** The session could not be opened. */
  sessionRefused: TellRefused;
  // Sent by timers.
  expiryReached: { readonly key: string };
  /** No session of the oldest reservations can still report. */
  holdsOver: { readonly key: string };
}

/** What opens a session: the data of the tell that `reserve` sends. */
export interface LinkedOrder extends Order {
  readonly link: NonNullable<Order['link']>;
}

/** Reservations made within one hour. They are counted, not listed: a link of any popularity is one small
 *  document. */
export interface Holds {
  /** The beginning of the hour; named by the sessions when they report. */
  readonly since: Instant;
  readonly count: number;
}

export const linkStatuses = ['active', 'inactive', 'expired', 'completed'] as const;
export type LinkStatus = (typeof linkStatuses)[number];

export interface LinkFields extends LinkRequest {
  readonly referenceId: string;
  readonly url: string;
  readonly usedCount: number;
  /** Oldest first. */
  readonly held: readonly Holds[];
  /** The sessions opened last, so that a form submitted twice reserves once. */
  readonly recent: readonly string[];
  readonly sequence: number;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export type LinkState = { [S in LinkStatus]: LinkFields & { readonly status: S } }[LinkStatus];

export interface PaymentLinkTypes extends ActorTypes {
  state: LinkState;
  terminal: never;
  commands: PaymentLinkCommands;
  effects: Record<never, never>;
}
