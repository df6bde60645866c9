/** GET /v1/openapi.json and /admin/v1/openapi.json: the API describes itself. No key is needed: the documents
 *  say what every reader of the source knows.
 *  1. A document is made on its first request, from the declarations of the routes that this node mounts, and
 *     kept as bytes, also compressed: it is large, and anybody may ask for it as often as they like. */
import { gzipSync } from 'node:zlib';
import { Type } from 'typebox';
import { sha256Base32 } from '../../../src/kernel/hash.ts';
import { takesGzip } from '../../server/accept-encoding.ts';
import type { Door, DoorReply } from '../../server/door.ts';
import { shown, type Resource } from '../route/description.ts';
import { jsonType, type Headers } from '../route/reply.ts';
import type { Operation } from './operation.ts';
import { errorsOfAll } from './errors.ts';
import type { Json } from './schema.ts';

/** After an upgrade, a client may have the older document for this long. */
const cacheControl = 'public, max-age=300';
const etagCharacters = 24;

export function documentDoor(path: string, make: () => Json): Door {
  let made: { readonly plain: Packed; readonly packed: Packed } | null = null;
  const whole = (): NonNullable<typeof made> => {
    const text = JSON.stringify(make());
    const tag = sha256Base32([text], etagCharacters);
    return {
      plain: { bytes: Buffer.from(text), etag: `"${tag}"`, headers: {} },
      packed: { bytes: gzipSync(text), etag: `"${tag}-gzip"`, headers: { 'Content-Encoding': 'gzip' } },
    };
  };
  return {
    method: 'GET',
    path,
    lateHeaders: [],
    handle: (request): DoorReply => {
      made ??= whole();
      const sent = takesGzip(request.header('accept-encoding')) ? made.packed : made.plain;
      const headers = { 'Cache-Control': cacheControl, ETag: sent.etag, Vary: 'Accept-Encoding' };
      return request.header('if-none-match') === sent.etag
        ? { status: 304, headers, body: null }
        : {
            status: 200,
            headers: { 'Content-Type': jsonType, ...headers, ...sent.headers },
            body: sent.bytes,
          };
    },
  };
}

/** The document as it is sent: its bytes, and what belongs to them. */
interface Packed {
  readonly bytes: Buffer;
  readonly etag: string;
  readonly headers: Headers;
}

const description: Resource = {
  name: 'OpenAPI document',
  description: 'The description of the API itself, for tools that read OpenAPI.',
};

const documentSchema = Type.Object(
  {
    openapi: Type.String({ description: 'The version of OpenAPI.' }),
    info: Type.Object(
      {
        title: Type.String({ description: 'The name of the API.' }),
        version: Type.String({ description: 'The version of the API.' }),
      },
      { additionalProperties: true, description: 'What it describes.' },
    ),
  },
  { $id: 'OpenApiDocument', description: 'An OpenAPI document.', additionalProperties: true },
);

/** The operation that answers a document. */
export const documentOperation = (path: string, title: string, version: string): Operation => ({
  method: 'GET',
  path,
  key: 'none',
  resource: description,
  operation: 'readOpenApi',
  summary: 'Read this document',
  description: 'Send the ETag of the last answer as `If-None-Match` and get 304 while nothing has changed.',
  headers: [{ name: 'If-None-Match', description: 'The ETag of an earlier answer.', example: '"mt6p2n9e"' }],
  results: [
    {
      status: 200,
      description: 'The document; the example shows its beginning.',
      headers: ['ETag', 'Vary', 'Content-Encoding'],
      content: { 'application/json': shown(documentSchema, { openapi: '3.1.1', info: { title, version } }) },
    },
    { status: 304, description: 'Nothing has changed.', headers: ['ETag', 'Vary'], content: {} },
  ],
  errors: errorsOfAll,
  keyed: false,
  checksInput: false,
  anyOrigin: false,
});
