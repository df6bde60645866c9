/** Replies in JSON: results, errors and what they have in common. */
import {
  conflictBody,
  errorBody,
  errors,
  idempotencyConflict,
  type ErrorCode,
  type ErrorDetails,
} from '../../../src/errors.ts';
import { shortened } from '../../../src/kernel/text.ts';
import { isPublic, publicHeaders } from '../access/cors.ts';
import type { ApiVersions } from '../../../src/kernel/api-versions.ts';
import type { Kept } from './answer.ts';
import type { DoorReply, DoorRequest, ErrorPages, ErrorRequest } from '../../server/door.ts';

export type Headers = { readonly [name: string]: string };

export const jsonType = 'application/json; charset=utf-8';
/** A page of any origin may read the answer. */
export const anyOrigin: Headers = { 'Access-Control-Allow-Origin': '*' };
/** No additional headers. */
export const none: Headers = {};
const jsonHeaders: Headers = { 'Content-Type': jsonType };
/** Seconds after which a 503 may be retried. */
const retryAfterSeconds = '1';

/** A reply whose body is JSON already. */
export const jsonReply = (status: number, body: string | Uint8Array, headers?: Headers): DoorReply => ({
  status,
  headers: headers === undefined || headers === none ? jsonHeaders : { ...jsonHeaders, ...headers },
  body,
});

/** An error of the table (docs/reference/errors.md). A 503 always has a retry time; a 429 with a known one
 *  also states it in its message. */
export function errorReply(
  code: ErrorCode,
  requestId: string,
  details: ErrorDetails = {},
  headers: Headers = {},
): DoorReply {
  const { status } = errors[code];
  const about = code === 'rate_limit_exceeded' ? { ...tryAgain(headers), ...details } : details;
  return jsonReply(status, errorBody(code, requestId, about), { ...retryHeaders(status), ...headers });
}

function tryAgain({ 'Retry-After': seconds }: Headers): ErrorDetails {
  if (seconds === undefined) return {};
  const { message } = errors.rate_limit_exceeded;
  return { message: `${message} Try again in ${seconds} second${seconds === '1' ? '' : 's'}.` };
}

/** An error answered in place of a door: its own page if it has one, else JSON. */
export function errorReplyOf(
  door: ErrorPages | undefined,
  code: ErrorCode,
  request: ErrorRequest,
  headers: Headers = none,
): DoorReply {
  const { status } = errors[code];
  const page = door?.errorPage?.(status, request);
  if (page === undefined || page === null) {
    const all = isPublic(request.path) ? { ...publicHeaders, ...headers } : headers;
    return errorReply(code, request.requestId, detailsOf(code, request, headers, door), all);
  }
  return { ...page, headers: { ...page.headers, ...retryHeaders(status), ...headers } };
}

/** Characters shown of a method, and of a path, as it was sent. */
const methodCharactersShown = 20;
const pathCharactersShown = 200;

/** The details of an error for an address or method that no door serves, or a body larger than the door takes. */
function detailsOf(
  code: ErrorCode,
  { method, path }: Pick<DoorRequest, 'method' | 'path'>,
  { Allow: allowed = '' }: Headers,
  door: ErrorPages | undefined,
): ErrorDetails {
  if (code === 'request_too_large' && door?.bodyBytesMax !== undefined)
    return { message: `The body is larger than ${door.bodyBytesMax / 1024} KiB.` };
  const asked = `${shortened(method, methodCharactersShown)} ${shortened(path, pathCharactersShown)}`;
  if (code === 'endpoint_not_found') return { message: `No such endpoint: ${asked}.` };
  if (code === 'method_not_allowed') return { message: `Method not allowed: ${asked}. Allowed: ${allowed}.` };
  return {};
}

const retryHeaders = (status: number): Headers =>
  status === 503 ? { 'Retry-After': retryAfterSeconds } : none;

/** 409 `idempotency_conflict`: flat, as the public interface defines it. */
export const conflictReply = (): DoorReply =>
  jsonReply(idempotencyConflict.status, conflictBody(), { 'Retry-After': '1' });

export const withHeaders = (reply: DoorReply, headers: Headers): DoorReply =>
  headers === none ? reply : { ...reply, headers: { ...headers, ...reply.headers } };

/** Headers that name the version of an answer. */
const versionHeaders = ['Api-Version', 'Deprecation', 'Sunset'] as const;

/** An answer that was written with the object it created. A repeat gets it in its own version, whatever version
 *  the repeat asks for. */
export function keptReply(
  status: number,
  { text, version, replayed }: Kept,
  headers: Headers,
  versions: Pick<ApiVersions, 'headers'>,
): DoorReply {
  if (!replayed) return jsonReply(status, text, headers);
  const others: { [name: string]: string } = { ...headers };
  for (const name of versionHeaders) delete others[name];
  return jsonReply(status, text, {
    ...others,
    ...versions.headers(version),
    'Idempotent-Replayed': 'true',
  });
}
