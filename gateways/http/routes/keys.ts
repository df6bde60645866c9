/** The operator's doors to API keys: create, list, revoke.
 *  1. The text of a key appears in one answer, once; only its SHA-256 is stored. */
import { randomBytes } from 'node:crypto';
import { Type, type Static } from 'typebox';
import { projectAt, type ApiKey } from '../../../actors/project/messages.ts';
import { keyRecord, type KeyRow } from '../../../actors/project/view.ts';
import { sha256Hex } from '../../../src/kernel/hash.ts';
import { couldBeId, mintId } from '../../../src/kernel/id.ts';
import type { Mode } from '../../../src/runtime/model/address.ts';
import type { Client } from '../../../src/runtime/model/client.ts';
import type { Row } from '../../../src/store/store.ts';
import { done, notFound, refusalOf, unavailable } from '../route/answer.ts';
import type { Door } from '../../server/door.ts';
import { instantFrom } from '../route/instant.ts';
import { isPage, listed, listQuerySchema, pageOf, queryOf } from '../route/paging.ts';
import type { MakeRoute } from '../route/route.ts';
import type { ApiParts } from '../api-parts.ts';
import type { Resource } from '../route/description.ts';
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

/** Prefixes that are issued; more are accepted. */
const prefixes: { readonly [kind in ApiKey['kind']]: { readonly [mode in Mode]: string } } = {
  secret: { sandbox: 'sk_test_', live: 'sk_live_' },
  publishable: { sandbox: 'pk_sandbox_', live: 'pk_live_' },
};
const keyCharacters = 32;
const operator = { by: 'operator', scope: 'system' } as const;

type Parts = Pick<ApiParts, 'client' | 'auth' | 'versions'>;

export const keyRoutes = (route: MakeRoute, { client, auth, versions }: Parts): readonly Door[] => [
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
    async handle({ params, body }) {
      const projectId = params['id'] ?? '';
      if (!(await projectExists(client, projectId))) return notFound;
      const { key, secretText } = newKey(projectId, body, versions.newest);
      const result = await client.ask(projectAt(projectId), 'createKey', { key }, operator);
      if (result.is !== 'ok') return refusalOf(result);
      const row = await client.readRow('api_key', key.id, 'system');
      return row === null ? unavailable : done({ ...recordOf(row), key: secretText });
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
    async handle({ params, query }) {
      const projectId = params['id'] ?? '';
      const page = pageOf(query);
      if (!isPage(page)) return page;
      if (!(await projectExists(client, projectId))) return notFound;
      const asked = queryOf('api_key', 'system', page, query, { equals: { projectId } });
      const { items, total } = await client.listRows(asked);
      return listed(items.map(recordOf), total, page);
    },
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
    async handle({ params }) {
      const id = params['id'] ?? '';
      const row = couldBeId('key', id) ? await client.readRow('api_key', id, 'system') : null;
      if (row === null) return notFound;
      const result = await client.ask(projectAt(row.owner.id), 'revokeKey', { keyId: id }, operator);
      if (result.is !== 'ok') return refusalOf(result);
      auth.forget();
      const revoked = await client.readRow('api_key', id, 'system');
      return revoked === null ? unavailable : done({ ...recordOf(revoked) });
    },
  }),
];

async function projectExists(client: Client, id: string): Promise<boolean> {
  return couldBeId('prj', id) && (await client.read(projectAt(id), 'system')) !== null;
}

/** A row of kind `api_key` has this body. */
const recordOf = ({ body }: Row) => keyRecord(body as unknown as KeyRow);

type NewKey = Omit<ApiKey, 'createdAt' | 'revokedAt' | 'lastUsedAt'>;

/** The record of a new key, and its text. `access` applies to a secret key; a publishable one is read-only,
 *  whatever was sent. */
function newKey(
  projectId: string,
  body: Static<typeof createBody>,
  apiVersion: string,
): { key: NewKey; secretText: string } {
  const { kind, mode, name = null, expiresAt } = body;
  const access = kind === 'secret' ? (body.access ?? 'full') : 'read';
  const prefix = prefixes[kind][mode];
  const secretText = prefix + base62(keyCharacters);
  const key: NewKey = {
    id: mintId('key', projectId),
    name,
    kind,
    mode,
    access,
    prefix,
    last4: secretText.slice(-4),
    sha256: sha256Hex(secretText),
    apiVersion,
    expiresAt: expiresAt === undefined ? null : instantFrom(expiresAt),
  };
  return { key, secretText };
}

const letters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Random text, every character equally likely: bytes above the last multiple of 62 are discarded. */
function base62(length: number): string {
  let made = '';
  while (made.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < 248 && made.length < length) made += letters.charAt(byte % letters.length);
    }
  }
  return made;
}
