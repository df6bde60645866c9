/** The commands of one delivery (one event for one endpoint). */
import { address, type Address } from '../../src/runtime/model/actor.ts';
import { sha256Base32 } from '../../src/kernel/hash.ts';
import { placedBeside } from '../../src/kernel/id.ts';
import type { DurationMs, Instant } from '../../src/kernel/time.ts';

export const webhookDeliveryAt = (id: string): Address<DeliveryCommands> => address('webhook_delivery', id);

/** One event and endpoint have exactly one delivery; it is stored in its endpoint's slot. */
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
      readonly signed?: Signed;
    }
  /** No answer: refused address, timeout, reset. The log shows `reason`. */
  | {
      readonly is: 'unanswered';
      readonly reason: string;
      readonly durationMs: DurationMs;
      readonly signed?: Signed;
    }
  /** An earlier delivery of its object has not ended (the nearest one is named): not sent. */
  | { readonly is: 'held'; readonly behind: string }
  /** The endpoint is disabled or deleted. */
  | { readonly is: 'no_endpoint' };

/** The headers that differ from try to try, as they were sent. */
export interface Signed {
  /** `webhook-timestamp`: real unix seconds. */
  readonly timestamp: number;
  /** `webhook-signature`. */
  readonly standard: string;
  /** `X-Webhook-Signature`. */
  readonly timed: string;
  /** `Api-Version`: the version of the body. A node of an older version leaves it out. */
  readonly apiVersion?: string;
}

/** A try that another one has followed. */
export interface EarlierTry {
  readonly at: Instant;
  /** null: no answer. */
  readonly status: number | null;
  /** The beginning of the answer, or why there was none. */
  readonly answer: string | null;
  readonly durationMs: DurationMs | null;
}

export interface Opening {
  readonly endpointId: string;
  readonly eventId: string;
  readonly eventType: string;
  /** The journal row that holds the body: `<actor>:<eseq>`. */
  readonly journalId: string;
  readonly objectId: string;
  /** Position in the log: the order among deliveries of one object. */
  readonly pos: number;
  /** When the event happened, for the time the log shows. */
  readonly eventAt: Instant;
  /** The endpoint's term: once that is over, it is not sent. 0 when absent. */
  readonly term?: number;
}

export interface DeliveryCommands {
  open: Opening;
  /** The endpoint recovers what it has missed: the event is queued unless it was accepted or is queued. */
  recover: Opening & {
    /** The endpoint's recovery: each one queues an event once. */
    readonly round: number;
  };
  /** The endpoint is disabled or deleted: nothing of its terms up to this one is sent any more. */
  endpointOff: { readonly term: number };
  /** The merchant tests its endpoint: one POST of a sample that is not in any log. */
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
    /** On the project's clock; null when unknown. */
    readonly sentAt: Instant | null;
    /** Whether the endpoint was marked as failing when it was read: decides which outcome is a change for
     *  it. */
    readonly endpointFailing: boolean;
    /** The endpoint was disabled or deleted during the try: no other follows. */
    readonly endpointOff?: true;
  };
  retryDue: { readonly key: string };
  /** The merchant requests one try now, whatever the delivery's status. */
  retry: {
    /** Why its endpoint is sent nothing, as read for this request; absent: it is enabled. */
    readonly endpoint?: 'disabled' | 'deleted';
  };
  /** Another delivery waits for this one to end; it receives `go` then, or at once if this one has ended. */
  awaitEnd: { readonly deliveryId: string };
  /** The previous delivery has ended. */
  go: Record<string, never>;
}

export interface DeliveryEffects {
  'webhook.post': {
    readonly endpointId: string;
    readonly deliveryId: string;
    readonly journalId: string;
    /** Only for a test: the body itself. */
    readonly sample?: string;
    readonly eventId: string;
    readonly objectId: string;
    readonly pos: number;
    /** Sent even if an earlier delivery of its object has not ended (it has waited 60 s, or was requested
     *  manually). */
    readonly overtakes: boolean;
    /** The endpoint's term that it belongs to; absent: it is sent in any term. */
    readonly term?: number;
  };
}

interface DeliveryFields {
  readonly endpointId: string;
  readonly eventId: string;
  readonly eventType: string;
  /** Empty for a test. */
  readonly journalId: string;
  /** Only for a test: the body itself, sent once. */
  readonly sample?: string;
  /** Only for a test: its endpoint. */
  readonly objectId: string;
  readonly pos: number;
  readonly eventAt: Instant;
  readonly createdAt: Instant;
  readonly term?: number;
  /** The last recovery that has queued it. */
  readonly round?: number;
  /** Tries that were sent, answered or not. */
  readonly attempts: number;
  /** Those of them that do not count towards the schedule: requested manually, or before a recovery. */
  readonly attemptsByHand?: number;
  /** The tries before the last one, oldest first; the newest `triesKept` of them. A node of an older version
   *  leaves out its own. */
  readonly earlier?: readonly EarlierTry[];
  /** Of the last try. */
  readonly signed?: Signed;
  /** A manually requested try is in progress, or waits for its turn at the endpoint. */
  readonly byHand?: boolean;
  readonly lastAttemptAt: Instant | null;
  readonly responseStatus: number | null;
  readonly responseBody: string | null;
  readonly durationMs: DurationMs | null;
}

/** What an unended delivery is doing. */
interface UnendedFields extends DeliveryFields {
  /** `out`: a POST is in progress. `freed`: the same, and the previous delivery has ended meanwhile.
   *  `held`: waits for the previous delivery. `due`: waits for its next try. */
  readonly post: 'out' | 'freed' | 'held' | 'due';
  readonly nextAttemptAt: Instant;
  /** From here on it may overtake an earlier delivery of its object. */
  readonly overtakesAt: Instant;
  /** Deliveries to notify of the end. */
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
