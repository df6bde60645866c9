/** Acts as the buyer's browser, or as a provider's server: requests our own addresses over real HTTP and follows
 *  no redirect by itself.
 *  1. It opens only our own public address, and connects to it where we listen. A provider's server also calls the
 *     other service whose payments are played, if there is one.
 *  2. Never rejects. A server that did not answer, or answered 5xx, may have executed the request. */
import type { Http, HttpRequest } from '../../src/outbound/http.ts';
import { seconds, type DurationMs } from '../../src/kernel/time.ts';

const visitMs: DurationMs = seconds(15);
const pageBytesMax = 256 * 1024;

export interface Page {
  readonly status: number;
  /** The redirect target; null when there is none. */
  readonly location: string | null;
}

/** The result of a visit: a page, no usable answer, or an address that is not ours. */
export type Visited = ({ readonly is: 'page' } & Page) | { readonly is: 'unanswered' | 'elsewhere' };

export interface Visitor {
  get(url: string): Promise<Visited>;
  /** Posts a form. */
  post(url: string, form: { readonly [name: string]: string }): Promise<Visited>;
  /** Posts JSON, as a provider's server. */
  call(url: string, body: string, headers: { readonly [name: string]: string }): Promise<Visited>;
}

/** A step of a simulated buyer got no answer: it is retried later. */
export class Unanswered extends Error {
  override readonly name = 'Unanswered';
}

/** The page that a visit led to; null for an address that is not ours. Throws `Unanswered`. */
export function arrived(visited: Visited): Page | null {
  if (visited.is === 'unanswered') throw new Unanswered('a page of the simulated buyer did not answer');
  return visited.is === 'page' ? visited : null;
}

/** `listenerUrl` is called at each visit, because the port is known only once it is open. */
export function createVisitor(deps: {
  readonly baseUrl: string;
  /** The other service's; the same as `baseUrl` where there is none. */
  readonly othersUrl: string;
  readonly listenerUrl: () => string;
  readonly http: Http;
}): Visitor {
  const here = (url: string): string | null =>
    url.startsWith(`${deps.baseUrl}/`) ? `${deps.listenerUrl()}${url.slice(deps.baseUrl.length)}` : null;
  const there = (url: string): string | null => (url.startsWith(`${deps.othersUrl}/`) ? url : null);
  const visit = async (
    address: string | null,
    request: Pick<HttpRequest, 'method' | 'headers' | 'body'>,
  ): Promise<Visited> => {
    if (address === null) return { is: 'elsewhere' };
    const result = await deps.http.send({
      ...request,
      url: address,
      timeoutMs: visitMs,
      answerBytesMax: pageBytesMax,
    });
    if (result.is === 'unanswered' || result.status >= 500) return { is: 'unanswered' };
    return { is: 'page', status: result.status, location: result.headers['location'] ?? null };
  };
  return {
    get: (url) => visit(here(url), { method: 'GET', headers: {} }),
    post: (url, form) =>
      visit(here(url), {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams(form).toString(),
      }),
    call: (url, body, headers) =>
      visit(here(url) ?? there(url), {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body,
      }),
  };
}
