/** CSRF checks of every request under /dashboard: reading requires nothing beside the cookie, a change
 *  requires proof that it comes from our page.
 *  1. A change must come from one of our pages (`Origin`: BASE_URL's, or this machine's), and from a page
 *     that has the session's own token (`X-CSRF-Token`): another site's page has neither, whatever cookie
 *     the browser adds.
 *  2. An API key does not count here. */
import { createHmac } from 'node:crypto';
import { errors } from '../../../src/errors.ts';
import { equalInConstantTime } from '../../../src/kernel/hash.ts';
import { isLoopback } from '../../../src/kernel/loopback.ts';
import { refused, type Refused } from '../route/answer.ts';
import type { DoorRequest } from '../../server/door.ts';
import type { Login } from './logins.ts';

/** Headers read from a request; a door that takes a body keeps them until the body has arrived. */
export const headersRead = ['cookie', 'origin', 'host', 'sec-fetch-site', 'x-csrf-token'] as const;

export interface Csrf {
  /** null when the request comes from one of our pages, or only reads. */
  foreign(request: DoorRequest): Refused | null;
  /** null when `token` is the session's own. */
  forged(token: string, login: Login): Refused | null;
  /** The token that pages of this session send. */
  csrfOf(login: Login): string;
}

export interface CsrfOptions {
  /** Public address of the service. */
  readonly baseUrl: string;
  /** GALLA_SECRETS_KEY: the same on all nodes. */
  readonly secretsKey: Uint8Array;
}

export function createCsrf({ baseUrl, secretsKey }: CsrfOptions): Csrf {
  const key = createHmac('sha256', secretsKey).update('dashboard csrf').digest();
  const { origin: ourOrigin } = new URL(baseUrl);
  const elsewhere = refused('origin_not_allowed', {
    message:
      `${errors.origin_not_allowed.message} Open it at ${baseUrl}/dashboard, ` +
      'or set BASE_URL to where it is opened.',
  });
  const csrfOf: Csrf['csrfOf'] = ({ sessionId }) =>
    createHmac('sha256', key).update(sessionId).digest('base64url');
  return {
    csrfOf,
    foreign: (request) => (request.method === 'GET' || isOurs(request, ourOrigin) ? null : elsewhere),
    forged: (token, login) =>
      equalInConstantTime(token, csrfOf(login)) ? null : refused('csrf_token_invalid'),
  };
}

function isOurs(request: DoorRequest, ourOrigin: string): boolean {
  const site = request.header('sec-fetch-site');
  if (site !== '' && site !== 'same-origin') return false;
  return isOurPage(ourOrigin, request.header('origin'), request.header('host'));
}

/** Whether a page of `origin` is ours: the origin is the public one, or it is this machine's and equals the
 *  host of the request: a page opened as `localhost` is ours as well as one opened as `127.0.0.1`. Browsers
 *  send it with every POST and every socket, and no page can forge it. Any other name proves nothing, even
 *  if it equals the host: the owner of a name can point it at us (DNS rebinding). */
export function isOurPage(ourOrigin: string, origin: string, host: string): boolean {
  if (origin === ourOrigin) return true;
  if (!URL.canParse(origin)) return false;
  const named = new URL(origin);
  return named.origin === origin && named.host === host && isLoopback(named.hostname);
}
