/** Webhook endpoints: create, list, read, change, delete.
 *  1. An endpoint reserves a slot at the project before it exists, so that there are never more than ten.
 *  2. The secret is shown once, at creation; a repeated creation shows the same one. */
import { randomBytes } from 'node:crypto';
import { Type } from 'typebox';
import { descriptionCharactersMax } from '../../../src/kernel/text-bounds.ts';
import { projectAt, webhookEndpointsMax, type ProjectState } from '../../../actors/project/messages.ts';
import { webhookEndpointAt, type EndpointState } from '../../../actors/webhook-endpoint/messages.ts';
import { couldBeId, mintId } from '../../../src/kernel/id.ts';
import { minutes } from '../../../src/kernel/time.ts';
import type { Scope } from '../../../src/runtime/model/address.ts';
import type { Client, Snapshot } from '../../../src/runtime/model/client.ts';
import { askAndShow, done, doneView, notFound, refusalOf, wholeView } from '../route/answer.ts';
import type { Caller } from '../access/auth.ts';
import type { ApiParts } from '../api-parts.ts';
import { about, nullable, text, webhookUrl } from '../route/schemas.ts';
import type { Resource } from '../route/description.ts';
import { route } from '../route/spec.ts';
import { allOf } from '../schemas/parts.ts';
import {
  changedWebhookEndpoint,
  deletedWebhookEndpoint,
  newWebhookEndpoint,
  webhookEndpoint,
} from '../schemas/webhook.ts';

export const webhooks: Resource = {
  name: 'Webhook endpoints',
  description:
    'A webhook endpoint is an address of yours that events are sent to, signed. Each ' +
    'event to each endpoint is a delivery, which is tried until it is accepted.',
};

/** Longer than any creation takes. */
const reservationWithoutEndpointMs = minutes(1);
const secretBytes = 32;

export const newSecret = (): string => `whsec_${randomBytes(secretBytes).toString('base64')}`;

const createBody = Type.Object({
  url: webhookUrl,
  events: Type.Optional(
    Type.Array(Type.String({ means: 'eventType' }), {
      maxItems: 100,
      description: 'The event types it receives. Absent, empty or `["*"]`: all of them.',
    }),
  ),
  description: Type.Optional(about('Your own note.', text(descriptionCharactersMax))),
});

const changeBody = Type.Object({
  url: Type.Optional(about('Where deliveries are sent from now on, also those that wait.', webhookUrl)),
  events: Type.Optional(
    Type.Array(Type.String({ means: 'eventType' }), {
      maxItems: 100,
      description: 'The event types it receives from now on. Empty or `["*"]`: all of them.',
    }),
  ),
  enabled: Type.Optional(
    Type.Boolean({
      description:
        'false: nothing is sent any more, and deliveries that wait fail. true: it receives events again, and ' +
        'what it missed only when you recover it.',
    }),
  ),
  description: Type.Optional(
    about('Your own note; null removes it.', nullable(text(descriptionCharactersMax))),
  ),
});

type Parts = Pick<ApiParts, 'client' | 'seal'>;

export const webhookRoutes = ({ client, seal }: Parts) => [
  route({
    method: 'POST',
    at: { api: '/v1/webhooks', dashboard: true },
    resource: webhooks,
    operation: 'createWebhookEndpoint',
    summary: 'Create a webhook endpoint',
    description: 'At most 10 for each project and mode. Only this answer has its `signing_secret`.',
    answer: newWebhookEndpoint,
    exampleBody: {
      url: 'https://shop.example/hooks',
      events: ['payment.succeeded'],
      description: 'Orders',
    },
    errors: ['webhook_endpoint_limit_reached'],
    key: 'secret',
    reply: 201,
    outlivedBy: ({ projectId }) => [projectAt(projectId)],
    mints: { endpoint: () => mintId('we') },
    body: createBody,
    async handle({ caller, body, ids, identity }) {
      const id = ids.endpoint;
      const { mode, scope, apiVersion, projectId } = caller;
      const asking = { by: 'system', scope: 'system', ...identity } as const;
      await releaseUnusedReservations(client, caller);
      const taken = await client.ask(
        projectAt(projectId),
        'reserveEndpoint',
        { endpointId: id, mode },
        asking,
      );
      if (taken.is !== 'ok') return refusalOf(taken);
      const opening = {
        url: body.url,
        events: eventsOf(body.events),
        description: body.description ?? null,
        apiVersion,
        sealedSecret: seal.seal(newSecret(), id),
      };
      return askAndShow(
        client,
        webhookEndpointAt(id),
        'open',
        opening,
        { by: 'merchant', scope, ...identity },
        ({ view: { createdAt, updatedAt, ...view }, state }: Snapshot<EndpointState>) => {
          // the valid secret is the first request's, not this repeat's
          const signing_secret = seal.open(state.sealedSecret, id);
          return done({ ...view, signing_secret, createdAt, updatedAt }, true);
        },
      );
    },
  }),
  route({
    method: 'GET',
    at: { api: '/v1/webhooks', dashboard: true },
    resource: webhooks,
    operation: 'listWebhookEndpoints',
    summary: 'List webhook endpoints',
    answer: allOf(webhookEndpoint),
    key: 'secret',
    reply: 200,
    async handle({ caller }) {
      const { items } = await client.list({
        kind: 'webhook_endpoint',
        scope: caller.scope,
        page: 1,
        limit: webhookEndpointsMax,
      });
      return done({ data: items.map(({ view }) => view) });
    },
  }),
  route({
    method: 'GET',
    at: { api: '/v1/webhooks/{id}', dashboard: true },
    resource: webhooks,
    operation: 'readWebhookEndpoint',
    summary: 'Read a webhook endpoint',
    answer: webhookEndpoint,
    object: 'webhook endpoint',
    key: 'secret',
    reply: 200,
    async handle({ caller, params }) {
      const endpoint = await endpointIn(client, params.id, caller.scope);
      return endpoint === null ? notFound : doneView(endpoint.view);
    },
  }),
  route({
    method: 'PATCH',
    at: { api: '/v1/webhooks/{id}', dashboard: true },
    resource: webhooks,
    operation: 'changeWebhookEndpoint',
    summary: 'Change a webhook endpoint',
    description: 'What is absent stays as it is.',
    answer: changedWebhookEndpoint,
    exampleBody: { events: ['payment.succeeded', 'payment.failed'], description: null },
    object: 'webhook endpoint',
    key: 'secret',
    reply: 200,
    body: changeBody,
    async handle({ caller: { scope }, params, body }) {
      const id = params.id;
      if ((await endpointIn(client, id, scope)) === null) return notFound;
      const { events, ...fields } = body;
      const change = { ...fields, ...(events === undefined ? {} : { events: eventsOf(events) }) };
      const asking = { by: 'merchant', scope } as const;
      return askAndShow(client, webhookEndpointAt(id), 'change', change, asking, wholeView);
    },
  }),
  route({
    method: 'DELETE',
    at: { api: '/v1/webhooks/{id}', dashboard: true },
    resource: webhooks,
    operation: 'deleteWebhookEndpoint',
    summary: 'Delete a webhook endpoint',
    description: 'Nothing more is sent to it, and deliveries that wait fail.',
    answer: deletedWebhookEndpoint,
    object: 'webhook endpoint',
    key: 'secret',
    reply: 200,
    async handle({ caller, params }) {
      const id = params.id;
      if ((await endpointIn(client, id, caller.scope)) === null) return notFound;
      const asking = { by: 'merchant', scope: caller.scope } as const;
      const removed = await client.ask(webhookEndpointAt(id), 'remove', {}, asking);
      // a deleted endpoint frees its slot by itself
      return removed.is === 'ok' ? done({ id, deleted: true }) : refusalOf(removed);
    },
  }),
];

/** A process that died between reserving a slot and creating its endpoint left the slot taken: when none is
 *  free, check which are really in use. */
async function releaseUnusedReservations(client: Client, { projectId, mode, scope }: Caller): Promise<void> {
  const project = await client.read<ProjectState>(projectAt(projectId), 'system');
  const reservations = project?.state.seats[mode] ?? [];
  if (reservations.length < webhookEndpointsMax) return;
  for (const { endpointId, takenAt } of reservations) {
    const young = client.now('system') - takenAt < reservationWithoutEndpointMs;
    if (young || (await endpointIn(client, endpointId, scope)) !== null) continue;
    await client.ask(
      projectAt(projectId),
      'releaseEndpoint',
      { endpointId, mode },
      { by: 'system', scope: 'system' },
    );
  }
}

/** An endpoint of this scope; null for any other text. */
export async function endpointIn(
  client: Pick<Client, 'read'>,
  id: string,
  scope: Scope,
): Promise<Snapshot<EndpointState> | null> {
  return couldBeId('we', id) ? client.read<EndpointState>(webhookEndpointAt(id), scope) : null;
}

/** An empty list means all of them. */
function eventsOf(events: readonly string[] | undefined): readonly string[] {
  return events === undefined || events.length === 0 || events.includes('*') ? ['*'] : [...new Set(events)];
}
