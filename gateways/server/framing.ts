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
  /** Names, in lower case, and values in turn: each word asked of uWS costs a call. */
  readonly headers: readonly string[];
}

const noNames: ReadonlySet<string> = new Set();

/** Looks at all headers of a request. A listener has one, with one callback: every request passes here. */
export class HeaderLook {
  private lines = 0;
  private bodyBytes: number | 'broken' = 0;
  private empty: Set<string> | null = null;
  private forwardedFor = '';
  private headers: string[] = [];

  /** Only while uWS's request lives. */
  at(req: HttpRequest): Looked {
    this.lines = 0;
    this.bodyBytes = 0;
    this.empty = null;
    this.forwardedFor = '';
    this.headers = [];
    req.forEach(this.note);
    const { lines, bodyBytes, empty, forwardedFor, headers } = this;
    return { bodyBytes: lines > 1 ? 'broken' : bodyBytes, empty: empty ?? noNames, forwardedFor, headers };
  }

  private readonly note = (name: string, value: string): void => {
    this.headers.push(name, value);
    if (value === '') (this.empty ??= new Set()).add(name);
    if (name === 'content-length') {
      this.lines++;
      this.bodyBytes = /^\d{1,15}$/.test(value) ? Number(value) : 'broken';
    } else if (name === 'transfer-encoding') {
      this.lines++;
      this.bodyBytes = value.toLowerCase() === 'chunked' ? 0 : 'broken';
    } else if (name === 'x-forwarded-for') {
      this.forwardedFor = this.forwardedFor === '' ? value : `${this.forwardedFor},${value}`;
    }
  };
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
export const framedSockets = (app: TemplatedApp, headers: HeaderLook): SocketApp => ({
  ws: (path, behavior) =>
    app.ws(path, {
      ...behavior,
      upgrade: (res, req, context) => {
        if (headers.at(req).bodyBytes === 'broken') refuseFraming(res);
        else void behavior.upgrade?.(res, req, context);
      },
    }),
  publish: (topic, message, isBinary) => app.publish(topic, message, isBinary),
});
