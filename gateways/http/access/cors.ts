/** Cross-origin access: pages of other sites may read what is public, and nothing else, because keys stay
 *  on servers.
 *  1. Every answer under the public prefix says so, an error as well: a page must be able to read why it
 *     was refused. */
import type { Door } from '../../server/door.ts';

type Headers = { readonly [name: string]: string };

const publicPrefix = '/v1/public/';

export const isPublic = (path: string): boolean => path.startsWith(publicPrefix);

/** A browser hides all other headers from a page of another site. */
const exposed = [
  'X-Request-Id',
  'Api-Version',
  'Deprecation',
  'Sunset',
  'X-Ignored-Params',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'Retry-After',
].join(', ');

export const publicHeaders: Headers = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': exposed,
};

/** A browser asks first where a page's request has a header of its own, and remembers the answer. */
const preflightHeaders: Headers = {
  ...publicHeaders,
  'Access-Control-Allow-Methods': 'GET, HEAD',
  'Access-Control-Allow-Headers': '*',
  'Access-Control-Max-Age': '86400',
};

/** The answer to that question, at each public one of these doors. */
export const preflightDoors = (doors: readonly Door[]): readonly Door[] =>
  [...new Set(doors.map(({ path }) => path).filter(isPublic))].map((path): Door => ({
    method: 'OPTIONS',
    path,
    lateHeaders: [],
    handle: () => ({ status: 204, headers: preflightHeaders, body: null }),
  }));
