/** What one delivery (one event for one endpoint) understands. */
import { address, type Address } from '../../src/runtime/model/actor.ts';
import { sha256Base32 } from '../../src/kernel/hash.ts';
import { placedBeside } from '../../src/kernel/id.ts';
import type { DurationMs, Instant } from '../../src/kernel/time.ts';

export const webhookDeliveryAt = (id: string): Address<DeliveryCommands> => address('webhook_delivery', id);

/** One event and endpoint have one delivery, whoever makes it; it lives beside its endpoint. */
export const deliveryIdOf = (endpointId: string, eventId: string): string =>
  placedBeside('whd', endpointId, sha256Base32([endpointId, eventId], 24));

export type PostResult =
  /** An HTTP answer, any status. */
  | {
      readonly is: 'answered';
      readonly status: number;
      /** First 2 KiB. */
      readonly body: string;
      readonly durationMs: DurationMs;
      /** From Retry-After on 429 or 503, at most 24 h; null otherwise. */
      readonly retryAfterMs: DurationMs | null;
    }
  /** No answer: refused address, timeout, reset. `reason` is what the log shows. */
  | { readonly is: 'unanswered'; readonly reason: string; readonly durationMs: DurationMs }
  /** Behind an unended delivery of its object, the nearest of them: not sent. */
  | { readonly is: 'held'; readonly behind: string }
  /** The endpoint takes one delivery at a time just now and it was not this one's turn: not sent. */
  | { readonly is: 'later' }
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
  /** The merchant tries his endpoint: one POST of a sample that stands in no log. */
  test: {
    readonly endpointId: string;
    readonly eventId: string;
    readonly eventType: string;
    /** The body, an envelope marked as a test. */
    readonly sample: string;
  };
  /** Result of the POST. */
  attempted: {
    readonly result: PostResult;
    /** On the project's clock; null when nobody knows. */
    readonly sentAt: Instant | null;
    /** Whether the endpoint held itself for failing when it was read: says which outcome is news to it. */
    readonly endpointFailing: boolean;
  };
  retryDue: { readonly key: string };
  /** The merchant wants one try now, whatever became of the delivery. */
  retry: Record<string, never>;
  /** Another delivery waits for this one's end; it is told `go` then, at once when that has been. */
  awaitEnd: { readonly deliveryId: string };
  /** The one before has ended. */
  go: Record<string, never>;
}

export interface DeliveryEffects {
  'webhook.post': {
    readonly endpointId: string;
    readonly deliveryId: string;
    readonly journalId: string;
    /** Of a test: the body itself. */
    readonly sample?: string;
    readonly eventId: string;
    readonly objectId: string;
    readonly pos: number;
    /** Goes even if an earlier one of its object is unended (it has waited 60 s, or was asked for by hand). */
    readonly overtakes: boolean;
  };
}

interface DeliveryFields {
  readonly endpointId: string;
  readonly eventId: string;
  readonly eventType: string;
  /** Empty of a test. */
  readonly journalId: string;
  /** Of a test: the body itself, sent once. Absent of every other delivery. */
  readonly sample?: string;
  /** Of a test: its endpoint. */
  readonly objectId: string;
  readonly pos: number;
  readonly eventAt: Instant;
  readonly createdAt: Instant;
  /** Tries that went out, answered or not. */
  readonly attempts: number;
  /** Those of them that were asked for by hand: they use up none of the plan. */
  readonly attemptsByHand?: number;
  /** A try asked for by hand is under way, or waits for its turn at the endpoint. */
  readonly byHand?: boolean;
  readonly lastAttemptAt: Instant | null;
  readonly responseStatus: number | null;
  readonly responseBody: string | null;
  readonly durationMs: DurationMs | null;
}

/** What an unended delivery is doing. */
interface UnendedFields extends DeliveryFields {
  /** `out`: a POST is under way. `freed`: and the one before has ended meanwhile. `held`: waits for the one
   *  before. `due`: waits for its next try. */
  readonly post: 'out' | 'freed' | 'held' | 'due';
  readonly nextAttemptAt: Instant;
  /** From here on it goes before an earlier one of its object. */
  readonly overtakesAt: Instant;
  /** Deliveries to be told of the end. */
  readonly waiters: readonly string[];
}

export type DeliveryState =
  | (UnendedFields & { readonly status: 'pending' })
  | (UnendedFields & { readonly status: 'retrying' })
  | (DeliveryFields & { readonly status: 'success' })
  | (DeliveryFields & { readonly status: 'failed' });

export interface DeliveryTypes {
  state: DeliveryState;
  terminal: 'success' | 'failed';
  commands: DeliveryCommands;
  effects: DeliveryEffects;
}
