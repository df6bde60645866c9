/** Why a request failed, and what a user can do about it. Pure. */

export interface Failure {
  /** 0 when nothing answered. */
  readonly status: number;
  /** Stable code of the service; `unreachable` and `unreadable` are this page's own. */
  readonly code: string;
  readonly message: string;
  /** The field of a form that it is about. */
  readonly param?: string;
  readonly requestId: string | null;
  /** Only with 429 and 503. */
  readonly retryAfterSeconds: number | null;
}

export type Result<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly failure: Failure };

const silent = { status: 0, requestId: null, retryAfterSeconds: null } as const;

export const unreachable: Failure = {
  ...silent,
  code: 'unreachable',
  message: 'The service did not answer. Check the connection of this computer, then try again.',
};

/** Not logged in, and only asked for the login state. */
export const nobody: Failure = { ...silent, status: 401, code: 'login_required', message: 'Log in first.' };

export const cookieNotKept: Failure = {
  ...silent,
  code: 'cookie_not_kept',
  message: 'Your browser did not keep the login.',
};

export const unreadable = (status: number): Failure => ({
  ...silent,
  status,
  code: 'unreadable',
  message:
    'The answer could not be read. Load this page again; if the problem remains, contact the operator.',
});

/** From an error body of docs/reference/errors.md; any other body is `unreadable`. */
export function failureFrom(status: number, body: unknown, retryAfter: string | null): Failure {
  const flat = isObject(body) && body['code'] === stillRunning ? body : null;
  const error = isObject(body) && isObject(body['error']) ? body['error'] : null;
  const [code, message] =
    flat === null ? [error?.['code'], error?.['message']] : [flat['code'], flat['error']];
  if (typeof code !== 'string' || typeof message !== 'string') return unreadable(status);
  const seconds = Number(retryAfter ?? '');
  const [requestId, param] = [error?.['request_id'], error?.['param']];
  return {
    status,
    code,
    message,
    ...(typeof param === 'string' ? { param } : {}),
    requestId: typeof requestId === 'string' ? requestId : null,
    retryAfterSeconds: seconds > 0 ? Math.ceil(seconds) : null,
  };
}

/** Whether a keyed request may have been executed all the same: sent again, it must be the very same. */
export const isUnclear = ({ status, code }: Failure): boolean =>
  status === 0 || status >= 500 || code === stillRunning || code === 'unreadable';

/** What a form still says of its failure once a field is edited: only that it may have been executed. */
export const afterEdit = (failure: Failure | null): Failure | null =>
  failure !== null && isUnclear(failure) ? failure : null;

/** The one error with a flat body: an earlier request with the same key is still running. */
const stillRunning = 'idempotency_conflict';

/** The next step, in one sentence. */
export function adviceOn({ status, code, requestId, retryAfterSeconds }: Failure): string {
  if (code === 'unreachable') return 'It is tried again by itself as soon as there is a connection.';
  if (code === 'cookie_not_kept') return 'Open this page by https, or on the machine the service runs on.';
  if (status === 404) return 'It may belong to another project, or to the other mode.';
  if (status === 429) return `Wait ${secondsText(retryAfterSeconds ?? 10)}, then try again.`;
  if (status === 503) return 'The service is starting or busy. Try again in a moment.';
  if (status >= 500) {
    const withId = requestId === null ? '' : ` with the id ${requestId}`;
    return `Try again. If the problem remains, contact the operator${withId}.`;
  }
  return 'Go back and try another way.';
}

export const secondsText = (seconds: number): string =>
  seconds === 1 ? '1 second' : seconds < 90 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`;

const isObject = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === 'object' && value !== null;
