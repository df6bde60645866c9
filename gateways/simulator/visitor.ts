/** A buyer's browser without a browser: takes addresses of ours over real HTTP and follows nothing by itself.
 *  1. It visits our own public address only, and reaches it where we listen; no other is visited.
 *  2. Never rejects. Who did not answer, or answered 5xx, may have done what he was asked. */
import type { Http, HttpRequest } from '../../src/outbound/http.ts';
import { seconds, type DurationMs } from '../../src/kernel/time.ts';

const visitMs: DurationMs = seconds(15);
const pageBytesMax = 256 * 1024;

export interface Page {
  readonly status: number;
  /** Where it sends the browser next; null when nowhere. */
  readonly location: string | null;
}

/** What a visit came to: a page, nothing to rely on, or an address that is not ours. */
export type Visited = ({ readonly is: 'page' } & Page) | { readonly is: 'unanswered' | 'elsewhere' };

export interface Visitor {
  get(url: string): Promise<Visited>;
  /** Posts a form. */
  post(url: string, form: { readonly [name: string]: string }): Promise<Visited>;
}

/** A step of a simulated buyer nobody answered for: he comes again later. */
export class Unanswered extends Error {
  override readonly name = 'Unanswered';
}

/** The page a visit led to; null for an address that is not ours. Throws `Unanswered`. */
export function arrived(visited: Visited): Page | null {
  if (visited.is === 'unanswered') throw new Unanswered('a page of the simulated buyer did not answer');
  return visited.is === 'page' ? visited : null;
}

/** `listenerUrl` is asked at each visit, because the port is known only once it is open. */
export function createVisitor(deps: {
  readonly baseUrl: string;
  readonly listenerUrl: () => string;
  readonly http: Http;
}): Visitor {
  const visit = async (
    url: string,
    request: Pick<HttpRequest, 'method' | 'headers' | 'body'>,
  ): Promise<Visited> => {
    if (!url.startsWith(`${deps.baseUrl}/`)) return { is: 'elsewhere' };
    const address = `${deps.listenerUrl()}${url.slice(deps.baseUrl.length)}`;
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
    get: (url) => visit(url, { method: 'GET', headers: {} }),
    post: (url, form) =>
      visit(url, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams(form).toString(),
      }),
  };
}
