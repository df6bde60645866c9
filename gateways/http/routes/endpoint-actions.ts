/** What is done with a webhook endpoint: rotate its secret, recover what it missed.
 *  1. A secret is shown once, by the rotation that made it; a repeat with the same key shows the same one.
 *  2. `queued` is counted when it is requested; the events are queued after the answer, part by part. */
import { Type } from 'typebox';
import { webhookEndpointAt, type EndpointState } from '../../../actors/webhook-endpoint/messages.ts';
import { fieldError } from '../../../src/errors.ts';
import { hours, iso, type Instant } from '../../../src/kernel/time.ts';
import type { Scope } from '../../../src/runtime/model/address.ts';
import type { Client, Snapshot } from '../../../src/runtime/model/client.ts';
import type { ListQuery } from '../../../src/store/store.ts';
import type { ApiParts } from '../api-parts.ts';
import { askAndShow, done, notFound, refusalOf } from '../route/answer.ts';
import { instantFrom } from '../route/instant.ts';
import { span } from '../route/paging.ts';
import { invalid } from '../route/route.ts';
import { route } from '../route/spec.ts';
import { recovery, rotatedWebhookEndpoint } from '../schemas/webhook.ts';
import { endpointIn, newSecret, webhooks } from './webhooks.ts';
import { eventsKeptFrom } from '../event-window.ts';

const gracePeriodHoursUsual = 24;
const gracePeriodHoursMax = 168;

const rotateBody = Type.Object({
  gracePeriodHours: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: gracePeriodHoursMax,
      description: `For how long the secret before it stays valid; ${gracePeriodHoursUsual} by default.`,
    }),
  ),
});

const recoverBody = Type.Object({
  since: Type.String({
    format: 'instant',
    description: 'Events since then are searched; at most 90 days back.',
  }),
});

/** Why a disabled endpoint is sent nothing, and what to do. */
export const enableFirst =
  'This endpoint is disabled. Enable it first: PATCH /v1/webhooks/{id} with {"enabled": true}.';

export const endpointActionRoutes = ({ client, seal }: Pick<ApiParts, 'client' | 'seal'>) => [
  route({
    method: 'POST',
    at: { api: '/v1/webhooks/{id}/rotate-secret', dashboard: true },
    resource: webhooks,
    operation: 'rotateWebhookSecret',
    summary: 'Replace the secret of a webhook endpoint',
    description:
      'Until `previousSecretExpiresAt` deliveries are signed with both secrets, the new one first. Rotating ' +
      'again before that ends the oldest secret at once. Only this answer has the new `signing_secret`.',
    answer: rotatedWebhookEndpoint,
    exampleBody: { gracePeriodHours: 24 },
    object: 'webhook endpoint',
    key: 'secret',
    reply: 200,
    body: rotateBody,
    async handle({ caller: { scope }, params, body, identity }) {
      const id = params.id;
      if ((await endpointIn(client, id, scope)) === null) return notFound;
      const graceMs = hours(body.gracePeriodHours ?? gracePeriodHoursUsual);
      return askAndShow(
        client,
        webhookEndpointAt(id),
        'rotate',
        { sealedSecret: seal.seal(newSecret(), id), graceMs },
        { by: 'merchant', scope, ...identity },
        ({ view: { createdAt, updatedAt, ...view }, state }: Snapshot<EndpointState>, rotated) => {
          // the valid secret is the first request's, not this repeat's
          const signing_secret = seal.open(state.sealedSecret, id);
          const previousSecretExpiresAt = iso(rotated.previousSecretExpiresAt);
          return done({ ...view, signing_secret, previousSecretExpiresAt, createdAt, updatedAt }, true);
        },
      );
    },
  }),
  route({
    method: 'POST',
    at: { api: '/v1/webhooks/{id}/recover', dashboard: true },
    resource: webhooks,
    operation: 'recoverWebhookEndpoint',
    summary: 'Send again what a webhook endpoint missed',
    description:
      'Queues, oldest first, every event since `since` of the types that the endpoint receives now and that ' +
      'it has not accepted, with the same ids and bodies. What is queued already is not queued twice.',
    answer: recovery,
    exampleBody: { since: '2026-11-21T00:00:00.000Z' },
    errors: ['invalid_state'],
    object: 'webhook endpoint',
    key: 'secret',
    reply: 200,
    body: recoverBody,
    async handle({ caller: { scope }, params, body, identity }) {
      const since = instantFrom(body.since) ?? 0;
      const keptFrom = eventsKeptFrom(client, scope);
      if (since < keptFrom) return invalid([fieldError('since', 'too_small', iso(keptFrom))]);
      const id = params.id;
      const endpoint = await endpointIn(client, id, scope);
      if (endpoint === null) return notFound;
      const to = await client.eventsUpTo(scope);
      const queued = await missedBy(client, endpoint, { scope, since, to });
      const asking = { by: 'merchant', scope, ...identity } as const;
      const result = await client.ask(webhookEndpointAt(id), 'recover', { since, to }, asking);
      if (result.is !== 'ok') return refusalOf(result, { message: enableFirst });
      return done({ endpointId: id, since: iso(since), queued });
    },
  }),
];

interface Searched {
  readonly scope: Scope;
  readonly since: Instant;
  readonly to: number;
}

/** How many of these events it should have received, and has neither accepted nor waiting. Counts along
 *  indexes; no event is read. */
async function missedBy(
  client: Pick<Client, 'list' | 'listRows'>,
  { meta: { id }, state }: Snapshot<EndpointState>,
  { scope, since, to }: Searched,
): Promise<number> {
  const all = state.events.includes('*');
  const positions = { field: 'pos', from: 1, to: to + 1 };
  const journal: ListQuery = {
    kind: 'journal',
    scope,
    ...(all ? {} : { anyOf: { event: state.events } }),
    range: [positions, ...span('created', since, undefined)],
    page: 1,
    limit: 1,
  };
  const had = client.list({
    kind: 'webhook_delivery',
    scope,
    equals: { endpointId: id },
    anyOf: {
      status: ['success', 'pending', 'retrying'],
      ...(all ? {} : { eventType: state.events }),
    },
    range: [positions, ...span('eventAt', since, undefined)],
    page: 1,
    limit: 1,
  });
  // an endpoint is not told of itself
  const own = client.listRows({ ...journal, equals: { objectId: id } });
  const [wanted, accepted, aboutItself] = await Promise.all([client.listRows(journal), had, own]);
  return Math.max(0, wanted.total - aboutItself.total - accepted.total);
}
