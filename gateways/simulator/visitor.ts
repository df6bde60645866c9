/** A buyer's browser without a browser: takes addresses of ours over real HTTP and follows nothing by itself.
 *  1. It visits our own public address only, and reaches it where we listen; no other is visited.
 *  2. Never rejects: an address that does not answer is `null`. */
import { request as httpRequest, type Dispatcher } from 'undici';
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

interface Sent {
  readonly method: 'GET' | 'POST';
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** `listenerUrl` is asked at each visit, because the port is known only once it is open. */
export function createVisitor(deps: {
  readonly baseUrl: string; readonly listenerUrl: () => string; readonly dispatcher: Dispatcher;
}): Visitor {
  const visit = async (url: string, options: Sent): Promise<Visited | null> => {
    if (!url.startsWith(`${deps.baseUrl}/`)) return null;
    const address = `${deps.listenerUrl()}${url.slice(deps.baseUrl.length)}`;
    try {
      const { statusCode, headers, body } = await httpRequest(address, {
        ...options, dispatcher: deps.dispatcher, signal: AbortSignal.timeout(visitMs),
      });
      await body.dump({ limit: pageBytesMax });
      const { location } = headers;
      return { status: statusCode, location: typeof location === 'string' ? location : null };
    } catch {
      return null;
    }
  };
  return {
    get: (url) => visit(url, { method: 'GET' }),
    post: (url, form) => visit(url, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(form).toString(),
    }),
  };
}
