/** Every error our API can answer: code -> status, type and message, and the field codes.
 *  Boundary: texts and shapes; the gateways decide when to answer which one.
 *  1. A published code keeps its status, type and meaning.
 *  2. Each code is in docs/reference/errors.md; a test compares the two. */
import type { PublicError } from './kernel/public-error.ts';
import { shortened } from './kernel/text.ts';
import { kinds } from '../actors/cast.ts';

export type { ErrorType } from './kernel/public-error.ts';

/** The errors not declared by an actor kind. */
const common = {
  api_key_missing: {
    status: 401,
    type: 'authentication_error',
    message: 'No API key was sent. Send it as: Authorization: Bearer <API_KEY>.',
  },
  api_key_invalid: { status: 401, type: 'authentication_error', message: 'This API key is not recognised.' },
  api_key_revoked: { status: 401, type: 'authentication_error', message: 'This API key was revoked.' },
  api_key_expired: { status: 401, type: 'authentication_error', message: 'This API key has expired.' },
  admin_token_invalid: {
    status: 401,
    type: 'authentication_error',
    message: 'This operator token is not recognised.',
  },
  login_required: { status: 401, type: 'authentication_error', message: 'Log in to the dashboard first.' },
  api_key_must_be_secret: {
    status: 403,
    type: 'authentication_error',
    message: 'This endpoint needs a secret key (sk_...).',
  },
  account_suspended: { status: 403, type: 'account_error', message: 'This merchant account is suspended.' },
  key_access_insufficient: { status: 403, type: 'permission_error', message: 'This key may only read.' },
  sandbox_only: {
    status: 403,
    type: 'permission_error',
    message: 'This endpoint works with sandbox keys only.',
  },
  origin_not_allowed: {
    status: 403,
    type: 'permission_error',
    message: 'The dashboard accepts changes only from its own pages.',
  },
  csrf_token_invalid: {
    status: 403,
    type: 'permission_error',
    message: 'The X-CSRF-Token of this session is missing or wrong. Load the page again.',
  },
  entitlement_required: {
    status: 403,
    type: 'permission_error',
    message: 'This is not part of your plan.',
  },
  validation_failed: { status: 400, type: 'invalid_request_error', message: 'Some fields are not valid.' },
  invalid_json: { status: 400, type: 'invalid_request_error', message: 'The body is not valid JSON.' },
  idempotency_key_invalid: {
    status: 400,
    type: 'invalid_request_error',
    message: 'Idempotency-Key must be 1 to 255 visible ASCII characters.',
    param: 'Idempotency-Key',
  },
  page_too_deep: {
    status: 400,
    type: 'invalid_request_error',
    message: 'Page too deep. Narrow the list with createdTo.',
    param: 'page',
  },
  api_version_unknown: {
    status: 400,
    type: 'invalid_request_error',
    message: 'Unknown Api-Version.',
    param: 'Api-Version',
  },
  callback_signature_invalid: {
    status: 400,
    type: 'invalid_request_error',
    message: 'The signature of this callback does not verify.',
  },
  resource_not_found: {
    status: 404,
    type: 'invalid_request_error',
    message: 'No such resource.',
    param: 'id',
  },
  payment_not_found: {
    status: 404,
    type: 'invalid_request_error',
    message: 'No payment matches this reference.',
    param: 'query',
  },
  ambiguous_reference: {
    status: 404,
    type: 'invalid_request_error',
    message: 'More than one merchant uses this reference. Use the payment id, or add merchant.',
    param: 'query',
  },
  endpoint_not_found: { status: 404, type: 'invalid_request_error', message: 'No such endpoint.' },
  command_not_offered: {
    status: 404,
    type: 'invalid_request_error',
    message: 'No such command is offered.',
  },
  method_not_allowed: { status: 405, type: 'invalid_request_error', message: 'Method not allowed.' },
  invalid_state: {
    status: 409,
    type: 'invalid_request_error',
    message: 'This is not possible in the current state.',
  },
  command_expired: {
    status: 410,
    type: 'invalid_request_error',
    message: 'This command was made more than 24 hours ago.',
    param: 'at',
  },
  event_cursor_gone: {
    status: 410,
    type: 'invalid_request_error',
    message: 'This event is older than the kept history.',
    param: 'Last-Event-ID',
  },
  request_too_large: {
    status: 413,
    type: 'invalid_request_error',
    message: 'The body is larger than 64 KiB.',
  },
  unsupported_media_type: { status: 415, type: 'invalid_request_error', message: 'Send application/json.' },
  idempotency_key_reused: {
    status: 422,
    type: 'invalid_request_error',
    message: 'This Idempotency-Key was used with another body.',
    param: 'Idempotency-Key',
  },
  provider_not_configured: {
    status: 422,
    type: 'invalid_request_error',
    message: 'No such provider is configured for this project and mode.',
    param: 'provider',
  },
  rate_limit_exceeded: { status: 429, type: 'rate_limit_error', message: 'Too many requests.' },
  internal_error: { status: 500, type: 'api_error', message: 'Something failed on our side.' },
  provider_unavailable: {
    status: 502,
    type: 'api_error',
    message: 'The provider did not answer. Nothing was created; try again.',
  },
  service_unavailable: {
    status: 503,
    type: 'api_error',
    message: 'The service is starting or overloaded. Try again.',
  },
} as const satisfies { readonly [code: string]: PublicError };

type Kinds = (typeof kinds)[number];
type Own<K> = K extends { readonly refusals: infer R } ? keyof R : never;
type Refusal = Own<Kinds>;

/** The public errors that the kinds of actors declare, by code. */
const refusals = Object.assign({}, ...kinds.map((kind) => ('refusals' in kind ? kind.refusals : {}))) as {
  readonly [code in Refusal]: PublicError;
};

export const errors: { readonly [code in keyof typeof common | Refusal]: PublicError } = {
  ...common,
  ...refusals,
};

export type ErrorCode = keyof typeof errors;

/** The only error with a flat body, as the public interface requires. */
export const idempotencyConflict = {
  status: 409,
  code: 'idempotency_conflict',
  message: 'A request with this Idempotency-Key is still running. Try again after a short delay.',
} as const;

/** What a plan may not include. */
export type Entitlement = 'qr_a.directQr' | 'wallet_a.intent';

export interface Suspension {
  readonly suspended_at: string;
  readonly reason: string;
}

export interface FieldError {
  /** Path of the field, e.g. `customer.email`. */
  readonly param: string;
  readonly code: FieldCode;
  readonly message: string;
}

/** Additional fields of an error beside its code. */
export interface ErrorDetails {
  /** Replaces the default text. */
  readonly message?: string;
  readonly param?: string;
  readonly errors?: readonly FieldError[];
  readonly currentStatus?: string;
  readonly suspension?: Suspension;
  /** What the plan does not include; also placed beside `error`, as the public interface requires. */
  readonly entitlement?: Entitlement;
}

export const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(errors, code);

/** The JSON body of an error, keys in the order of docs/reference/errors.md. */
export function errorBody(code: ErrorCode, requestId: string, details: ErrorDetails = {}): string {
  const row = errors[code];
  const { message = row.message, param = row.param, errors: fields, ...more } = details;
  const { currentStatus, suspension, entitlement } = more;
  const about = { param, errors: fields && listed(fields), currentStatus, suspension, entitlement };
  const error = { message, type: row.type, code, request_id: requestId, ...about };
  return JSON.stringify({ error, entitlement });
}

/** The flat body of a 409 `idempotency_conflict`. */
export const conflictBody = (): string =>
  JSON.stringify({ error: idempotencyConflict.message, code: idempotencyConflict.code });

/** Field codes in `errors[].code`; `limit` is the bound that was exceeded, `form` what was expected. */
export const fieldMessages = {
  required: (param, instead) => `${param} is required${instead === '' ? '.' : instead}`,
  wrong_type: (param, form) => `${param} must be ${form}.`,
  too_short: (param, limit) => `${param} must have at least ${limit}.`,
  too_long: (param, limit) => `${param} must have at most ${limit}.`,
  too_small: (param, limit) => `${param} must be at least ${limit}.`,
  too_large: (param, limit) => `${param} must be at most ${limit}.`,
  invalid_format: (param, form) => `${param} must be ${form}.`,
  not_in_enum: (param, form) => `${param} must be one of: ${form}.`,
  amount_must_be_integer: (param) => `${param} must be an integer in paisa.`,
  currency_not_supported: (param) => `${param} must be NPR.`,
  url_not_allowed: (param, why) => `${param} must be a URL we may use: ${why}.`,
  metadata_too_many_keys: (param, limit) => `${param} must have at most ${limit}.`,
  metadata_key_too_long: (param, limit) => `A key of ${param} must have at most ${limit} characters.`,
  metadata_value_too_long: (param, limit) => `${param} must have at most ${limit} characters as JSON.`,
  metadata_too_deep: (param, limit) => `${param} must be nested at most ${limit} deep.`,
  metadata_key_reserved: (param) => `${param} is reserved.`,
  unknown_event_type: (param, meant) => `${param} is not a kind of event.${meant}`,
  mutually_exclusive: (param, form) => `Send exactly one of: ${form}.`,
  not_changeable: (param, stored) =>
    `${param} cannot be changed here: leave it out, or send the stored value, ${stored}.`,
  must_be_later: (param, form) => `${param} must be later than ${form}.`,
} as const satisfies { readonly [code: string]: (param: string, form: string) => string };

export type FieldCode = keyof typeof fieldMessages;

/** A longer path names an undeclared field; its beginning is enough. */
const paramCharactersMax = 200;
/** The maximum number of field errors in one answer; the client fixes these first. */
export const errorsListedMax = 100;
/** Their maximum size in the answer, as JSON. */
const errorsBytesMax = 24 * 1024;

/** One entry of `errors`. `form` completes the message: a bound, a type, a list. */
export function fieldError(path: string, code: FieldCode, form = ''): FieldError {
  const param = shortened(path, paramCharactersMax);
  return { param, code, message: fieldMessages[code](param, form) };
}

/** The first of them, as many as an answer may list. */
function listed(errors: readonly FieldError[]): readonly FieldError[] {
  let bytes = 0;
  const fit = (error: FieldError): boolean =>
    (bytes += Buffer.byteLength(JSON.stringify(error)) + 1) <= errorsBytesMax;
  const end = errors.slice(0, errorsListedMax).findIndex((error) => !fit(error));
  return errors.slice(0, end < 0 ? errorsListedMax : end);
}
