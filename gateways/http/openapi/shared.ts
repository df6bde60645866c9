/** Parts that all operations share: parameters, response headers, the error body, security schemes. */
import { hours } from '../../../src/kernel/time.ts';
import { lifeMs } from '../../../actors/idempotency-key/messages.ts';
import { apiVersion, releases } from '../../../src/kernel/api-releases.ts';
import { errors, fieldMessages, idempotencyConflict } from '../../../src/errors.ts';
import type { Json } from './schema.ts';

const header = (description: string, schema: Json): Json => ({ description, schema });
const seconds = { type: 'integer', minimum: 0 };
const whole = { type: 'integer', minimum: 0 };

/** Headers of answers, by their names. */
export const responseHeaders = {
  'X-Request-Id': header('The id of this request; name it when you ask for help.', {
    type: 'string',
    pattern: '^req_[0-9a-hjkmnp-tv-z]{24}$',
  }),
  'Api-Version': header('The version of the API that answered.', { type: 'string', examples: [apiVersion] }),
  Deprecation: header(
    'Since when the version of this answer is deprecated (RFC 9745). Absent for the newest version.',
    { type: 'string', examples: ['@1809129600'] },
  ),
  Sunset: header('When the version of this answer ends (RFC 8594). Absent for the newest version.', {
    type: 'string',
    examples: ['Thu, 01 Jun 2028 00:00:00 GMT'],
  }),
  'Cache-Control': header('`no-store`, unless the operation says otherwise.', { type: 'string' }),
  'RateLimit-Limit': header('Requests allowed in the current period. Absent where limits are off.', whole),
  'RateLimit-Remaining': header('Requests left in it.', whole),
  'RateLimit-Reset': header('Seconds until the whole limit is available again.', seconds),
  'Retry-After': header('Seconds after which the request may be sent again.', seconds),
  'Idempotent-Replayed': header(
    '`true` when this is the stored answer to an earlier request with the same ' +
      '`Idempotency-Key`. Absent otherwise.',
    { type: 'string', enum: ['true'] },
  ),
  'X-Ignored-Params': header(
    'Names in the body and the query that this operation does not know, separated by ' +
      'commas: the first 20. Absent when there are none.',
    { type: 'string', examples: ['foo,customer.bar'] },
  ),
  'Access-Control-Allow-Origin': header('A page of any origin may read it.', { type: 'string', enum: ['*'] }),
  'X-Accel-Buffering': header('Tells a proxy to pass each frame on at once.', {
    type: 'string',
    enum: ['no'],
  }),
  ETag: header('Changes when the document does: send it as `If-None-Match`.', { type: 'string' }),
  'Content-Encoding': header('`gzip` where your `Accept-Encoding` takes it.', { type: 'string' }),
  Vary: header('It depends on your `Accept-Encoding`.', { type: 'string' }),
  'Content-Disposition': header('Of a CSV file: its name.', { type: 'string' }),
  'X-Total-Count': header('Of a CSV file: entries that match; the file has the newest 10,000.', whole),
} satisfies { readonly [name: string]: Json };

export type ResponseHeader = keyof typeof responseHeaders;

export const parameters: { readonly [name: string]: Json } = {
  ApiVersion: {
    name: 'Api-Version',
    in: 'header',
    description: 'The version of the API you were written for. Absent: the one your key is pinned to.',
    required: false,
    schema: { type: 'string', enum: releases.map(({ version }) => version) },
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Makes it safe to send the request again: it is executed once. 1 to 255 visible ' +
      `ASCII characters that you choose, valid for ${lifeMs / hours(1)} hours.`,
    required: false,
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
    example: '6f1c2f0e-6b0a-4b57-9a0f-3a5a1d0c9b11',
  },
};

const fieldErrorSchema: Json = {
  type: 'object',
  description: 'One field that is not valid.',
  required: ['param', 'code', 'message'],
  properties: {
    param: { type: 'string', description: 'Path of the field, for example `customer.email`.' },
    code: {
      type: 'string',
      description: `Stable. One of: ${Object.keys(fieldMessages).join(', ')}. More may follow.`,
    },
    message: { type: 'string', description: 'For people; may change.' },
  },
};

const errorSchema: Json = {
  type: 'object',
  description: 'What every error answers, except 409 `idempotency_conflict`.',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      description: 'What went wrong.',
      required: ['message', 'type', 'code', 'request_id'],
      properties: {
        message: { type: 'string', description: 'For people; may change.' },
        type: {
          type: 'string',
          enum: [...new Set(Object.values(errors).map(({ type }) => type))],
          description: 'The kind of error.',
        },
        code: { type: 'string', description: 'Stable: what a program decides by.' },
        request_id: { type: 'string', description: 'The same as the header `X-Request-Id`.' },
        param: { type: 'string', description: 'What the error is about, where it is about one thing.' },
        errors: {
          type: 'array',
          description: 'Every field that is not valid, in the order of the fields: the first 100.',
          items: { $ref: '#/components/schemas/FieldError' },
        },
        currentStatus: { type: 'string', description: 'The status that forbids it, of a 409.' },
        suspension: {
          type: 'object',
          description: 'Why the merchant is suspended, of `account_suspended`.',
          required: ['suspended_at', 'reason'],
          properties: {
            suspended_at: { type: 'string', format: 'date-time', description: 'Since when.' },
            reason: { type: 'string', description: 'Why, in words.' },
          },
        },
        entitlement: { type: 'string', description: 'What the plan lacks, of `entitlement_required`.' },
      },
    },
    entitlement: { type: 'string', description: 'The same again, of `entitlement_required`.' },
  },
};

const conflictSchema: Json = {
  type: 'object',
  description: 'The one error with a flat body: a request with the same `Idempotency-Key` is still running.',
  required: ['error', 'code'],
  properties: {
    error: { type: 'string', description: 'For people; may change.' },
    code: { type: 'string', enum: [idempotencyConflict.code], description: 'Stable.' },
  },
};

export const errorSchemas: Json = {
  Error: errorSchema,
  FieldError: fieldErrorSchema,
  IdempotencyConflict: conflictSchema,
};

const bearer = (description: string): Json => ({ type: 'http', scheme: 'bearer', description });

/** By the names that security requirements use. */
export const securitySchemes: { readonly [name: string]: Json } = {
  secretKey: bearer('A secret key, `sk_test_...` or `sk_live_...`. Keep it on your server.'),
  publishableKey: bearer('A publishable key, `pk_sandbox_...` or `pk_live_...`.'),
  operatorToken: bearer(
    "The operator's token: `GALLA_ADMIN_TOKEN`, or the file `admin-token` of the data folder.",
  ),
};
