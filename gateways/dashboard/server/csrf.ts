/** What every request under /dashboard must bring beside its cookie: nothing to read, proof of its page to change.
 *  1. A change is asked for by a page of ours (`Origin`: BASE_URL's, or this very machine's), and by one that was given
 *     the session's own token (`X-CSRF-Token`): another site's page has neither, whatever cookie the browser adds.
 *  2. An API key says nothing here. */
import { createHmac } from 'node:crypto';
import { errors } from '../../../src/errors.ts';
import { equalInConstantTime } from '../../../src/kernel/hash.ts';
import { isLoopback } from '../../../src/kernel/loopback.ts';
import { refused, type Refused } from '../../http/route/answer.ts';
import type { DoorRequest } from '../../server/door.ts';
import type { Login } from './logins.ts';

/** Headers that are read of a request; a door that takes a body keeps them until it has come. */
export const headersRead = ['cookie', 'origin', 'host', 'sec-fetch-site', 'x-csrf-token'] as const;

export interface Csrf {
  /** null when the request comes from a page of ours, or only reads. */
  foreign(request: DoorRequest): Refused | null;
  /** null when `token` is the session's own. */
  forged(token: string, login: Login): Refused | null;
  /** The token pages of this session send. */
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

/** Whether a page of `origin` is ours: the origin is the public one, or this machine's at the very host it asks: a page
 *  opened as `localhost` is ours as well as one opened as `127.0.0.1`. Browsers name it with every POST and every
 *  socket, and let no page name another. Any other name proves nothing, though it is the host's: whoever owns a name
 *  may let it lead to us (DNS rebinding). */
export function isOurPage(ourOrigin: string, origin: string, host: string): boolean {
  if (origin === ourOrigin) return true;
  if (!URL.canParse(origin)) return false;
  const named = new URL(origin);
  return named.origin === origin && named.host === host && isLoopback(named.hostname);
}
