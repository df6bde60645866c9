/** Finds where a request says its body ends and for which host it is, and closes a connection whose request is
 *  ambiguous about either: what another parser reads as a body must not be read here as the next request
 *  (request smuggling).
 *  1. Every header line counts. `getHeader` returns only the first of a name, and treats an empty one as
 *     absent.
 *  2. Nothing that follows such a request on its connection is answered. */
import type { HttpRequest, HttpResponse, TemplatedApp, WebSocketBehavior } from 'uWebSockets.js';
import { answerAndClose } from './unread.ts';

/** The result of one pass over all headers. */
export interface Looked {
  /** Declared length of the body, 0 when there is none or it is chunked. `broken`: anything other than no
   *  header, one valid `Content-Length` or one `Transfer-Encoding: chunked`; also more than one `Host`. */
  readonly bodyBytes: number | 'broken';
  /** Names of headers with an empty value. */
  readonly empty: ReadonlySet<string>;
  /** All values of `X-Forwarded-For`: the last entry is the nearest proxy's, whether in one header or
   *  several. */
  readonly forwardedFor: string;
  /** Lower-case names and values, alternating: every read from uWS costs a call. */
  readonly headers: readonly string[];
}

const noNames: ReadonlySet<string> = new Set();

/** Reads all headers of a request. A listener has one instance, with one callback: every request goes
 *  through it. */
export class HeaderLook {
  private lines = 0;
  private hosts = 0;
  private bodyBytes: number | 'broken' = 0;
  private empty: Set<string> | null = null;
  private forwardedFor = '';
  private headers: string[] = [];

  /** Valid only while uWS's request is. */
  at(req: HttpRequest): Looked {
    this.lines = 0;
    this.hosts = 0;
    this.bodyBytes = 0;
    this.empty = null;
    this.forwardedFor = '';
    this.headers = [];
    req.forEach(this.note);
    const { bodyBytes, empty, forwardedFor, headers } = this;
    const isBroken = this.lines > 1 || this.hosts > 1;
    return { bodyBytes: isBroken ? 'broken' : bodyBytes, empty: empty ?? noNames, forwardedFor, headers };
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
    } else if (name === 'host') {
      this.hosts++;
    } else if (name === 'x-forwarded-for') {
      this.forwardedFor = this.forwardedFor === '' ? value : `${this.forwardedFor},${value}`;
    }
  };
}

/** Sends a bare 400 and closes the connection. Replaces `onAborted`. */
export function refuseFraming(res: HttpResponse): void {
  answerAndClose(res, () => {
    res.writeStatus('400 Bad Request').writeHeader('Connection', 'close\r\nContent-Length: 0\r\n');
  });
}

/** The app that sockets are mounted on. */
export interface SocketApp {
  ws<UserData>(path: string, behavior: WebSocketBehavior<UserData>): unknown;
  publish(topic: string, message: string, isBinary: boolean): boolean;
}

/** Upgrade requests do not go through the doors, but they do go through this check. */
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
