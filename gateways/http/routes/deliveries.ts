/** Webhook deliveries: an endpoint's log, a manual retry, a test. */
import { Type } from 'typebox';
import {
  deliveryIdOf,
  webhookDeliveryAt,
  type DeliveryState,
} from '../../../actors/webhook-delivery/messages.ts';
import { eventKinds, sampleEnvelope } from '../../../actors/events.ts';
import { couldBeId, mintId } from '../../../src/kernel/id.ts';
import type { ApiVersions } from '../../../src/kernel/api-versions.ts';
import type { ErrorDetails } from '../../../src/errors.ts';
import type { Scope } from '../../../src/runtime/model/address.ts';
import type { AskResult } from '../../../src/runtime/model/envelope.ts';
import type { Client, Snapshot } from '../../../src/runtime/model/client.ts';
import { askAndShow, done, notFound, refusalOf, refused, unavailable, type Answer } from '../route/answer.ts';
import type { ApiParts } from '../api-parts.ts';
import { given, isPage, listed, listQuery, pageOf, queryOf, span } from '../route/paging.ts';
import { route } from '../route/spec.ts';
import type { Listed, ListQuery } from '../../../src/store/store.ts';
import { enableFirst } from './endpoint-actions.ts';
import { endpointIn, webhooks } from './webhooks.ts';
import { listOf } from '../schemas/parts.ts';
import { delivery, deliveryStatuses, sampleDelivery } from '../schemas/webhook.ts';
import { eventsKeptFrom } from '../event-window.ts';

const deliveriesQuery = Type.Object({
  status: Type.Optional(Type.Enum([...deliveryStatuses], { description: 'Only deliveries in this status.' })),
  eventType: Type.Optional(Type.String({ means: 'eventType', description: 'Only events of this type.' })),
  eventId: Type.Optional(Type.String({ description: 'Only deliveries of this event.' })),
  ...listQuery,
});

const testBody = Type.Object({
  type: Type.Optional(
    Type.Enum([...eventKinds], { description: 'The event type of the sample; `test.ping` by default.' }),
  ),
});

export const deliveryRoutes = ({ client, versions }: Pick<ApiParts, 'client' | 'versions'>) => [
  route({
    method: 'GET',
    at: { api: '/v1/webhooks/{id}/deliveries', dashboard: true },
    resource: webhooks,
    operation: 'listDeliveries',
    summary: 'List deliveries to a webhook endpoint',
    description: 'Of the last 90 days, newest first.',
    answer: listOf(delivery),
    object: 'webhook endpoint',
    key: 'secret',
    reply: 200,
    query: deliveriesQuery,
    async handle({ caller: { scope }, params, query }) {
      const page = pageOf(query);
      if (!isPage(page)) return page;
      const endpointId = params.id;
      if ((await endpointIn(client, endpointId, scope)) === null) return notFound;
      const { status, eventType, eventId } = query;
      const range = span('created', eventsKeptFrom(client, scope), undefined);
      const equals = given({ endpointId, status, eventType });
      const asked = queryOf('webhook_delivery', scope, page, query, { equals, range });
      const { items, total } =
        eventId === undefined ? await client.list(asked) : await oneOf(client, eventId, asked);
      return listed(await withPayloads({ client, versions }, items, scope), total, page);
    },
  }),
  route({
    method: 'GET',
    at: { api: '/v1/webhooks/deliveries/{id}', dashboard: true },
    resource: webhooks,
    operation: 'readDelivery',
    summary: 'Read a delivery',
    answer: delivery,
    object: 'webhook delivery',
    key: 'secret',
    reply: 200,
    async handle({ caller: { scope }, params }) {
      const delivery = await deliveryIn(client, params.id, scope);
      return delivery === null ? notFound : doneWith({ client, versions }, delivery, scope);
    },
  }),
  route({
    method: 'POST',
    at: {
      api: '/v1/webhooks/deliveries/{id}/retry',
      dashboard: true,
      command: 'webhook_delivery.retry',
    },
    resource: webhooks,
    operation: 'retryDelivery',
    summary: 'Send a delivery again',
    description:
      'At once, without waiting for other deliveries of the same object. The answer does not wait for the try. ' +
      'An endpoint that is disabled or deleted is sent nothing: 409 `invalid_state` with `currentStatus` ' +
      '`disabled` or `deleted`. Enable a disabled one first.',
    answer: delivery,
    errors: ['invalid_state'],
    object: 'webhook delivery',
    key: 'secret',
    reply: 200,
    async handle({ caller: { scope }, params, identity }) {
      const id = params.id;
      const found = await deliveryIn(client, id, scope);
      if (found === null) return notFound;
      const off = await whyOff(client, found, scope);
      return askAndShow(
        client,
        webhookDeliveryAt(id),
        'retry',
        off === null ? {} : { endpoint: off },
        { by: 'merchant', scope, ...identity },
        (delivery) => doneWith({ client, versions }, delivery, scope),
        (refusal) => refusalOf(refusal, messageOf(refusal)),
      );
    },
  }),
  route({
    method: 'POST',
    at: { api: '/v1/webhooks/{id}/test', dashboard: true },
    resource: webhooks,
    operation: 'testWebhookEndpoint',
    summary: 'Send a sample event to a webhook endpoint',
    description:
      'Signed like every delivery, marked with `"test": true`, and tried once. It goes to ' +
      'this endpoint only, whatever event types it receives.',
    answer: sampleDelivery,
    exampleBody: { type: 'test.ping' },
    errors: ['invalid_state'],
    object: 'webhook endpoint',
    key: 'secret',
    reply: 200,
    mints: { event: () => mintId('evt') },
    body: testBody,
    async handle({ caller: { scope }, params, body, ids, identity }) {
      const { type = 'test.ping' } = body;
      const endpointId = params.id;
      const endpoint = await endpointIn(client, endpointId, scope);
      if (endpoint === null) return notFound;
      const { state } = endpoint;
      if (state.status === 'disabled')
        return refused('invalid_state', { message: enableFirst, currentStatus: state.status });
      const eventId = ids.event;
      const of = { eventId, scope, now: client.now(scope), endpoint: { id: endpointId, state } };
      const id = deliveryIdOf(endpointId, eventId);
      return askAndShow(
        client,
        webhookDeliveryAt(id),
        'test',
        { endpointId, eventId, eventType: type, sample: sampleEnvelope(type, of) },
        { by: 'merchant', scope, ...identity },
        ({ view }) => done(view),
      );
    },
  }),
];

/** Of one event an endpoint has one delivery at most, whose id follows from both. */
async function oneOf(client: Client, eventId: string, query: ListQuery): Promise<Listed<Snapshot>> {
  const { scope, equals = {}, range = [], page } = query;
  const id = deliveryIdOf(String(equals['endpointId']), eventId);
  const found: Snapshot | null = await client.read(webhookDeliveryAt(id), scope);
  const at = found?.meta.createdAt ?? 0;
  const fits =
    found !== null &&
    Object.entries(equals).every(([field, value]) => found.state[field] === value) &&
    range.every(({ from = 0, to = Infinity }) => at >= Number(from) && at < Number(to));
  return { items: fits && page === 1 ? [found] : [], total: fits ? 1 : 0 };
}

/** null also for a delivery that has ended and whose event is no longer kept: there is nothing to send again. */
async function deliveryIn(client: Client, id: string, scope: Scope): Promise<Snapshot | null> {
  if (!couldBeId('whd', id)) return null;
  const found: Snapshot | null = await client.read(webhookDeliveryAt(id), scope);
  if (found === null) return null;
  const { status, eventAt } = found.state as unknown as DeliveryState;
  const ended = status === 'success' || status === 'failed';
  return ended && eventAt < eventsKeptFrom(client, scope) ? null : found;
}

/** null: the endpoint of this delivery is enabled. */
async function whyOff(
  client: Client,
  { state }: Snapshot,
  scope: Scope,
): Promise<'disabled' | 'deleted' | null> {
  const endpoint = await endpointIn(client, (state as unknown as DeliveryState).endpointId, scope);
  if (endpoint === null) return 'deleted';
  return endpoint.state.status === 'enabled' ? null : 'disabled';
}

/** What to do about a refused retry. */
function messageOf(result: AskResult): ErrorDetails {
  const status = result.is === 'refused' ? result.detail['currentStatus'] : null;
  if (status === 'disabled') return { message: enableFirst };
  return status === 'deleted' ? { message: deletedForGood } : {};
}

const deletedForGood = 'The endpoint of this delivery was deleted: nothing is sent to it any more.';

async function doneWith(
  parts: PayloadParts,
  delivery: Pick<Snapshot, 'view'>,
  scope: Scope,
): Promise<Answer> {
  const [shown] = await withPayloads(parts, [delivery], scope);
  return shown === undefined ? unavailable : done(shown);
}

type Shown = { readonly [field: string]: unknown };

export interface PayloadParts {
  readonly client: Pick<Client, 'listRows' | 'read'>;
  /** null: bodies are shown in the newest version, whatever their endpoint is pinned to. */
  readonly versions: Pick<ApiVersions, 'event'> | null;
}

/** The deliveries with the body sent: the journal stores it once for all endpoints and all attempts. */
export async function withPayloads(
  { client, versions }: PayloadParts,
  deliveries: readonly Pick<Snapshot, 'view'>[],
  scope: Scope,
): Promise<readonly Shown[]> {
  const eventIds = [...new Set(deliveries.map(({ view }) => String(view['eventId'])))];
  if (eventIds.length === 0) return [];
  const { items } = await client.listRows({
    kind: 'journal',
    scope,
    anyOf: { eventId: eventIds },
    page: 1,
    limit: eventIds.length,
  });
  const envelopes = new Map(items.map(({ body }) => [body['eventId'], body['envelope']]));
  const pins = versions === null ? noPins : await pinsOf(client, deliveries, scope);
  return deliveries.map(({ view }) => {
    const envelope = envelopes.get(String(view['eventId']));
    if (typeof envelope !== 'string') return view;
    const pinned = pins.get(String(view['webhookEndpointId'])) ?? '';
    return { ...view, payload: JSON.parse(versions?.event(pinned, envelope).text ?? envelope) as unknown };
  });
}

const noPins: ReadonlyMap<string, string> = new Map();

/** The version that each endpoint is pinned to; a deleted one is not listed. */
async function pinsOf(
  client: Pick<Client, 'read'>,
  deliveries: readonly Pick<Snapshot, 'view'>[],
  scope: Scope,
): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(deliveries.map(({ view }) => String(view['webhookEndpointId'])))];
  const endpoints = await Promise.all(ids.map((id) => endpointIn(client, id, scope)));
  return new Map(endpoints.map((found, at) => [ids[at] ?? '', found?.state.apiVersion ?? '']));
}
