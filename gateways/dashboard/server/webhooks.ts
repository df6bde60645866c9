/** The doors of the dashboard's webhook screens, beside those of /v1: how each endpoint does, and each try of a
 *  delivery.
 *  1. Two counts along an index for each of the at most ten endpoints; no delivery but the newest that failed is
 *     read.
 *  2. No secret leaves: of a signature only what was sent is shown. */
import { eventKinds } from '../../../actors/events.ts';
import { webhookDeliveryAt, type DeliveryState } from '../../../actors/webhook-delivery/messages.ts';
import { endedByEndpoint } from '../../../actors/webhook-delivery/trying.ts';
import { webhookEndpointAt, type EndpointState } from '../../../actors/webhook-endpoint/messages.ts';
import { fixedHeaders } from '../../../actors/webhook-endpoint/signature.ts';
import { couldBeId } from '../../../src/kernel/id.ts';
import { hours, iso, isoOrNull, type DurationMs } from '../../../src/kernel/time.ts';
import type { Scope } from '../../../src/runtime/model/address.ts';
import type { Client, Snapshot } from '../../../src/runtime/model/client.ts';
import { done, notFound } from '../../http/route/answer.ts';
import { webhookEndpointsMax } from '../../../actors/project/messages.ts';
import type { ApiParts } from '../../http/api-parts.ts';
import { viewAs } from '../../http/route/description.ts';
import { delivery } from '../../http/schemas/webhook.ts';
import { ownRoute } from '../../http/route/spec.ts';

const healthMs: DurationMs = hours(24);
/** To choose from; a test is sent to an endpoint whatever it receives. */
const eventTypes = eventKinds.filter((kind) => kind !== 'test.ping');

export const webhookRoutes = ({ client }: Pick<ApiParts, 'client'>) => [
  ownRoute({
    method: 'GET',
    at: { dashboard: 'webhook-health' },
    does:
      'of each endpoint, over the last 24 hours: `{id, delivered, undelivered, lastError, ' +
      'previousSecretExpiresAt, isRecovering}`, and the `eventTypes` to choose from; counts over ' +
      "10,000 may be as old as a list's `total`",
    reply: 200,
    async handle({ caller: { scope } }) {
      const listed = { kind: 'webhook_endpoint', scope, page: 1, limit: webhookEndpointsMax };
      const { items } = await client.list(listed);
      const data = await Promise.all(items.map((endpoint) => healthOf(client, endpoint, scope)));
      return done({ data, eventTypes });
    },
  }),
  ownRoute({
    method: 'GET',
    at: { dashboard: 'webhooks/deliveries/{id}/tries' },
    does:
      '`{url, headers, tries: [{at, status, answer, durationMs}]}`: where it is sent, the headers ' +
      'of the last try as sent, and the tries, newest first: the last one whole, 200 characters of ' +
      'the answers to at most 30 before it',
    object: 'webhook delivery',
    reply: 200,
    async handle({ caller: { scope }, params }) {
      const id = params.id;
      const found = couldBeId('whd', id)
        ? await client.read<DeliveryState>(webhookDeliveryAt(id), scope)
        : null;
      if (found === null) return notFound;
      const to = webhookEndpointAt(found.state.endpointId);
      const endpoint = await client.read<EndpointState>(to, scope);
      return done(triesOf(found.state, endpoint?.state ?? null));
    },
  }),
];

/** What an endpoint was sent in the last 24 hours. */
async function healthOf(client: Client, { meta: { id }, state }: Snapshot, scope: Scope) {
  const { previousSecret, ...endpoint } = state as unknown as EndpointState;
  const now = client.now(scope);
  const count = (status: readonly string[]) =>
    client.list({
      kind: 'webhook_delivery',
      scope,
      equals: { endpointId: id },
      anyOf: { status },
      range: [{ field: 'created', from: now - healthMs }],
      page: 1,
      limit: 1,
    });
  const [delivered, undelivered] = await Promise.all([count(['success']), count(['retrying', 'failed'])]);
  const overlaps = previousSecret !== undefined && previousSecret.expiresAt > now;
  return {
    id,
    delivered: delivered.total,
    undelivered: undelivered.total,
    lastError: undelivered.items[0] === undefined ? null : viewAs(delivery, undelivered.items[0].view),
    previousSecretExpiresAt: overlaps ? iso(previousSecret.expiresAt) : null,
    isRecovering: endpoint.status === 'enabled' && endpoint.recovery !== undefined,
  };
}

/** The tries, the newest first, and the headers of that one. */
function triesOf(s: DeliveryState, endpoint: EndpointState | null) {
  const last = {
    at: s.lastAttemptAt,
    status: s.responseStatus,
    answer: s.responseBody,
    durationMs: s.durationMs,
  };
  const tries = s.lastAttemptAt === null ? [] : [last, ...(s.earlier ?? []).toReversed()];
  return {
    url: endpoint?.url ?? null,
    isEnabled: endpoint?.status === 'enabled',
    endedByEndpoint: endedByEndpoint(s),
    headers: s.signed === undefined ? null : headersOf(s, s.signed),
    tries: tries.map(({ at, ...each }) => ({ at: isoOrNull(at), ...each })),
  };
}

const headersOf = (
  { eventId }: DeliveryState,
  signed: NonNullable<DeliveryState['signed']>,
): { readonly [name: string]: string } => ({
  ...fixedHeaders,
  ...(signed.apiVersion === undefined ? {} : { 'Api-Version': signed.apiVersion }),
  'webhook-id': eventId,
  'webhook-timestamp': String(signed.timestamp),
  'webhook-signature': signed.standard,
  'X-Webhook-Signature': signed.timed,
});
