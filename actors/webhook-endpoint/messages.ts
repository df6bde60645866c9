/** The commands of a webhook endpoint. */
import { address, type Address, type Answering } from '../../src/runtime/model/actor.ts';
import type { DurationMs, Instant } from '../../src/kernel/time.ts';

export const webhookEndpointAt = (id: string): Address<EndpointCommands> => address('webhook_endpoint', id);

export interface EndpointCommands {
  open: {
    readonly url: string;
    /** Kinds of docs/reference/events.md, or `["*"]`. */
    readonly events: readonly string[];
    readonly description: string | null;
    /** The `whsec_` secret sealed by src/kernel/seal.ts (associated data: the endpoint's id). */
    readonly sealedSecret: string;
    readonly apiVersion: string;
  };
  /** What is absent stays as it is. */
  change: {
    readonly url?: string;
    readonly events?: readonly string[];
    readonly description?: string | null;
    readonly enabled?: boolean;
  };
  /** A new secret; the one before it stays valid for `graceMs`. */
  rotate: Answering<
    { readonly sealedSecret: string; readonly graceMs: DurationMs },
    { readonly previousSecretExpiresAt: Instant }
  >;
  previousSecretOver: { readonly key: string };
  /** Queues again what it has missed. */
  recover: {
    readonly since: Instant;
    /** The last position of the log when it was requested: later events are delivered as usual. */
    readonly to: number;
  };
  /** A part of the log was searched, up to and including `after`; null: it could not be searched now. */
  recovered: { readonly round: number; readonly after: number | null };
  recoverOn: { readonly key: string };
  /** Deletes permanently. */
  remove: Record<string, never>;
  /** Some waiting deliveries of a disabled endpoint have been ended. */
  swept: { readonly term: number; readonly more: boolean };
  /** A delivery found a change of the endpoint's health (never every attempt). */
  healthChanged: { readonly health: 'ok' | 'failing' | 'gone'; readonly deliveryId: string };
  /** Every try has failed for 120 h. */
  failedLong: { readonly key: string };
}

export interface EndpointEffects {
  /** Ends the deliveries that wait for a later try, as nothing more is sent to the endpoint. */
  'webhook.sweep': { readonly endpointId: string; readonly term: number };
  /** Searches the next part of the log for events that the endpoint has not accepted, and queues them. */
  'webhook.recover': Recovery & { readonly endpointId: string; readonly term: number };
}

/** A search of the log, from its oldest event. */
export interface Recovery {
  /** Rises with each `recover`. */
  readonly round: number;
  /** The kinds that the endpoint received when it was requested. */
  readonly events: readonly string[];
  readonly since: Instant;
  /** Searched up to this position; null: its beginning has not been found yet. */
  readonly after: number | null;
  readonly to: number;
}

interface EndpointFields {
  readonly url: string;
  readonly events: readonly string[];
  readonly description: string | null;
  readonly sealedSecret: string;
  readonly apiVersion: string;
  /** Grows with each change of the API object. */
  readonly sequence: number;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  /** Signs too, until it expires. */
  readonly previousSecret?: { readonly sealed: string; readonly expiresAt: Instant };
  /** How often it was enabled again; 0 when absent. A delivery of an earlier term is not sent any more. */
  readonly term?: number;
  /** How often it was recovered; 0 when absent. */
  readonly recoveries?: number;
}

export type EndpointState =
  /** `failingSince`: the first of the current run of failed tries; null while it is healthy. */
  | (EndpointFields & {
      readonly status: 'enabled';
      readonly failingSince: Instant | null;
      readonly recovery?: Recovery;
    })
  | (EndpointFields & {
      readonly status: 'disabled';
      readonly disabledReason: 'merchant' | 'failing' | 'gone';
    });

export interface EndpointTypes {
  state: EndpointState;
  terminal: never;
  commands: EndpointCommands;
  effects: EndpointEffects;
}

/** 0: it has not been disabled yet. */
export const termOf = ({ term = 0 }: { readonly term?: number }): number => term;
