/** What a webhook endpoint understands. */
import { address, type Address } from '../../src/runtime/actor.ts';

export const webhookEndpointAt = (id: string): Address<EndpointCommands> => address('webhook_endpoint', id);

export interface EndpointCommands {
  open: {
    readonly url: string;
    /** Kinds of decisions 14, or `["*"]`. */
    readonly events: readonly string[];
    readonly description: string | null;
    /** The `whsec_` secret sealed by src/kernel/seal.ts (associated data: the endpoint's id). */
    readonly sealedSecret: string;
    readonly apiVersion: string;
  };
  /** Deletes for good. */
  remove: Record<string, never>;
  /** A delivery met a change of the endpoint's health (never every attempt). */
  healthChanged: { readonly health: 'ok' | 'failing' | 'gone'; readonly deliveryId: string };
}
