/** The one uWebSockets.js listener: opens the port, mounts the doors, drains.
 *  Boundary: sockets, sizes, deadlines and the headers of every answer; the content of an answer belongs to
 *  its door.
 *  1. Every request is answered once, or its connection is closed; neither is touched afterwards.
 *  2. No input from a client and no exception from a door ends the process.
 *  3. Every wait is bounded: for a body, a door, a drain.
 *  4. uWS's request is read only before the first await. */
import { setTimeout as pause } from 'node:timers/promises';
import type { HttpRequest, HttpResponse, TemplatedApp } from 'uWebSockets.js';
import { assert } from '../../src/kernel/assert.ts';
import { seconds, type DurationMs } from '../../src/kernel/time.ts';
import type { Log } from '../../src/telemetry/log.ts';
import { prefersHtml } from './accept.ts';
import { receiveBody, type BodyBudget, type Received } from './bodies.ts';
import type { ClientAddress } from './client-address.ts';
import type { Door, DoorReply, StreamStart } from './door.ts';
import { Exchange, ExchangeTools } from './exchange.ts';
import { framedSockets, type SocketApp } from './framing.ts';
import { doorsAt, methodsOf, type Mounted, mountedDoor } from './paths.ts';
import { StoreSilent } from '../http/route/reading.ts';
import { errorReply, errorReplyOf } from '../http/route/reply.ts';
import { Port } from './port.ts';
import { loadUws } from './uws.ts';

/** How long a door may take before its request is answered 503. */
export const answerMsMax: DurationMs = seconds(28);
/** How long a reply that must never come holds its connection (simulator faults). */
const silenceMsMax: DurationMs = seconds(60);
/** A body may take this long before it may be dropped to make room for another request. */
const bodyMsMin: DurationMs = seconds(2);
/** Requests in progress at once. One more makes the slowest unfinished body be dropped; where no body is
 *  slow, the new request is answered 503. */
export const requestsMax = 10_000;
/** Bytes of unfinished bodies in memory at once; the same rule applies. */
const bodyBytesHeldMax = 128 * 1024 * 1024;
/** After shutdown starts, the port stays open for this long, so that load balancers that poll /health
 *  notice in time. */
const noticeMs: DurationMs = 1000;
/** Requests on connections accepted just before the port closed are still served for this long. */
const stillComingMs: DurationMs = 300;
/** After the last answer: time for bytes still on their way to slow readers. */
const lastBytesMs: DurationMs = 50;

export interface ListenOptions {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  readonly log: Log;
  /** The port is opened by `open`; until then connections are refused, so other nodes serve meanwhile and a
   *  load balancer goes on to the next one. The port must be given explicitly. */
  readonly opensLater: boolean;
  /** Smaller limits for tests. */
  readonly answerMsMax?: DurationMs;
  readonly bodyMsMin?: DurationMs;
  readonly requestsMax?: number;
  readonly bodyBytesHeldMax?: number;
  /** The page for people where no door matches or none is mounted yet (404, 503); null: JSON. Never throws. */
  readonly lostPage: (status: number, path: string) => DoorReply | null;
  /** The answer, before doors are mounted, at a path whose clients cannot handle a 503; null: send 503.
   *  Never throws. */
  readonly notYet: (path: string) => DoorReply | null;
  /** Determines clients' addresses behind trusted proxies; null: the connection's address is used. */
  readonly clientAddress: ClientAddress | null;
  /** Called after every answer; the door is undefined when none matches. Never throws. */
  readonly answered: Answered;
}

/** 499: the client left first; 408: its body never arrived in full. */
export type Answered = (door: Door | undefined, status: number, tookMs: DurationMs) => void;

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
  inHand(): number;
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
  const sweep = setInterval(server.sweep, Math.min(1000, server.answerMs / 2));
  sweep.unref();
  const drain = async (withinMs: DurationMs, first?: Promise<void>): Promise<void> => {
    const until = performance.now() + withinMs;
    server.leave();
    if (port.isOpen) {
      await Promise.race([Promise.all([first, pause(noticeMs)]), pause(withinMs / 2)]);
      await port.close();
    }
    server.close();
    const left = (): DurationMs => until - performance.now();
    await Promise.race([Promise.allSettled(ends.map((end) => end())), pause(left())]);
    await server.drained(left());
    clearInterval(sweep);
    app.close();
  };
  let draining: Promise<void> | null = null;
  const ends: (() => Promise<void>)[] = [];
  return {
    port: port.number,
    sockets: (mountOn) => mountOn(framedSockets(app, server.tools.headers)),
    mount: (doors) => server.mount(doors),
    open: () => port.open(),
    inHand: () => server.inHand.size + server.answeredNow,
    whenClosed: (end) => void ends.push(end),
    drain: (withinMs, first) => (draining ??= drain(withinMs, first)),
  };
}

const registrars = { GET: 'get', POST: 'post', PUT: 'put', PATCH: 'patch', DELETE: 'del' } as const;

class HttpServer {
  /** Waiting exchanges in order of arrival, oldest first. */
  readonly inHand = new Set<Exchange>();
  /** 1 while a door that may answer at once is being called. */
  answeredNow: 0 | 1 = 0;
  readonly answerMs: DurationMs;
  private readonly app: TemplatedApp;
  private readonly log: Log;
  private readonly lostPage: ListenOptions['lostPage'];
  private readonly notYet: ListenOptions['notYet'];
  private readonly onEnd: Exchange['onEnd'];
  readonly tools: ExchangeTools;
  private readonly bodyMsMin: DurationMs;
  private readonly requestsMax: number;
  /** Exchanges of `inHand` whose bodies are still arriving, oldest first. */
  private readonly arriving = new Set<Exchange>();
  private readonly bodies: BodyBudget;
  private mounted: readonly Mounted[] | null = null;
  /** Requests are still answered, and their connections are closed after the answer. */
  private draining = false;
  /** No new stream is opened. */
  private closed = false;
  /** New requests are told to retry later. */
  private closing = false;

  constructor(app: TemplatedApp, options: ListenOptions) {
    this.app = app;
    this.log = options.log;
    this.answerMs = options.answerMsMax ?? answerMsMax;
    this.lostPage = options.lostPage;
    this.notYet = options.notYet;
    this.tools = new ExchangeTools(options.clientAddress);
    this.bodyMsMin = options.bodyMsMin ?? bodyMsMin;
    this.requestsMax = options.requestsMax ?? requestsMax;
    this.bodies = {
      heldBytes: 0,
      heldBytesMax: options.bodyBytesHeldMax ?? bodyBytesHeldMax,
      makeRoom: (res) => this.makeRoom(res),
    };
    const { answered } = options;
    this.onEnd = ({ door, startedAt }, status) => answered(door, status, performance.now() - startedAt);
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
    if (this.closing && one.door.always !== true) return this.refuse(exchange, 'service_unavailable');
    if (this.inHand.size >= this.requestsMax && !this.makeRoom(exchange.res))
      return this.refuse(exchange, 'service_unavailable');
    return announced <= one.bodyBytesMax || this.refuse(exchange, 'request_too_large');
  }

  /** Drops the unfinished body that has been arriving the longest, if it is old enough and not this
   *  request's own: a client that sends a byte now and then must not block others. False when there is
   *  none. */
  private makeRoom(own: HttpResponse): boolean {
    const [slowest] = this.arriving;
    if (slowest === undefined || slowest.res === own) return false;
    if (performance.now() - slowest.startedAt < this.bodyMsMin) return false;
    this.end(slowest);
    return true;
  }

  private refuse(exchange: Exchange, code: 'service_unavailable' | 'request_too_large'): false {
    this.inHand.delete(exchange);
    const reply =
      code === 'request_too_large' ? errorReplyOf(exchange.door, code, exchange) : notNow(exchange);
    exchange.replyLast(reply);
    return false;
  }

  private receive(exchange: Exchange, one: Mounted): void {
    this.inHand.add(exchange);
    this.arriving.add(exchange);
    exchange.forgetBody = receiveBody(exchange.res, one.bodyBytesMax, this.bodies, (body) => {
      try {
        this.received(exchange, one, body);
      } catch (error) {
        this.failed(exchange, one, error);
      }
    });
  }

  private received(exchange: Exchange, one: Mounted, body: Received): void {
    this.arriving.delete(exchange);
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
    this.answeredNow = 1;
    try {
      this.answer(exchange, one);
    } finally {
      this.answeredNow = 0;
    }
  }

  private answer(exchange: Exchange, one: Mounted): void {
    try {
      const reply = one.door.handle(exchange);
      if (reply instanceof Promise) {
        this.inHand.add(exchange);
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
    this.inHand.delete(exchange);
    if (reply.stream !== undefined) this.begin(exchange, reply, reply.stream);
    else if (reply.fault !== undefined) exchange.misbehave(reply, silenceMsMax);
    else this.reply(exchange, reply);
  }

  private reply(exchange: Exchange, reply: DoorReply): void {
    if (this.draining) exchange.replyLast(reply);
    else exchange.reply(reply);
  }

  /** From here on the stream owns the response and handles its abort. */
  private begin(exchange: Exchange, reply: DoorReply, stream: StreamStart): void {
    if (!this.closed) {
      exchange.handOver(reply, stream);
      return;
    }
    stream.missed();
    this.refuse(exchange, 'service_unavailable');
  }

  private failed(exchange: Exchange, one: Mounted, error: unknown): void {
    this.inHand.delete(exchange);
    this.arriving.delete(exchange);
    this.log.error({ err: error, requestId: exchange.requestId, route: one.route }, 'a door failed');
    const code = error instanceof StoreSilent ? 'service_unavailable' : 'internal_error';
    this.reply(exchange, errorReplyOf(one.door, code, exchange));
  }

  private left(exchange: Exchange): void {
    exchange.left();
    exchange.forgetBody?.();
    this.arriving.delete(exchange);
    this.inHand.delete(exchange);
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
      if (this.mounted === null || this.closing) {
        const reply = this.mounted === null ? this.notYet(exchange.path) : null;
        exchange.replyLast(reply ?? this.lost(exchange, 'service_unavailable'));
        return;
      }
      const doors = doorsAt(this.mounted, exchange.path);
      if (doors.length === 0) this.reply(exchange, this.lost(exchange, 'endpoint_not_found'));
      else {
        const headers = { Allow: methodsOf(doors).join(', ') };
        this.reply(exchange, errorReplyOf(doors[0], 'method_not_allowed', exchange, headers));
      }
    } catch (error) {
      this.log.error({ err: error, requestId: exchange.requestId }, 'an unknown path failed');
      this.reply(exchange, errorReply('internal_error', exchange.requestId));
    }
  };

  /** No door at this path: a page for clients that prefer HTML, else JSON. */
  private lost(exchange: Exchange, code: 'endpoint_not_found' | 'service_unavailable'): DoorReply {
    const { path } = exchange;
    const { lostPage } = this;
    const errorPage = (status: number): DoorReply | null =>
      prefersHtml(exchange.header('accept')) ? lostPage(status, path) : null;
    return errorReplyOf({ errorPage }, code, exchange);
  }

  /** Ends exchanges that are past their deadline. */
  readonly sweep = (): void => {
    const until = performance.now() - this.answerMs;
    for (const exchange of this.inHand) {
      if (exchange.startedAt > until) return;
      this.end(exchange);
    }
  };

  /** From now on every answer closes its connection. */
  leave(): void {
    this.draining = true;
  }

  close(): void {
    this.closed = true;
  }

  /** Resolves when no request is in progress, or after `withinMs`. */
  async drained(withinMs: DurationMs): Promise<void> {
    const now = performance.now();
    const [until, stillComing] = [now + withinMs, now + stillComingMs];
    const busy = (): boolean => this.inHand.size > 0 || performance.now() < stillComing;
    while (busy() && performance.now() < until) await pause(10);
    this.closing = true;
    for (const exchange of this.inHand) this.end(exchange);
    await pause(lastBytesMs);
  }

  /** Deadline passed: a waiting door's request is answered 503; where the body never arrived in full, the
   *  connection is closed. */
  private end(exchange: Exchange): void {
    this.inHand.delete(exchange);
    this.arriving.delete(exchange);
    if (!exchange.received) exchange.close();
    else this.reply(exchange, notNow(exchange));
  }
}

/** 503, or the substitute answer of a door whose clients cannot handle one. */
const notNow = (exchange: Exchange): DoorReply =>
  exchange.door?.notNow?.() ?? errorReplyOf(exchange.door, 'service_unavailable', exchange);
