/** One request and its one answer on a uWS socket.
 *  1. `over` is true as soon as the client has left or the answer was sent; nothing of uWS is touched after
 *     that.
 *  2. An answer is written in one cork. */
import { STATUS_CODES } from 'node:http';
import type { HttpRequest, HttpResponse } from 'uWebSockets.js';
import type { Cancel, DurationMs } from '../../src/kernel/time.ts';
import type { Bytes } from './corked.ts';
import type { AnsweredRequest, Door, DoorReply, KeyUsed, StreamStart } from './door.ts';
import type { ClientAddress } from './client-address.ts';
import { HeaderLook, refuseFraming, type Looked } from './framing.ts';
import { paramsOf, type Mounted } from './paths.ts';
import type { RequestIds } from './request-id.ts';
import { answerAndClose, isLastBodiless, type UnreadAnswers } from './unread.ts';

const cacheLine = '\r\nCache-Control: no-store';

const noBody = Buffer.alloc(0);

export interface ExchangeOptions {
  readonly clientAddress: ClientAddress | null;
  readonly apiVersion: string;
  readonly requestIds: RequestIds;
}

/** Shared by all exchanges of one listener. */
export class ExchangeTools {
  readonly headers = new HeaderLook();
  readonly replies: ReplyWriter;
  readonly ids: RequestIds;
  /** Determines the client's address when proxies are trusted. */
  readonly behind: ClientAddress | null;
  readonly unread: UnreadAnswers;

  constructor({ clientAddress, apiVersion, requestIds }: ExchangeOptions, unread: UnreadAnswers) {
    this.behind = clientAddress;
    this.ids = requestIds;
    this.unread = unread;
    this.replies = new ReplyWriter(`\r\nApi-Version: ${apiVersion}`);
  }
}

export class Exchange implements AnsweredRequest {
  readonly requestId: string;
  readonly requestNumber: number;
  /** Undefined when no door matches. */
  readonly door: Door | undefined;
  readonly method: string;
  readonly params: { readonly [name: string]: string };
  readonly rawQuery: string;
  /** On the monotonic clock. */
  readonly startedAt: DurationMs;
  readonly res: HttpResponse;
  /** Declared length of the body. */
  readonly announced: Looked['bodyBytes'];
  readonly emptyHeaders: Looked['empty'];
  body: Buffer = noBody;
  keyUsed: KeyUsed | undefined = undefined;
  refusal: DoorReply['body'] = null;
  readonly takesBody: boolean;
  /** The whole request has arrived. */
  received: boolean;
  over = false;
  /** Called once, when the exchange is over, with its status; 499 when the client left, 408 when its body
   *  never arrived in full. */
  onEnd: ((exchange: Exchange, status: number) => void) | null = null;
  /** Releases what an unfinished body holds. */
  forgetBody: Cancel | null = null;
  private readonly isHead: boolean;
  /** Only during the first synchronous segment. */
  private req: HttpRequest | null;
  /** Names and values, alternating. */
  private headers: readonly string[];
  private url: string | null = null;
  private address: string | null = null;
  private readonly replies: ReplyWriter;
  private readonly unread: UnreadAnswers;

  constructor(
    res: HttpResponse,
    req: HttpRequest,
    mounted: Mounted | null,
    tools: ExchangeTools,
    isHead: boolean,
  ) {
    this.res = res;
    this.req = req;
    this.requestId = tools.ids.next();
    this.requestNumber = tools.ids.number;
    this.replies = tools.replies;
    this.unread = tools.unread;
    this.door = mounted?.door;
    this.isHead = isHead;
    this.method = mounted === null ? req.getMethod().toUpperCase() : mounted.door.method;
    this.params = mounted === null ? {} : paramsOf(mounted, req);
    this.rawQuery = req.getQuery() ?? '';
    this.startedAt = performance.now();
    this.takesBody = mounted?.takesBody === true;
    this.received = !this.takesBody;
    const { bodyBytes, empty, forwardedFor, headers } = tools.headers.at(req);
    this.headers = headers;
    this.announced = bodyBytes;
    this.emptyHeaders = empty;
    const { behind } = tools;
    if (behind !== null) this.address = behind(this.connectionAddress(), forwardedFor);
  }

  header(name: string): string {
    const { headers } = this;
    for (let at = 0; at < headers.length; at += 2) if (headers[at] === name) return headers[at + 1] ?? '';
    return '';
  }

  /** Read from uWS only when needed: on an error, or for a late answer. */
  get path(): string {
    return (this.url ??= this.req?.getUrl() ?? '');
  }

  get ip(): string {
    return (this.address ??= this.over ? '' : this.connectionAddress());
  }

  private connectionAddress(): string {
    return Buffer.from(this.res.getRemoteAddressAsText()).toString();
  }

  /** Copies what the door may still read and drops uWS's request, which is invalid after this segment. */
  detach(lateHeaders: readonly string[] | undefined): void {
    if (this.req !== null && !this.over) {
      this.url ??= this.req.getUrl();
      this.headers = lateHeaders?.length === 0 ? [] : keptOf(this.headers, lateHeaders);
    }
    this.req = null;
  }

  /** Answers; does nothing when it is over. */
  reply(reply: DoorReply): void {
    this.send(reply, false);
  }

  /** Answers, and tells the client that this is the last answer of the connection. uWS closes it when the answer
   *  has been read; where too many such answers have been given, the client closes it, or uWS after ten seconds
   *  without another request. Requests that were sent before that are answered, too. */
  replyLast(reply: DoorReply): void {
    this.send(reply, true);
  }

  /** Answers a request whose body may still be on its way, and closes the connection. What follows on the
   *  connection is not answered. */
  replyAndClose(reply: DoorReply): void {
    if (this.over) return;
    this.refusal = reply.body;
    this.end(reply.status);
    answerAndClose(this.res, () => this.writeWhole(reply, reply.body ?? ''));
  }

  /** Writes the head and hands the response to `stream`, in one cork; a HEAD request is answered and done. */
  handOver(reply: DoorReply, stream: StreamStart): void {
    if (this.over || this.isHead) {
      stream.missed();
      this.reply(reply);
      return;
    }
    this.end(reply.status);
    const { res } = this;
    res.cork(() => {
      this.writeHead(reply);
      stream.begin(res);
    });
  }

  /** The answer that the parser itself would have given to a malformed request. */
  replyBare(): void {
    this.end(400);
    refuseFraming(this.res);
  }

  close(): void {
    if (this.over) return;
    this.end(408);
    this.res.close();
  }

  /** The client has disconnected. */
  left(): void {
    if (!this.over) this.end(499);
  }

  private end(status: number): void {
    this.over = true;
    this.onEnd?.(this, status);
  }

  /** A provider's faults (simulator): cuts the connection inside the body, or keeps it open without an
   *  answer. */
  misbehave(reply: DoorReply, silenceMsMax: DurationMs): void {
    if (this.over) return;
    if (reply.fault === 'never') {
      setTimeout(() => this.close(), silenceMsMax).unref();
      return;
    }
    const body = Buffer.from(reply.body ?? '');
    this.res.cork(() => {
      this.writeHead(reply);
      this.res.tryEnd(body.subarray(0, Math.floor(body.length / 2)), body.length + 1);
    });
    // closing inside the cork would drop the buffered bytes
    setTimeout(() => this.close(), 0);
  }

  private send(reply: DoorReply, last: boolean): void {
    if (this.over) return;
    if (reply.status >= 400) this.refusal = reply.body;
    this.end(reply.status);
    const hasBody = !this.isHead && (reply.body?.length ?? 0) > 0;
    if (!hasBody && isLastBodiless()) answerAndClose(this.res, () => this.writeWhole(reply, ''));
    // uWS calls its handlers inside a cork
    else if (this.req === null) this.replies.send(this, reply, last);
    else this.write(reply, last);
  }

  /** Only inside a cork. */
  write(reply: DoorReply, last: boolean): void {
    const { res } = this;
    const body = reply.body ?? '';
    this.writeHead(reply);
    if (this.isHead) this.endHead(headLength(reply), last);
    else if (bodiless.has(reply.status)) res.endWithoutBody();
    else if (body.length === 0) res.end('', last);
    else if (last && this.unread.mayCopyLast(body)) res.end(body, true);
    else {
      if (last) res.writeHeader('Connection', 'close');
      this.unread.end(res, body);
    }
  }

  /** If uWS is given a length, it waits for a body that a HEAD answer does not have: so the length is sent
   *  as an ordinary header. null: that of a stream is not known. */
  private endHead(length: number | null, last: boolean): void {
    if (last) this.res.writeHeader('Connection', 'close');
    if (length !== null) this.res.writeHeader('Content-Length', String(length));
    this.res.endWithoutBody();
  }

  /** The whole answer, in uWS's eyes a head that is not finished. uWS ends it with a line break: of a body, that
   *  is its last, and changes neither JSON nor HTML. */
  private writeWhole(reply: DoorReply, body: Bytes): void {
    const lineBreak = Buffer.from('\r\n');
    const withBody = body.length === 0 ? [] : [lineBreak, Buffer.from(body)];
    const length = body.length === 0 ? headLength(reply) : Buffer.byteLength(body) + lineBreak.length;
    this.writeHead(reply);
    const lengthLine = length === null || bodiless.has(reply.status) ? '' : `\r\nContent-Length: ${length}`;
    const head = Buffer.from(`close\r\nDate: ${new Date().toUTCString()}${lengthLine}\r\n`);
    this.res.writeHeader('Connection', Buffer.concat([head, ...withBody]));
  }

  private writeHead(reply: DoorReply): void {
    const { res } = this;
    const { headers } = reply;
    // uWS sends 200 by default
    if (reply.status !== 200) res.writeStatus(statusLines[reply.status] ?? `${reply.status} Unknown`);
    res.writeHeader('X-Request-Id', this.requestId + this.replies.linesOf(headers));
  }
}

/** The headers named, or all of them; several of one name are joined in one line. */
function keptOf(headers: readonly string[], names: readonly string[] | undefined): readonly string[] {
  const kept: string[] = [];
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at] ?? '';
    const value = headers[at + 1] ?? '';
    if (names !== undefined && !names.includes(name)) continue;
    let place = 0;
    while (place < kept.length && kept[place] !== name) place += 2;
    if (place < kept.length) kept[place + 1] = `${kept[place + 1] ?? ''}, ${value}`;
    else kept.push(name, value);
  }
  return kept;
}

/** Writes all answers of a listener through one function, instead of a closure for each: a cork runs
 *  synchronously, so nothing else can run in between. */
class ReplyWriter {
  private exchange: Exchange | null = null;
  private reply: DoorReply | null = null;
  private last = false;
  private known: DoorReply['headers'] | null = null;
  private lines = '';
  private readonly versionLine: string;

  constructor(versionLine: string) {
    this.versionLine = versionLine;
  }

  /** All header lines after X-Request-Id, as one text: every call into uWS costs as much as the rest of the
   *  head. Most answers share the same few headers, so these are cached. */
  linesOf(headers: DoorReply['headers']): string {
    if (headers !== this.known) {
      this.known = headers;
      this.lines = linesOf(headers, this.versionLine);
    }
    return this.lines;
  }

  send(exchange: Exchange, reply: DoorReply, last: boolean): void {
    this.exchange = exchange;
    this.reply = reply;
    this.last = last;
    exchange.res.cork(this.writeCorked);
  }

  private readonly writeCorked = (): void => {
    const { exchange, reply } = this;
    this.exchange = null;
    this.reply = null;
    if (exchange !== null && reply !== null) exchange.write(reply, this.last);
  };
}

const statusLines: { readonly [status: number]: string } = Object.fromEntries(
  Object.entries(STATUS_CODES).map(([status, text]) => [status, `${status} ${text ?? ''}`]),
);

/** Headers of every answer beside its X-Request-Id, unless its door overrides them. Each line starts with
 *  the line break of the line before and has no line break of its own. */
function linesOf(headers: DoorReply['headers'] = {}, versionLine: string): string {
  let lines = '';
  for (const name in headers) lines += `\r\n${name}: ${oneLine(headers[name] ?? '')}`;
  if (headers['Api-Version'] === undefined) lines += versionLine;
  if (headers['Cache-Control'] === undefined) lines += cacheLine;
  return lines;
}

const bodiless: ReadonlySet<number> = new Set([204, 304]);

/** null: that of a stream is not known. */
const headLength = ({ stream, body }: DoorReply): number | null =>
  stream === undefined ? Buffer.byteLength(body ?? '') : null;

/** Prevents header injection: one value always stays one header. */
const oneLine = (value: string): string =>
  /[\r\n\0]/.test(value) ? value.replace(/[\r\n\0]+/g, ' ') : value;
