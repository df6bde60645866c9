/** Where a request says its body ends, and the end of a connection whose request does not say it clearly: what another
 *  reader takes for a body must not be read as the next request here (request smuggling).
 *  1. Every header line counts. `getHeader` knows only the first of a name, and takes one without a value for none.
 *  2. Nothing that follows such a request on its connection is answered. */
import type { HttpRequest, HttpResponse, TemplatedApp, WebSocketBehavior } from 'uWebSockets.js';

/** What one look at all headers finds. */
export interface Looked {
  /** Announced length of the body, 0 when there is none or it comes in chunks. `broken`: anything but no header, one
   *  valid `Content-Length` or one `Transfer-Encoding: chunked`. */
  readonly bodyBytes: number | 'broken';
  /** Names of headers without a value. */
  readonly empty: ReadonlySet<string>;
  /** All of `X-Forwarded-For`: the last word is the nearest proxy's, in one header or in several. */
  readonly forwardedFor: string;
}

const noNames: ReadonlySet<string> = new Set();

/** One for all requests, and one callback: every request passes here. */
const found: {
  lines: number;
  bodyBytes: number | 'broken';
  empty: Set<string> | null;
  forwardedFor: string;
} = { lines: 0, bodyBytes: 0, empty: null, forwardedFor: '' };

function note(name: string, value: string): void {
  if (value === '') (found.empty ??= new Set()).add(name);
  if (name === 'content-length') {
    found.lines++;
    found.bodyBytes = /^\d{1,15}$/.test(value) ? Number(value) : 'broken';
  } else if (name === 'transfer-encoding') {
    found.lines++;
    found.bodyBytes = value.toLowerCase() === 'chunked' ? 0 : 'broken';
  } else if (name === 'x-forwarded-for') {
    found.forwardedFor = found.forwardedFor === '' ? value : `${found.forwardedFor},${value}`;
  }
}

/** Only while uWS's request lives. */
export function lookAt(req: HttpRequest): Looked {
  found.lines = 0;
  found.bodyBytes = 0;
  found.empty = null;
  found.forwardedFor = '';
  req.forEach(note);
  const { lines, bodyBytes, empty, forwardedFor } = found;
  return { bodyBytes: lines > 1 ? 'broken' : bodyBytes, empty: empty ?? noNames, forwardedFor };
}

/** A bare 400 and the end of the connection, told in the next turn of the event loop: until then the request counts as
 *  unanswered, and uWS closes a connection that brings another one meanwhile. Takes the place of `onAborted`. */
export function refuseFraming(res: HttpResponse): void {
  let gone = false;
  res.onAborted(() => void (gone = true));
  setImmediate(() => {
    if (gone) return;
    // not `end`: while a client does not read, uWS would go on with its next request before it closes
    res.cork(() => {
      res.writeStatus('400 Bad Request').writeHeader('Connection', 'close\r\nContent-Length: 0\r\n');
    });
    res.close();
  });
}

/** What sockets are mounted on. */
export interface SocketApp {
  ws<UserData>(path: string, behavior: WebSocketBehavior<UserData>): unknown;
  publish(topic: string, message: string, isBinary: boolean): boolean;
}

/** Requests to upgrade pass by the doors, but not by this. */
export const framedSockets = (app: TemplatedApp): SocketApp => ({
  ws: (path, behavior) =>
    app.ws(path, {
      ...behavior,
      upgrade: (res, req, context) => {
        if (lookAt(req).bodyBytes === 'broken') refuseFraming(res);
        else void behavior.upgrade?.(res, req, context);
      },
    }),
  publish: (topic, message, isBinary) => app.publish(topic, message, isBinary),
});
