/** API keys: create, list, revoke. Used by the operator's doors and by the dashboard's; both decide first who may.
 *  1. The text of a key appears in one answer, once; only its SHA-256 and its last characters are stored.
 *  2. A repeat of one creation, under the same minted parts, answers the same text. */
import { randomBytes } from 'node:crypto';
import { projectAt, type ApiKey } from '../../actors/project/messages.ts';
import { keyRecord, type KeyRow } from '../../actors/project/view.ts';
import { sha256Hex } from '../../src/kernel/hash.ts';
import { couldBeId, mintId } from '../../src/kernel/id.ts';
import type { Seal } from '../../src/kernel/seal.ts';
import type { Instant } from '../../src/kernel/time.ts';
import type { Mode } from '../../src/runtime/model/address.ts';
import type { Client } from '../../src/runtime/model/client.ts';
import type { Row } from '../../src/store/store.ts';
import type { ApiParts } from './api-parts.ts';
import type { Auth } from './access/auth.ts';
import { answerTo, done, notFound, type Answer } from './route/answer.ts';
import type { Ids } from './route/idempotency.ts';
import { isPage, listed, pageOf, queryOf, type Listing } from './route/paging.ts';

/** Who asks, as the project knows it. Its commands all have the scope `system`. */
type Asker = 'operator' | 'system';

export interface KeyRequest {
  readonly kind: ApiKey['kind'];
  readonly mode: Mode;
  readonly name?: string;
  readonly access?: ApiKey['access'];
  readonly expiresAt: Instant | null;
}

/** What is random about a new key. The random part of its text is sealed, because the record of a keyed request
 *  stores what was minted. */
export const keyMints = (seal: Seal, projectIdOf: (params: Params) => string) => ({
  key: (params: Params) => {
    const projectId = projectIdOf(params);
    // an id that cannot be a project's is answered 404 later
    return couldBeId('prj', projectId) ? mintId('key', projectId) : mintId('key');
  },
  sealedText: (params: Params) => seal.seal(base62(keyCharacters), aboutText(projectIdOf(params))),
});

type Params = { readonly [name: string]: string };

/** Prefixes that are issued; more are accepted. */
const prefixes: { readonly [kind in ApiKey['kind']]: { readonly [mode in Mode]: string } } = {
  secret: { sandbox: 'sk_test_', live: 'sk_live_' },
  publishable: { sandbox: 'pk_sandbox_', live: 'pk_live_' },
};
const keyCharacters = 32;

/** Associated data (AEAD) of the sealed text. */
const aboutText = (projectId: string): string => `new api key of ${projectId}`;

/** The project exists. `ids`: as minted by `keyMints`. */
export async function createKey(
  { client, seal, versions }: Pick<ApiParts, 'client' | 'seal' | 'versions'>,
  projectId: string,
  request: KeyRequest,
  { key: id = '', sealedText = '' }: Ids,
  by: Asker,
): Promise<Answer> {
  const secretText = prefixes[request.kind][request.mode] + seal.open(sealedText, aboutText(projectId));
  const key = { ...newKey(id, request, secretText), apiVersion: versions.newest };
  const result = await client.ask(projectAt(projectId), 'createKey', { key }, { by, scope: 'system' });
  const find = (): Promise<Row | null> => client.readRow('api_key', key.id, 'system');
  return answerTo(result, find, (row) => done({ ...recordOf(row), key: secretText }, true));
}

/** `mode`: only its keys; all by default. */
export async function listKeys(
  client: Client,
  projectId: string,
  query: Listing,
  mode?: Mode,
): Promise<Answer> {
  const page = pageOf(query);
  if (!isPage(page)) return page;
  if (!(await projectExists(client, projectId))) return notFound;
  const equals = mode === undefined ? { projectId } : { projectId, mode };
  const { items, total } = await client.listRows(queryOf('api_key', 'system', page, query, { equals }));
  return listed(items.map(recordOf), total, page);
}

/** `within`: the only project and mode whose keys may be revoked; anywhere by default. */
export async function revokeKey(
  { client, auth }: { readonly client: Client; readonly auth: Pick<Auth, 'forget'> },
  id: string,
  by: Asker,
  within?: { readonly projectId: string; readonly mode: Mode },
): Promise<Answer> {
  const row = couldBeId('key', id) ? await client.readRow('api_key', id, 'system') : null;
  if (row === null) return notFound;
  const { projectId, mode } = keyRowOf(row);
  if (within !== undefined && (within.projectId !== projectId || within.mode !== mode)) return notFound;
  const result = await client.ask(projectAt(projectId), 'revokeKey', { keyId: id }, { by, scope: 'system' });
  if (result.is === 'ok') auth.forget(projectId);
  const find = (): Promise<Row | null> => client.readRow('api_key', id, 'system');
  return answerTo(result, find, (revoked) => done({ ...recordOf(revoked) }));
}

export async function projectExists(client: Client, id: string): Promise<boolean> {
  return couldBeId('prj', id) && (await client.read(projectAt(id), 'system')) !== null;
}

/** A row of kind `api_key` has this body. */
const keyRowOf = ({ body }: Row): KeyRow => body as unknown as KeyRow;
const recordOf = (row: Row) => keyRecord(keyRowOf(row));

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
