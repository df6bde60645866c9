/** The commands of a webhook endpoint. */
import { address, type Address } from '../../src/runtime/model/actor.ts';
import type { Instant } from '../../src/kernel/time.ts';

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
  /** Deletes permanently. */
  remove: Record<string, never>;
  /** A delivery found a change of the endpoint's health (never every attempt). */
  healthChanged: { readonly health: 'ok' | 'failing' | 'gone'; readonly deliveryId: string };
  /** Every try has failed for 120 h. */
  failedLong: { readonly key: string };
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
}

export type EndpointState =
  /** `failingSince`: the first of the current run of failed tries; null while it is healthy. */
  | (EndpointFields & { readonly status: 'enabled'; readonly failingSince: Instant | null })
  | (EndpointFields & {
      readonly status: 'disabled';
      readonly disabledReason: 'merchant' | 'failing' | 'gone';
    });

export interface EndpointTypes {
  state: EndpointState;
  terminal: never;
  commands: EndpointCommands;
  effects: Record<never, never>;
}
