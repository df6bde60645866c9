/** A buyer's browser without a browser: takes addresses of ours over real HTTP and follows nothing by itself.
 *  1. It visits our own public address only, and reaches it where we listen; no other is visited.
 *  2. Never rejects: an address that does not answer is `null`. */
import type { Http, HttpRequest } from '../../src/outbound/http.ts';
import { seconds, type DurationMs } from '../../src/kernel/time.ts';

const visitMs: DurationMs = seconds(15);
const pageBytesMax = 256 * 1024;

export interface Visited {
  readonly status: number;
  /** Where it sends the browser next; null when nowhere. */
  readonly location: string | null;
}

export interface Visitor {
  get(url: string): Promise<Visited | null>;
  /** Posts a form. */
  post(url: string, form: { readonly [name: string]: string }): Promise<Visited | null>;
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
  ): Promise<Visited | null> => {
    if (!url.startsWith(`${deps.baseUrl}/`)) return null;
    const address = `${deps.listenerUrl()}${url.slice(deps.baseUrl.length)}`;
    const result = await deps.http.send({
      ...request,
      url: address,
      timeoutMs: visitMs,
      answerBytesMax: pageBytesMax,
    });
    return result.is === 'unanswered'
      ? null
      : { status: result.status, location: result.headers['location'] ?? null };
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
