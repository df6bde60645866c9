/** What the webhook screens ask for beside the lists, and its data. */
import type { Asked } from './asked.ts';
import type { Result } from './failure.ts';
import type { Delivery, Endpoint, Place } from './types.ts';

/** How an endpoint does. */
export interface EndpointHealth {
  readonly id: string;
  /** Deliveries of the last 24 hours. */
  readonly delivered: number;
  /** The same: they failed, or are tried again. */
  readonly undelivered: number;
  /** The newest of these. */
  readonly lastError: Delivery | null;
  /** null: only the newest secret is valid. */
  readonly previousSecretExpiresAt: string | null;
  readonly isRecovering: boolean;
}

export interface WebhookHealth {
  readonly data: readonly EndpointHealth[];
  /** Every type of event that fires. */
  readonly eventTypes: readonly string[];
}

export type EndpointRequest = Pick<Endpoint, 'url' | 'events' | 'description'>;

export interface NewSecret {
  /** Shown this once. */
  readonly signing_secret: string;
}

export interface Try {
  readonly at: string | null;
  /** null: no answer. */
  readonly status: number | null;
  readonly answer: string | null;
  readonly durationMs: number | null;
}

export interface Tries {
  /** null: the endpoint was deleted. */
  readonly url: string | null;
  /** Whether the endpoint is enabled now. */
  readonly isEnabled: boolean;
  /** The delivery has failed although tries were left: the endpoint was disabled or deleted. */
  readonly endedByEndpoint: boolean;
  /** Of the newest try; null: they were not kept. */
  readonly headers: { readonly [name: string]: string } | null;
  /** The newest first; the oldest of many are left out. */
  readonly tries: readonly Try[];
}

export interface WebhookApi {
  webhookHealth(place: Place): Promise<Result<WebhookHealth>>;
  /** Sent again with the same key, it is executed once; so are the next two. */
  newEndpoint(place: Place, request: EndpointRequest, key: string): Promise<Result<Endpoint & NewSecret>>;
  rotateSecret(
    place: Place,
    id: string,
    gracePeriodHours: number,
    key: string,
  ): Promise<Result<NewSecret & { readonly previousSecretExpiresAt: string }>>;
  recover(place: Place, id: string, since: string, key: string): Promise<Result<{ readonly queued: number }>>;
  changeEndpoint(
    place: Place,
    id: string,
    change: Partial<EndpointRequest & Pick<Endpoint, 'enabled'>>,
  ): Promise<Result<Endpoint>>;
  deleteEndpoint(place: Place, id: string): Promise<Result<unknown>>;
  tries(place: Place, deliveryId: string): Promise<Result<Tries>>;
}

export const webhookCallsOf = (asked: Asked): WebhookApi => ({
  webhookHealth: (place) => asked('GET', `${baseOf(place)}/webhook-health`),
  newEndpoint: (place, request, key) => asked('POST', `${baseOf(place)}/webhooks`, request, key),
  rotateSecret: (place, id, gracePeriodHours, key) =>
    asked('POST', `${pathOf(place, id)}/rotate-secret`, { gracePeriodHours }, key),
  recover: (place, id, since, key) => asked('POST', `${pathOf(place, id)}/recover`, { since }, key),
  changeEndpoint: (place, id, change) => asked('PATCH', pathOf(place, id), change),
  deleteEndpoint: (place, id) => asked('DELETE', pathOf(place, id)),
  tries: (place, id) => asked('GET', `${baseOf(place)}/webhooks/deliveries/${encodeURIComponent(id)}/tries`),
});

const baseOf = ({ projectId, mode }: Place): string => `api/${encodeURIComponent(projectId)}/${mode}`;
const pathOf = (place: Place, id: string): string => `${baseOf(place)}/webhooks/${encodeURIComponent(id)}`;
