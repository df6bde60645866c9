/** Socket.IO on the service's own port: one server per node, websocket only, so any node can serve any
 *  client and no proxy needs sticky sessions.
 *  Boundary: connections, their bounds and their end; merchants.ts and hosted.ts decide what a namespace
 *  sends.
 *  1. Requests that are not websocket upgrades are not handled here: sockets.ts answers them.
 *  2. Nothing is awaited between the upgrade request and the upgrade: a client cannot leave in between.
 *  3. A connection that sends too much, reads too little or has joined nothing for 5 s is ended; so is one
 *     of which any socket leaves: the library does not unsubscribe uWS topics, so a socket that left a room
 *     would still receive its messages.
 *  4. Rooms publish through the app that this server is mounted on, however many apps a process has. */
import { Server, type Namespace, type Socket } from 'socket.io';
import type { HttpRequest, HttpResponse, us_socket_context_t, WebSocketBehavior } from 'uWebSockets.js';
import { errorBody } from '../../src/errors.ts';
import { seconds, type DurationMs, type Scheduler } from '../../src/kernel/time.ts';
import type { OnLimit } from '../../src/telemetry/live-meters.ts';
import { networkOf, type ClientAddress } from '../server/client-address.ts';
import { HeaderLook, type SocketApp } from '../server/framing.ts';
import { merchantNamespace } from '../http/routes/live-tickets.ts';
import { RequestIds } from '../server/request-id.ts';
import { ConnectionLimiter } from './connection-limiter.ts';
import { refusal } from './refusal.ts';

/** One message of a client. */
export const messageBytesMax = 4 * 1024;
/** Bytes that may wait for a client that does not read. */
export const bytesBehindMax = 1024 * 1024;
/** Connections of one address on this node. */
const connectionsPerAddressMax = 1_000;
/** Connections above that bound that are admitted only to be told why; beyond these, upgrades are answered
 *  503. */
const refusedPerAddressMax = 100;
/** Connections of this node; further ones are told to retry later. */
export const connectionsMax = 20_000;
/** How long a connection may take to join a namespace. */
const joinWithinMs: DurationMs = seconds(5);
/** How many are ended per turn of a drain. */
const endedAtOnceMax = 500;

/** A namespace as this server sees it. */
export interface NamespacePart {
  /** Handles connections to it. */
  open(namespace: Namespace): void;
  /** Stops listening; the server ends the connections. */
  drain(): void;
}

export interface SocketServerParts {
  readonly scheduler: Pick<Scheduler, 'steady'>;
  readonly merchants: NamespacePart;
  readonly hosted: NamespacePart;
  /** Whether connections of one address are limited. */
  readonly limits: boolean;
  /** The client's address behind trusted proxies; null: the connection's address is the client's. */
  readonly clientAddress: ClientAddress | null;
  readonly onLimit: OnLimit;
  /** Smaller limits for tests. */
  readonly bounds?: Partial<ConnectionBounds>;
}

export interface ConnectionBounds {
  readonly connectionsMax: number;
  readonly perAddressMax: number;
  readonly joinWithinMs: DurationMs;
}

export interface Sockets {
  /** Before the doors are mounted. */
  mountOn(app: SocketApp): void;
  /** Tells all clients to reconnect elsewhere, ends all connections and accepts no new ones. */
  drain(): Promise<void>;
  /** Connections right now, for tests and metrics. */
  readonly connections: number;
}

export const socketServer = (parts: SocketServerParts): Sockets => new SocketServer(parts);

type Connection = Socket['conn'];

class SocketServer implements Sockets {
  private readonly parts: SocketServerParts;
  private readonly bounds: ConnectionBounds;
  private readonly io: Server;
  private readonly namespaces: readonly Namespace[];
  private readonly addresses: ConnectionLimiter;
  /** Including those admitted only to be refused. */
  private readonly everybody: ConnectionLimiter;
  /** Connections whose address has too many. */
  private readonly overLimit = new WeakSet<Connection>();
  private readonly open = new Set<Connection>();
  /** The client's address. For a header in several lines the library keeps only one, and uWS returns the
   *  first. */
  private readonly networks = new WeakMap<object, string>();
  private readonly look = new HeaderLook();
  private readonly ids = new RequestIds();
  private draining = false;

  constructor(parts: SocketServerParts) {
    this.parts = parts;
    this.bounds = {
      connectionsMax,
      perAddressMax: parts.limits ? connectionsPerAddressMax : Number.POSITIVE_INFINITY,
      joinWithinMs,
      ...parts.bounds,
    };
    this.addresses = new ConnectionLimiter(this.bounds.perAddressMax);
    this.everybody = new ConnectionLimiter(this.bounds.perAddressMax + refusedPerAddressMax);
    this.io = new Server({
      transports: ['websocket'],
      allowUpgrades: false,
      serveClient: false,
      maxHttpBufferSize: messageBytesMax,
      connectTimeout: this.bounds.joinWithinMs,
    });
    const rooms = [
      [merchantNamespace, parts.merchants],
      ['/hosted', parts.hosted],
    ] as const;
    this.namespaces = rooms.map(([name, part]) => this.opened(this.io.of(name), part));
    // the namespace that every server of the library has
    this.io.of('/').use((_socket, next) => next(refusal('resource_not_found')));
  }

  get connections(): number {
    return this.open.size;
  }

  mountOn(app: SocketApp): void {
    const { io } = this;
    const host = {
      // polling and anything else that is not a websocket
      any: () => host,
      ws: (path: string, behavior: WebSocketBehavior<unknown>) => {
        app.ws(path, this.bounded(behavior));
        return host;
      },
      publish: (topic: string, message: string, isBinary: boolean) => app.publish(topic, message, isBinary),
    };
    io.attachApp(host);
    for (const namespace of this.namespaces) keepsItsApp(namespace);
    io.engine.on('connection', (connection: Connection) => this.connected(connection));
  }

  async drain(): Promise<void> {
    this.draining = true;
    let ended = 0;
    for (const namespace of this.namespaces)
      for (const socket of namespace.sockets.values()) {
        if (++ended % endedAtOnceMax === 0) await nextTurn();
        disconnect(socket);
      }
    for (const connection of this.open) connection.close();
    this.parts.merchants.drain();
    this.parts.hosted.drain();
  }

  private bounded(behavior: WebSocketBehavior<unknown>): WebSocketBehavior<unknown> {
    const { upgrade } = behavior;
    return {
      ...behavior,
      maxPayloadLength: messageBytesMax,
      maxBackpressure: bytesBehindMax,
      closeOnBackpressureLimit: true,
      upgrade: (res, req, context) => {
        if (!this.rejects(res, req)) void upgrade?.(res, req, context satisfies us_socket_context_t);
      },
    };
  }

  /** Answers an upgrade that is refused. */
  private rejects(res: HttpResponse, req: HttpRequest): boolean {
    const network = this.networkAt(res, req);
    const isOverLimit = this.everybody.isFull(network);
    const isFull = this.open.size >= this.bounds.connectionsMax;
    if (this.draining || isOverLimit || isFull) {
      if (!this.draining) this.parts.onLimit(isOverLimit ? 'per_address' : 'per_node');
      res.writeStatus('503 Service Unavailable').writeHeader('Retry-After', '1');
      this.refuse(res, 'service_unavailable');
      return true;
    }
    // an Engine.IO session to be resumed over another transport: there is no other transport
    if (req.getQuery('sid') === undefined) {
      this.networks.set(req, network);
      return false;
    }
    res.writeStatus('400 Bad Request');
    this.refuse(res, 'validation_failed');
    return true;
  }

  private refuse(res: HttpResponse, code: 'service_unavailable' | 'validation_failed'): void {
    const requestId = this.ids.next();
    res.writeHeader('X-Request-Id', requestId).writeHeader('Content-Type', 'application/json');
    res.end(errorBody(code, requestId), true);
  }

  private connected(connection: Connection): void {
    const budget = new MessageBudget(this.parts.scheduler);
    this.open.add(connection);
    connection.once('close', () => this.open.delete(connection));
    const network = this.networkOf(connection);
    for (const limiter of [this.everybody, this.addresses]) {
      const leave = limiter.enter(network);
      if (leave === null) this.overLimit.add(connection);
      else connection.once('close', leave);
    }
    if (this.overLimit.has(connection)) this.parts.onLimit('per_address');
    connection.on('packet', (packet: Packet) => {
      if (!budget.takes(packet)) connection.close(true);
    });
  }

  private networkOf({ remoteAddress, request }: Connection): string {
    return this.networks.get(request) ?? networkOf(remoteAddress);
  }

  private networkAt(res: HttpResponse, req: HttpRequest): string {
    const address = Buffer.from(res.getRemoteAddressAsText()).toString();
    return networkOf(this.parts.clientAddress?.(address, this.look.at(req).forwardedFor) ?? address);
  }

  private opened(namespace: Namespace, part: NamespacePart): Namespace {
    namespace.use(({ conn }, next) => {
      if (this.draining) next(refusal('service_unavailable'));
      else if (this.overLimit.has(conn)) next(refusal('rate_limit_exceeded'));
      else next();
    });
    namespace.on('connection', (socket) => {
      socket.once('disconnect', () => socket.conn.close());
      if (this.draining) disconnect(socket);
    });
    part.open(namespace);
    return namespace;
  }
}

/** Attaching makes all rooms of the process publish through the newest app; closing a server undoes that
 *  for all. */
function keepsItsApp({ adapter }: Namespace): void {
  for (const way of ['addAll', 'del', 'broadcast']) Reflect.set(adapter, way, Reflect.get(adapter, way));
}

/** Sends the reason, and ends the whole connection. */
export function disconnect(socket: Socket, code = 'restarting'): void {
  socket.emit('bye', { code });
  socket.disconnect(true);
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** How much one connection may send: sockets only deliver updates, clients need to send almost nothing.
 *  1. More than 10 messages within any 10 s, or more than 10 protocol packets (answers to pings, joining
 *     and leaving a namespace), are too many. Protocol packets do not count as messages: a client that
 *     keeps to the bound is never ended because of its own heartbeat. */
export const messagesMax = 10;
const messagesWithinMs: DurationMs = seconds(10);

/** A packet of Engine.IO as received. */
export interface Packet {
  readonly type: string;
  /** Of a message: Socket.IO text or bytes. */
  readonly data?: unknown;
}

class MessageBudget {
  private readonly scheduler: Pick<Scheduler, 'steady'>;
  private readonly messages: DurationMs[] = [];
  private readonly words: DurationMs[] = [];

  constructor(scheduler: Pick<Scheduler, 'steady'>) {
    this.scheduler = scheduler;
  }

  /** Whether this packet is still within the budget. */
  takes(packet: Packet): boolean {
    const counted = isMessage(packet) ? this.messages : this.words;
    const now = this.scheduler.steady();
    counted.push(now);
    if (counted.length <= messagesMax) return true;
    const oldest = counted.shift() ?? now;
    return now - oldest >= messagesWithinMs;
  }
}

/** The first character of a Socket.IO text is its type: 0 joins a namespace, 1 leaves it. */
const isMessage = ({ type, data }: Packet): boolean =>
  type === 'message' && !(typeof data === 'string' && (data.startsWith('0') || data.startsWith('1')));
