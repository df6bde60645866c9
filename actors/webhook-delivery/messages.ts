/** What one delivery (one event for one endpoint) understands. */
import { address, type Address } from '../../src/runtime/actor.ts';
import { sha256Base32 } from '../../src/kernel/hash.ts';
import { placedBeside } from '../../src/kernel/id.ts';
import type { DurationMs, Instant } from '../../src/kernel/time.ts';

export const webhookDeliveryAt = (id: string): Address<DeliveryCommands> => address('webhook_delivery', id);

/** One event and endpoint have one delivery, whoever makes it; it lives beside its endpoint. */
export const deliveryIdOf = (endpointId: string, eventId: string): string =>
  placedBeside('whd', endpointId, sha256Base32([endpointId, eventId], 24));

export type PostResult =
  /** An HTTP answer, any status. */
  | { readonly is: 'answered'; readonly status: number; readonly body: string; readonly durationMs: DurationMs;
      /** From Retry-After on 429 or 503, at most 24 h; null otherwise. */
      readonly retryAfterMs: DurationMs | null }
  /** No answer: refused address, timeout, reset. `reason` is what the log shows. */
  | { readonly is: 'unanswered'; readonly reason: string; readonly durationMs: DurationMs }
  /** Behind an unended delivery of its object: not sent. */
  | { readonly is: 'held' }
  /** The endpoint is disabled or deleted. */
  | { readonly is: 'no_endpoint' };

export interface DeliveryCommands {
  open: {
    readonly endpointId: string;
    readonly eventId: string;
    readonly eventType: string;
    /** The journal row that holds the body: `<actor>:<eseq>`. */
    readonly journalId: string;
    readonly objectId: string;
    /** Place in the log: the order among deliveries of one object. */
    readonly pos: number;
    /** When the event happened, for the time the log shows. */
    readonly eventAt: Instant;
  };
  /** Result of the POST. `next` names the delivery that waits behind this one, if it may go now. */
  attempted: { readonly result: PostResult; readonly sentAt: Instant; readonly next: string | null };
  retryDue: { readonly key: string };
  /** The one before has ended. */
  go: Record<string, never>;
}

export interface DeliveryEffects {
  'webhook.post': {
    readonly endpointId: string;
    readonly deliveryId: string;
    readonly journalId: string;
    readonly eventId: string;
    readonly objectId: string;
    readonly pos: number;
    /** Goes even if an earlier one of its object is unended (it has waited 60 s). */
    readonly overtakes: boolean;
  };
}
