/** Replies in JSON: results, errors and what they have in common. */
import {
  conflictBody,
  errorBody,
  errors,
  idempotencyConflict,
  type ErrorCode,
  type ErrorDetails,
} from '../../src/errors.ts';
import type { Door, DoorReply, DoorRequest } from './door.ts';

export type Headers = { readonly [name: string]: string };

export const jsonType = 'application/json; charset=utf-8';
/** No headers of one's own. */
export const none: Headers = {};
const jsonHeaders: Headers = { 'Content-Type': jsonType };
/** Seconds after which a 503 may be tried again. */
const retryAfterSeconds = '1';

/** A reply whose body is JSON text already. */
export const jsonReply = (status: number, text: string, headers?: Headers): DoorReply => ({
  status,
  headers: headers === undefined || headers === none ? jsonHeaders : { ...jsonHeaders, ...headers },
  body: text,
});

/** An error of the table (decisions 3). A 503 always says when to come back. */
export function errorReply(
  code: ErrorCode,
  requestId: string,
  details: ErrorDetails = {},
  headers: Headers = {},
): DoorReply {
  const { status } = errors[code];
  return jsonReply(status, errorBody(code, requestId, details), { ...retryHeaders(status), ...headers });
}

/** A door, or what has a page of its own for some errors. */
interface ErrorPages {
  errorPage?(...asked: Parameters<NonNullable<Door['errorPage']>>): DoorReply | null;
}

/** An error answered in a door's place: its own page where it has one, else JSON. */
export function errorReplyOf(
  door: ErrorPages | undefined,
  code: ErrorCode,
  request: Pick<DoorRequest, 'requestId' | 'path'>,
  headers: Headers = none,
): DoorReply {
  const { status } = errors[code];
  const page = door?.errorPage?.(status, request);
  if (page === undefined || page === null) return errorReply(code, request.requestId, {}, headers);
  return { ...page, headers: { ...page.headers, ...retryHeaders(status), ...headers } };
}

const retryHeaders = (status: number): Headers =>
  status === 503 ? { 'Retry-After': retryAfterSeconds } : none;

/** 409 `idempotency_conflict`: flat, as the interface fixes it. */
export const conflictReply = (): DoorReply =>
  jsonReply(idempotencyConflict.status, conflictBody(), { 'Retry-After': '1' });
