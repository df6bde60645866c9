/** Socket.IO on the service's own port: one server per node, websocket alone, so any node will do for
 *  any client and no proxy has to remember who went where.
 *  Boundary: connections, their bounds and their end; what a namespace tells is merchants.ts's and hosted.ts's.
 *  1. What is no upgrade to a websocket is none of its business: the listener answers it like any unknown path.
 *  2. Nothing is awaited between the request to upgrade and the upgrade: a client that leaves cannot leave in between.
 *  3. A connection that says too much, takes too little or has joined nothing for 5 s is ended; so is one of which any
 *     socket leaves: the library takes back no topic of uWS's, so whoever left a room would go on hearing it.
 *  4. Rooms speak through the app this server is mounted on, however many there are in a process. */
import { Server, type Namespace, type Socket } from 'socket.io';
import type { HttpRequest, HttpResponse, us_socket_context_t, WebSocketBehavior } from 'uWebSockets.js';
import { errorBody } from '../../src/errors.ts';
import { seconds, type DurationMs, type Scheduler } from '../../src/kernel/time.ts';
import type { OnLimit } from '../../src/telemetry/live-meters.ts';
import { networkOf, type ClientAddress } from '../server/client-address.ts';
import { HeaderLook, type SocketApp } from '../server/framing.ts';
import { merchantNamespace } from '../http/routes/live-tickets.ts';
import { requestIds } from '../server/request-id.ts';
import { MessageBudget, type Packet } from './budget.ts';
import { ConnectionLimiter } from './connection-limiter.ts';
import { refusal } from './refusal.ts';

/** One message of a client. */
export const messageBytesMax = 4 * 1024;
/** What may wait for a client that does not read. */
export const bytesBehindMax = 1024 * 1024;
/** Connections of one address on this node. */
export const connectionsPerAddressMax = 1_000;
/** Of these above it that are let in to be told so; more are answered 503 before they are connections at all. */
const refusedPerAddressMax = 100;
/** Connections of this node; more are told to come again. */
export const connectionsMax = 20_000;
/** How long a connection may take to join a namespace. */
const joinWithinMs: DurationMs = seconds(5);
/** How many are ended in one turn of a drain. */
const endedAtOnceMax = 500;

/** What a namespace's own part is to this server. */
export interface NamespacePart {
  /** Answers whoever connects to it. */
  open(namespace: Namespace): void;
  /** Listens to nothing more; ending the connections is the server's. */
  drain(): void;
}

export interface SocketServerParts {
  readonly scheduler: Pick<Scheduler, 'steady'>;
  readonly merchants: NamespacePart;
  readonly hosted: NamespacePart;
  /** Whether connections of one address are limited. */
  readonly limits: boolean;
  /** Whose a connection is behind trusted proxies; null: whoever connects is the client. */
  readonly clientAddress: ClientAddress | null;
  readonly onLimit: OnLimit;
  /** Smaller ones for tests. */
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
  /** Tells everybody to come again elsewhere, ends all connections and takes no new ones. */
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
  /** With those that are only let in to be refused. */
  private readonly everybody: ConnectionLimiter;
  /** Connections whose address has too many. */
  private readonly crowded = new WeakSet<Connection>();
  private readonly open = new Set<Connection>();
  /** Whose request it was. Of a header in several lines the library keeps one alone, and uWS gives the first. */
  private readonly networks = new WeakMap<object, string>();
  private readonly look = new HeaderLook();
  private readonly nextRequestId = requestIds();
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
    // the one every server of the library has
    this.io.of('/').use((_socket, next) => next(refusal('resource_not_found')));
  }

  get connections(): number {
    return this.open.size;
  }

  mountOn(app: SocketApp): void {
    const { io } = this;
    const host = {
      // polling and whatever else is no websocket
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
        sendAway(socket);
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
        if (!this.turnsAway(res, req)) void upgrade?.(res, req, context satisfies us_socket_context_t);
      },
    };
  }

  /** Answers an upgrade that is not to be. */
  private turnsAway(res: HttpResponse, req: HttpRequest): boolean {
    const network = this.networkAt(res, req);
    const isCrowded = this.everybody.isFull(network);
    const isFull = this.open.size >= this.bounds.connectionsMax;
    if (this.draining || isCrowded || isFull) {
      if (!this.draining) this.parts.onLimit(isCrowded ? 'per_address' : 'per_node');
      res.writeStatus('503 Service Unavailable').writeHeader('Retry-After', '1');
      this.refuse(res, 'service_unavailable');
      return true;
    }
    // a session of the library's own, to go on with over another transport: there is no other
    if (req.getQuery('sid') === undefined) {
      this.networks.set(req, network);
      return false;
    }
    res.writeStatus('400 Bad Request');
    this.refuse(res, 'validation_failed');
    return true;
  }

  private refuse(res: HttpResponse, code: 'service_unavailable' | 'validation_failed'): void {
    const requestId = this.nextRequestId();
    res.writeHeader('X-Request-Id', requestId).writeHeader('Content-Type', 'application/json');
    res.end(errorBody(code, requestId), true);
  }

  private connected(connection: Connection): void {
    const budget = new MessageBudget(this.parts.scheduler);
    this.open.add(connection);
    connection.once('close', () => this.open.delete(connection));
    const network = this.networkOf(connection);
    for (const crowd of [this.everybody, this.addresses]) {
      const leave = crowd.enter(network);
      if (leave === null) this.crowded.add(connection);
      else connection.once('close', leave);
    }
    if (this.crowded.has(connection)) this.parts.onLimit('per_address');
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
      else if (this.crowded.has(conn)) next(refusal('rate_limit_exceeded'));
      else next();
    });
    namespace.on('connection', (socket) => {
      socket.once('disconnect', () => socket.conn.close());
      if (this.draining) sendAway(socket);
    });
    part.open(namespace);
    return namespace;
  }
}

/** Attaching makes all rooms of the process speak through the newest app, closing a server takes that back from all. */
function keepsItsApp({ adapter }: Namespace): void {
  for (const way of ['addAll', 'del', 'broadcast']) Reflect.set(adapter, way, Reflect.get(adapter, way));
}

/** Says why, and ends the whole connection. */
export function sendAway(socket: Socket, code = 'restarting'): void {
  socket.emit('bye', { code });
  socket.disconnect(true);
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
