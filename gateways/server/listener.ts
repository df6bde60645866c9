/** The one uWebSockets.js listener: opens the port, mounts the doors, answers their requests.
 *  Boundary: sockets, sizes, deadlines and the headers of every answer; the content of an answer belongs to
 *  its door, the requests still to be answered to in-flight.ts, the end to drain.ts.
 *  1. Every request is answered once, or its connection is closed; neither is touched afterwards.
 *  2. No input from a client and no exception from a door ends the process.
 *  3. uWS's request is read only before the first await. */
import type { HttpRequest, HttpResponse, TemplatedApp } from 'uWebSockets.js';
import { assert } from '../../src/kernel/assert.ts';
import { seconds, type DurationMs } from '../../src/kernel/time.ts';
import type { Log } from '../../src/telemetry/log.ts';
import { prefersHtml } from './accept.ts';
import type { Received } from './bodies.ts';
import type { ClientAddress } from './client-address.ts';
import type { AnsweredRequest, Door, DoorReply, ErrorReplies, ErrorRequest, StreamStart } from './door.ts';
import { Drain, type DrainLimits } from './drain.ts';
import { Exchange, ExchangeTools } from './exchange.ts';
import { framedSockets, type SocketApp } from './framing.ts';
import { RequestsInFlight, type InFlightLimits } from './in-flight.ts';
import { doorsAt, methodsOf, type Mounted, mountedDoor } from './paths.ts';
import { Port } from './port.ts';
import type { RequestIds } from './request-id.ts';
import { UnreadAnswers } from './unread.ts';
import { loadUws } from './uws.ts';

/** How long a reply that must never come holds its connection (simulator faults). */
const silenceMsMax: DurationMs = seconds(60);

export interface ListenOptions extends InFlightLimits, DrainLimits {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  readonly log: Log;
  readonly errors: ErrorReplies;
  /** The port is opened by `open`; until then connections are refused, so other nodes serve meanwhile and a
   *  load balancer goes on to the next one. The port must be given explicitly. */
  readonly opensLater: boolean;
  /** The page for people where no door matches or none is mounted yet (404, 503); null: JSON. Never throws. */
  readonly lostPage: (status: number, request: ErrorRequest) => DoorReply | null;
  /** The answer, before doors are mounted, at a path whose clients cannot handle a 503; null: send 503.
   *  Never throws. */
  readonly notYet: (path: string) => DoorReply | null;
  /** Determines clients' addresses behind trusted proxies; null: the connection's address is used. */
  readonly clientAddress: ClientAddress | null;
  /** `Api-Version` of an answer whose door names none. */
  readonly apiVersion: string;
  /** Makes the ids of requests. */
  readonly requestIds: RequestIds;
  /** Called after every answer; the door is undefined when none matches. Never throws. */
  readonly answered: Answered;
  /** Smaller for tests. */
  readonly unreadBytesMax?: number;
}

/** 499: the client left first; 408: its body never arrived in full. */
export type Answered = (
  door: Door | undefined,
  status: number,
  tookMs: DurationMs,
  request: AnsweredRequest,
) => void;

export interface Listener {
  /** The port actually listened on. */
  readonly port: number;
  /** Mounts the WebSocket handlers; call before `mount`. */
  sockets(mountOn: (app: SocketApp) => void): void;
  /** Mounts the doors and starts to serve; before that every request is answered 503. */
  mount(doors: readonly Door[]): void;
  /** Opens a port created with `opensLater`. Rejects with PortUnavailable. */
  open(): Promise<void>;
  /** Requests being answered right now. */
  inFlight(): number;
  /** Work to do when the port has closed, while requests in progress are still answered: ending what stays
   *  open. A task that fails or takes too long delays nothing. */
  whenClosed(end: () => Promise<void>): void;
  /** Keeps serving for a moment, and until `first` has settled or half of the time is over; each answer is
   *  the last of its connection. Then closes the port, finishes the requests in progress and closes
   *  everything. What is not finished after `withinMs` is answered 503. `first` never rejects. */
  drain(withinMs: DurationMs, first?: Promise<void>): Promise<void>;
}

/** Opens the port, unless it `opensLater`. Rejects with PortUnavailable when the port cannot be opened, or
 *  with ListenerUnusable. */
export async function listen(options: ListenOptions): Promise<Listener> {
  const uws = await loadUws();
  const app = uws.App();
  const server = new HttpServer(app, options);
  app.any('/*', server.serveUnmounted);
  const port = new Port(uws, app, options.host, options.port);
  if (options.opensLater) await port.expectFree();
  else await port.open();
  const { inFlight, unread } = server;
  const sweep = setInterval(inFlight.sweep, Math.min(1000, inFlight.answerMs / 2));
  sweep.unref();
  const drain = async (withinMs: DurationMs, first?: Promise<void>): Promise<void> => {
    await server.drain.run({ port, inFlight, unread }, withinMs, first);
    clearInterval(sweep);
    app.close();
  };
  let draining: Promise<void> | null = null;
  return {
    port: port.number,
    sockets: (mountOn) => mountOn(framedSockets(app, server.tools.headers)),
    mount: (doors) => server.mount(doors),
    open: () => port.open(),
    inFlight: () => inFlight.count,
    whenClosed: (end) => server.drain.whenClosed(end),
    drain: (withinMs, first) => (draining ??= drain(withinMs, first)),
  };
}

const registrars = {
  GET: 'get',
  POST: 'post',
  PUT: 'put',
  PATCH: 'patch',
  DELETE: 'del',
  OPTIONS: 'options',
} as const;

class HttpServer {
  readonly inFlight: RequestsInFlight;
  readonly drain: Drain;
  readonly unread: UnreadAnswers;
  private readonly app: TemplatedApp;
  private readonly log: Log;
  private readonly errors: ErrorReplies;
  private readonly lostPage: ListenOptions['lostPage'];
  private readonly notYet: ListenOptions['notYet'];
  private readonly onEnd: Exchange['onEnd'];
  readonly tools: ExchangeTools;
  private mounted: readonly Mounted[] | null = null;

  constructor(app: TemplatedApp, options: ListenOptions) {
    this.app = app;
    this.log = options.log;
    this.errors = options.errors;
    this.drain = new Drain(options);
    this.inFlight = new RequestsInFlight(options, (exchange) => this.giveUp(exchange));
    this.unread = new UnreadAnswers(options.unreadBytesMax);
    this.lostPage = options.lostPage;
    this.notYet = options.notYet;
    this.tools = new ExchangeTools(options, this.unread);
    const { answered } = options;
    this.onEnd = (exchange, status) =>
      answered(exchange.door, status, performance.now() - exchange.startedAt, exchange);
  }

  mount(doors: readonly Door[]): void {
    assert(this.mounted === null, 'doors are mounted once');
    this.mounted = doors.map(mountedDoor);
    for (const one of this.mounted) {
      this.app[registrars[one.door.method]](one.pattern, (res, req) => this.serve(one, res, req, false));
      if (one.door.method === 'GET')
        this.app.head(one.pattern, (res, req) => this.serve(one, res, req, true));
    }
  }

  /** Handles one request for a door. */
  private serve(one: Mounted, res: HttpResponse, req: HttpRequest, isHead: boolean): void {
    const exchange = new Exchange(res, req, one, this.tools, isHead);
    exchange.onEnd = this.onEnd;
    try {
      if (!this.admit(exchange, one)) return;
      if (one.takesBody) this.receive(exchange, one);
      else this.answerNow(exchange, one);
      // most reads are answered by now: the rest is for exchanges that wait
      exchange.detach(one.door.lateHeaders);
    } catch (error) {
      this.failed(exchange, one, error);
    }
    if (!exchange.over) res.onAborted(() => this.left(exchange));
  }

  private admit(exchange: Exchange, one: Mounted): boolean {
    const { announced } = exchange;
    if (announced === 'broken') {
      exchange.replyBare();
      return false;
    }
    if (this.drain.refusesRequests && one.door.always !== true)
      return this.refuse(exchange, 'service_unavailable');
    if (!this.inFlight.hasRoom(exchange.res)) return this.refuse(exchange, 'service_unavailable');
    return announced <= one.bodyBytesMax || this.refuse(exchange, 'request_too_large');
  }

  private refuse(exchange: Exchange, code: 'service_unavailable' | 'request_too_large'): false {
    this.inFlight.release(exchange);
    const reply =
      code === 'request_too_large'
        ? this.errors.replyOf(exchange.door, code, exchange)
        : this.unavailable(exchange);
    // a body may still be coming, and is not read
    if (exchange.takesBody) exchange.replyAndClose(reply);
    else exchange.replyLast(reply);
    return false;
  }

  private receive(exchange: Exchange, one: Mounted): void {
    this.inFlight.receive(exchange, one.bodyBytesMax, (body) => {
      try {
        this.received(exchange, one, body);
      } catch (error) {
        this.failed(exchange, one, error);
      }
    });
  }

  private received(exchange: Exchange, one: Mounted, body: Received): void {
    if (exchange.over) return;
    if (body === 'too_large') this.refuse(exchange, 'request_too_large');
    else if (body === 'no_room') this.refuse(exchange, 'service_unavailable');
    else {
      exchange.body = body;
      exchange.received = true;
      this.answer(exchange, one);
    }
  }

  private answerNow(exchange: Exchange, one: Mounted): void {
    this.inFlight.answeredNow = 1;
    try {
      this.answer(exchange, one);
    } finally {
      this.inFlight.answeredNow = 0;
    }
  }

  private answer(exchange: Exchange, one: Mounted): void {
    try {
      const reply = one.door.handle(exchange);
      if (reply instanceof Promise) {
        this.inFlight.wait(exchange);
        void this.answerLater(exchange, one, reply);
      } else this.give(exchange, reply);
    } catch (error) {
      this.failed(exchange, one, error);
    }
  }

  private async answerLater(exchange: Exchange, one: Mounted, reply: Promise<DoorReply>): Promise<void> {
    try {
      this.give(exchange, await reply);
    } catch (error) {
      this.failed(exchange, one, error);
    }
  }

  private give(exchange: Exchange, reply: DoorReply): void {
    this.inFlight.release(exchange);
    if (reply.stream !== undefined) this.begin(exchange, reply, reply.stream);
    else if (reply.fault !== undefined) exchange.misbehave(reply, silenceMsMax);
    else this.reply(exchange, reply);
  }

  private reply(exchange: Exchange, reply: DoorReply): void {
    if (this.drain.closesConnections) exchange.replyLast(reply);
    else exchange.reply(reply);
  }

  /** From here on the stream owns the response and handles its abort. */
  private begin(exchange: Exchange, reply: DoorReply, stream: StreamStart): void {
    if (!this.drain.opensNoStream) {
      exchange.handOver(reply, stream);
      return;
    }
    stream.missed();
    this.refuse(exchange, 'service_unavailable');
  }

  private failed(exchange: Exchange, one: Mounted, error: unknown): void {
    this.inFlight.release(exchange);
    this.log.error({ err: error, requestId: exchange.requestId, route: one.route }, 'a request failed');
    this.reply(exchange, this.errors.replyOf(one.door, this.errors.codeOf(error), exchange));
  }

  private left(exchange: Exchange): void {
    exchange.left();
    exchange.forgetBody?.();
    this.inFlight.release(exchange);
  }

  /** No door matches: 503 while starting, else 404 or 405. Keys are not checked. */
  readonly serveUnmounted = (res: HttpResponse, req: HttpRequest): void => {
    const exchange = new Exchange(res, req, null, this.tools, req.getMethod() === 'head');
    exchange.onEnd = this.onEnd;
    res.onAborted(() => this.left(exchange));
    try {
      if (exchange.announced === 'broken') {
        exchange.replyBare();
        return;
      }
      if (this.mounted === null || this.drain.refusesRequests) {
        const reply = this.mounted === null ? this.notYet(exchange.path) : null;
        exchange.replyLast(reply ?? this.lost(exchange, 'service_unavailable'));
        return;
      }
      const doors = doorsAt(this.mounted, exchange.path);
      if (doors.length === 0) this.reply(exchange, this.lost(exchange, 'endpoint_not_found'));
      else {
        const headers = { Allow: methodsOf(doors).join(', ') };
        this.reply(exchange, this.errors.replyOf(doors[0], 'method_not_allowed', exchange, headers));
      }
    } catch (error) {
      this.log.error({ err: error, requestId: exchange.requestId }, 'a request to an unknown path failed');
      this.reply(exchange, this.errors.replyOf(undefined, 'internal_error', exchange));
    }
  };

  /** No door at this path: a page for clients that prefer HTML, else JSON. */
  private lost(exchange: Exchange, code: 'endpoint_not_found' | 'service_unavailable'): DoorReply {
    const { lostPage } = this;
    const errorPage = (status: number): DoorReply | null =>
      prefersHtml(exchange.header('accept')) ? lostPage(status, exchange) : null;
    return this.errors.replyOf({ errorPage }, code, exchange);
  }

  /** Deadline passed: a waiting door's request is answered 503; where the body never arrived in full, the
   *  connection is closed. */
  private giveUp(exchange: Exchange): void {
    if (!exchange.received) exchange.close();
    else this.reply(exchange, this.unavailable(exchange));
  }

  /** 503, or the substitute answer of a door whose clients cannot handle one. */
  private unavailable(exchange: Exchange): DoorReply {
    const { door } = exchange;
    return door?.unavailable?.() ?? this.errors.replyOf(door, 'service_unavailable', exchange);
  }
}
