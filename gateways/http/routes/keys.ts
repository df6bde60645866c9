/** API keys, for the operator and for the dashboard: create, list, revoke.
 *  1. The text of a key appears in one answer, once; only its SHA-256 and its last characters are stored.
 *  2. A repeat of one creation, under the same minted parts, answers the same text.
 *  3. At the dashboard the place says project and mode: no other key can be created, seen or revoked there. */
import { randomBytes } from 'node:crypto';
import { nameCharactersMax } from '../../../src/kernel/text-bounds.ts';
import { projectAt, type ApiKey, type ProjectState } from '../../../actors/project/messages.ts';
import { keyRecord, keyRows, type KeyRow } from '../../../actors/project/view.ts';
import { fieldError } from '../../../src/errors.ts';
import { sha256Hex } from '../../../src/kernel/hash.ts';
import { couldBeId, mintId } from '../../../src/kernel/id.ts';
import type { Seal } from '../../../src/kernel/seal.ts';
import type { Instant } from '../../../src/kernel/time.ts';
import { modes, type Mode } from '../../../src/runtime/model/address.ts';
import type { Client, Snapshot } from '../../../src/runtime/model/client.ts';
import type { Row } from '../../../src/store/store.ts';
import type { Caller } from '../access/auth.ts';
import { Type } from 'typebox';
import type { ApiParts } from '../api-parts.ts';
import { askAndShow, done, notFound, unavailable } from '../route/answer.ts';
import type { Resource } from '../route/description.ts';
import { instantFrom } from '../route/instant.ts';
import { isPage, listed, listQuerySchema, pageOf, queryOf } from '../route/paging.ts';
import { invalid } from '../route/route.ts';
import { about, instant, text } from '../route/schemas.ts';
import { route, type ById } from '../route/spec.ts';
import { apiKey, keyAccesses, keyKinds, newApiKey, revokedApiKey } from '../schemas/api-key.ts';
import { listOf } from '../schemas/parts.ts';

const keys: Resource = {
  name: 'API keys',
  description: 'What a merchant calls the API with. A key belongs to one project and one mode.',
};

const createBody = Type.Object({
  kind: about('`secret`: for servers. `publishable`: for browsers.', Type.Enum([...keyKinds])),
  mode: about('Which data its requests see.', Type.Enum([...modes])),
  name: Type.Optional(about('For people.', text(nameCharactersMax, 1))),
  access: Type.Optional(
    about('`full` by default. A publishable key is always `read`.', Type.Enum([...keyAccesses])),
  ),
  expiresAt: Type.Optional(about('When it stops working, later than now. Absent: never.', instant)),
});

type Parts = Pick<ApiParts, 'client' | 'auth' | 'seal' | 'scheduler' | 'versions'>;

export const keyRoutes = (parts: Parts) => [
  route({
    method: 'POST',
    at: { operator: '/admin/v1/projects/{id}/keys', dashboard: 'keys' },
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
    mints: mintsOf(parts.seal),
    async handle({ caller, params, body, ids }) {
      // that of a login exists
      if (caller === null && !(await projectExists(parts.client, params.id))) return notFound;
      const expiresAt = body.expiresAt === undefined ? null : instantFrom(body.expiresAt);
      // real time: keys expire on it in the sandbox, too
      if (expiresAt !== null && expiresAt <= parts.scheduler.now())
        return invalid([fieldError('expiresAt', 'must_be_later', 'now')]);
      return created(parts, params.id, { ...body, expiresAt }, ids, askerOf(caller));
    },
  }),
  route({
    method: 'GET',
    at: { operator: '/admin/v1/projects/{id}/keys', dashboard: 'keys' },
    resource: keys,
    operation: 'listApiKeys',
    summary: 'List the API keys of a project',
    answer: listOf(apiKey),
    object: 'project',
    key: 'operator',
    reply: 200,
    query: listQuerySchema,
    async handle({ caller, params: { id }, query }) {
      const page = pageOf(query);
      if (!isPage(page)) return page;
      if (!(await projectExists(parts.client, id))) return notFound;
      const equals = { projectId: id, ...(caller === null ? {} : { mode: caller.mode }) };
      const { items, total } = await parts.client.listRows(
        queryOf('api_key', 'system', page, query, { equals }),
      );
      return listed(items.map(recordOf), total, page);
    },
  }),
  route({
    method: 'POST',
    at: { operator: '/admin/v1/keys/{id}/revoke', dashboard: 'keys/{id}/revoke' },
    resource: keys,
    operation: 'revokeApiKey',
    summary: 'Revoke an API key',
    description: 'It stops working within 5 s, for good.',
    answer: revokedApiKey,
    object: 'API key',
    key: 'operator',
    reply: 200,
    handle: ({ caller, params }) => revoked(parts, params.id, caller),
  }),
];

/** Who asks, as the project knows it. Its commands all have the scope `system`. */
type Asker = 'operator' | 'system';
const askerOf = (caller: Caller | null): Asker => (caller === null ? 'operator' : 'system');

interface KeyRequest {
  readonly kind: ApiKey['kind'];
  readonly mode: Mode;
  readonly name?: string;
  readonly access?: ApiKey['access'];
  readonly expiresAt: Instant | null;
}

/** What is random about a new key. The random part of its text is sealed, because the record of a keyed request
 *  stores what was minted. */
const mintsOf = (seal: Seal) => ({
  // an id that cannot be a project's is answered 404 later
  key: ({ id }: ById) => (couldBeId('prj', id) ? mintId('key', id) : mintId('key')),
  sealedText: ({ id }: ById) => seal.seal(base62(keyCharacters), aboutText(id)),
});

/** Prefixes that are issued; more are accepted. */
const prefixes: { readonly [kind in ApiKey['kind']]: { readonly [mode in Mode]: string } } = {
  secret: { sandbox: 'sk_test_', live: 'sk_live_' },
  publishable: { sandbox: 'pk_sandbox_', live: 'pk_live_' },
};
const keyCharacters = 32;

/** Associated data (AEAD) of the sealed text. */
const aboutText = (projectId: string): string => `new api key of ${projectId}`;

/** The project exists. */
async function created(
  { client, seal, versions }: Parts,
  projectId: string,
  request: KeyRequest,
  ids: { readonly key: string; readonly sealedText: string },
  by: Asker,
) {
  const secretText = prefixes[request.kind][request.mode] + seal.open(ids.sealedText, aboutText(projectId));
  const key = { ...newKey(ids.key, request, secretText), apiVersion: versions.newest };
  const say = (project: Snapshot<ProjectState>) => {
    const record = recordIn(project, key.id);
    return record === null ? unavailable : done({ ...record, key: secretText }, true);
  };
  return askAndShow(client, projectAt(projectId), 'createKey', { key }, { by, scope: 'system' }, say);
}

/** `caller`: the project and mode it must belong to; null: the operator, who may revoke any. */
async function revoked({ client, auth }: Parts, id: string, caller: Caller | null) {
  const row = couldBeId('key', id) ? await client.readRow('api_key', id, 'system') : null;
  if (row === null) return notFound;
  const { projectId, mode } = keyRowOf(row);
  if (caller !== null && (caller.projectId !== projectId || caller.mode !== mode)) return notFound;
  const asking = { by: askerOf(caller), scope: 'system' } as const;
  const say = (project: Snapshot<ProjectState>) => {
    auth.forget(projectId);
    const record = recordIn(project, id);
    return record === null ? unavailable : done({ ...record });
  };
  return askAndShow(client, projectAt(projectId), 'revokeKey', { keyId: id }, asking, say);
}

async function projectExists(client: Client, id: string): Promise<boolean> {
  return couldBeId('prj', id) && (await client.read(projectAt(id), 'system')) !== null;
}

/** A row of kind `api_key` has this body. */
const keyRowOf = ({ body }: Row): KeyRow => body as unknown as KeyRow;
const recordOf = (row: Row) => keyRecord(keyRowOf(row));

/** A key as its project has it. */
function recordIn({ state, meta }: Snapshot<ProjectState>, keyId: string) {
  const row = keyRows(state, meta).find(({ id }) => id === keyId);
  return row === undefined ? null : keyRecord(row.body as unknown as KeyRow);
}

type NewKey = Omit<ApiKey, 'apiVersion' | 'createdAt' | 'revokedAt' | 'lastUsedAt'>;

/** `access` applies to a secret key; a publishable one is read-only, whatever was sent. */
function newKey(id: string, { kind, mode, name, access, expiresAt }: KeyRequest, text: string): NewKey {
  return {
    id,
    name: name ?? null,
    kind,
    mode,
    access: kind === 'secret' ? (access ?? 'full') : 'read',
    prefix: prefixes[kind][mode],
    last4: text.slice(-4),
    sha256: sha256Hex(text),
    expiresAt,
  };
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
