/** The operator's doors to API keys: create, list, revoke. */
import { Type } from 'typebox';
import type { Door } from '../../server/door.ts';
import type { ApiParts } from '../api-parts.ts';
import { createKey, keyMints, listKeys, projectExists, revokeKey } from '../keys.ts';
import { notFound } from '../route/answer.ts';
import type { Resource } from '../route/description.ts';
import { instantFrom } from '../route/instant.ts';
import { listQuerySchema } from '../route/paging.ts';
import type { MakeRoute } from '../route/route.ts';
import { about, instant, text } from '../route/schemas.ts';
import { apiKey, keyAccesses, keyKinds, keyModes, newApiKey, revokedApiKey } from '../schemas/api-key.ts';
import { listOf } from '../schemas/parts.ts';

const keys: Resource = {
  name: 'API keys',
  description: 'What a merchant calls the API with. A key belongs to one project and one mode.',
};

const createBody = Type.Object({
  kind: about('`secret`: for servers. `publishable`: for browsers.', Type.Enum([...keyKinds])),
  mode: about('Which data its requests see.', Type.Enum([...keyModes])),
  name: Type.Optional(about('For people.', text(100))),
  access: Type.Optional(
    about('`full` unless told. A publishable key is always `read`.', Type.Enum([...keyAccesses])),
  ),
  expiresAt: Type.Optional(about('When it stops working. Absent: never.', instant)),
});

type Parts = Pick<ApiParts, 'client' | 'auth' | 'seal' | 'versions'>;

export const keyRoutes = (route: MakeRoute, { client, auth, seal, versions }: Parts): readonly Door[] => [
  route({
    method: 'POST',
    path: '/admin/v1/projects/{id}/keys',
    resource: keys,
    operation: 'createApiKey',
    summary: 'Create an API key',
    description: 'At most 200 for each project.',
    answer: newApiKey,
    exampleBody: { kind: 'secret', mode: 'live', name: 'Server' },
    errors: ['key_limit_reached'],
    object: 'project',
    key: 'operator',
    reply: 201,
    body: createBody,
    mints: keyMints(seal, ({ id = '' }) => id),
    async handle({ params, body, ids }) {
      const projectId = params['id'] ?? '';
      if (!(await projectExists(client, projectId))) return notFound;
      const expiresAt = body.expiresAt === undefined ? null : instantFrom(body.expiresAt);
      return createKey({ client, seal, versions }, projectId, { ...body, expiresAt }, ids, 'operator');
    },
  }),
  route({
    method: 'GET',
    path: '/admin/v1/projects/{id}/keys',
    resource: keys,
    operation: 'listApiKeys',
    summary: 'List the API keys of a project',
    answer: listOf(apiKey),
    object: 'project',
    key: 'operator',
    reply: 200,
    query: listQuerySchema,
    handle: ({ params, query }) => listKeys(client, params['id'] ?? '', query),
  }),
  route({
    method: 'POST',
    path: '/admin/v1/keys/{id}/revoke',
    resource: keys,
    operation: 'revokeApiKey',
    summary: 'Revoke an API key',
    description: 'It stops working within 5 s, for good.',
    answer: revokedApiKey,
    object: 'API key',
    key: 'operator',
    reply: 200,
    handle: ({ params }) => revokeKey({ client, auth }, params['id'] ?? '', 'operator'),
  }),
];
