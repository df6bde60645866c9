/** Buyers' pages over Socket.IO, namespace `/hosted` (decisions 25): the body of `GET /pay/{id}/status`, at once and at
 *  every change of it, to whoever knows the session's id.
 *  Boundary: reads and watches; how connections are carried, counted and bounded is the server's.
 *  1. A session is watched before it is read, and only while somebody follows it. It is read once for all of them: on
 *     each notice (which may be lost), when the bus stands again, and every 15 s.
 *  2. Nobody is told the same twice, or what is older than what he was told.
 *  3. After a terminal state the connection is ended: nothing more is promised.
 *  4. Whoever is refused, or leaves at any moment, leaves nothing behind. */
import type { Namespace, Socket } from 'socket.io';
import { pageStatusOf, type PageStatus } from '../../actors/checkout-session/page.ts';
import type { ErrorCode } from '../../src/errors.ts';
import { couldBeId } from '../../src/kernel/id.ts';
import { seconds, type Cancel, type DurationMs, type Scheduler } from '../../src/kernel/time.ts';
import type { Client } from '../../src/runtime/model/client.ts';
import type { OnLimit } from '../../src/telemetry/live-meters.ts';
import type { Log } from '../../src/telemetry/log.ts';
import { sessionWithPage } from '../buyer/page-model.ts';
import { StoreSilent } from '../http/route/reading.ts';
import { Wheel, type Spoke } from '../sse/heartbeat.ts';
import { SingleFlight } from '../sse/single-flight.ts';
import { Semaphore } from '../sse/semaphore.ts';
import { refusal } from './refusal.ts';

/** Open sockets of one session (decisions 25). */
export const socketsPerSessionMax = 100;
/** Reads of sessions under way at once, over all of them. */
const readsAtOnceMax = 64;
/** How often a session is read again, notice or not. */
const rereadEveryMs: DurationMs = seconds(15);
const rereadSlots = 60;
/** A silent store fails every read: it is said once in so long. */
const complainEveryMs: DurationMs = seconds(5);

export interface HostedParts {
  readonly client: Pick<Client, 'read' | 'watch'>;
  readonly scheduler: Pick<Scheduler, 'steady' | 'after'>;
  readonly log: Pick<Log, 'warn' | 'error'>;
  /** Whether sockets of one session are limited. */
  readonly limits: boolean;
  /** Called when the bus stands again. */
  readonly onReconnect: (again: () => void) => Cancel;
  readonly onLimit: OnLimit;
}

export interface Hosted {
  /** Answers whoever connects to this namespace. */
  open(namespace: Namespace): void;
  /** Listens to nothing more; ending the connections is the server's. */
  drain(): void;
  /** What grows with buyers, for tests and metrics. */
  readonly sizes: { readonly sockets: number; readonly sessions: number };
}

export const hostedNamespace = (parts: HostedParts): Hosted => new Sessions(parts);

/** How a session stands, as its buyers see it. */
interface Standing {
  /** The session's version. */
  readonly v: number;
  readonly body: PageStatus;
  readonly text: string;
}

/** A session somebody follows. */
class Followed extends SingleFlight<Standing | null> implements Spoke {
  slot = -1;
  place = 0;
  unwatch: Cancel = () => undefined;
  /** The newest that was read. */
  standing: Standing | null = null;
  /** Those who hear what happens, in the order they came. */
  readonly sockets = new Set<Socket>();
  /** Those who are being let in, too. */
  members = 0;
}

/** One socket's part in a session. */
interface Place {
  readonly followed: Followed;
  readonly leave: Cancel;
}

class Sessions implements Hosted {
  private readonly parts: HostedParts;
  private readonly followed = new Map<string, Followed>();
  private readonly places = new WeakMap<Socket, Place>();
  private readonly rereads: Wheel<Followed>;
  private readonly reads = new Semaphore(readsAtOnceMax);
  private readonly stopListening: Cancel;
  private members = 0;
  private complainedAt = Number.NEGATIVE_INFINITY;

  constructor(parts: HostedParts) {
    this.parts = parts;
    this.rereads = new Wheel({
      scheduler: parts.scheduler,
      turnMs: rereadEveryMs,
      slots: rereadSlots,
      visit: (followed) => void this.refresh(followed),
    });
    this.stopListening = parts.onReconnect(() => this.rereadAll());
  }

  get sizes(): Hosted['sizes'] {
    return { sockets: this.members, sessions: this.followed.size };
  }

  open(namespace: Namespace): void {
    namespace.use((socket, next) => void this.letIn(socket, next));
    namespace.on('connection', (socket) => this.begin(socket));
  }

  drain(): void {
    this.stopListening();
  }

  private async letIn(socket: Socket, next: (refused?: Error) => void): Promise<void> {
    const refused = await this.admit(socket);
    if (refused === null) next();
    else next(refusal(refused));
  }

  /** Null: the socket has its place, and its session was read after it took it. Never rejects. */
  private async admit(socket: Socket): Promise<ErrorCode | null> {
    const id = sessionIn(socket.handshake.auth);
    if (id === null) return 'resource_not_found';
    const place = this.join(id);
    if (place === null) {
      this.parts.onLimit('per_session');
      return 'rate_limit_exceeded';
    }
    this.places.set(socket, place);
    // a connection that is gone before it was let in is never told of as a socket
    socket.conn.once('close', place.leave);
    const refused = await this.look(place.followed);
    if (refused !== null) place.leave();
    return refused;
  }

  private async look(followed: Followed): Promise<ErrorCode | null> {
    try {
      const standing = await followed.fresh(this.readInTurn);
      this.heard(followed, standing);
      return standing === null ? 'resource_not_found' : null;
    } catch (thrown) {
      const silent = thrown instanceof StoreSilent;
      if (silent) this.complain(thrown);
      else this.parts.log.error({ err: thrown, session: followed.id }, 'a buyer cannot be let in');
      return silent ? 'service_unavailable' : 'internal_error';
    }
  }

  /** It is let in: it hears how the session stands, and from now on what becomes of it. */
  private begin(socket: Socket): void {
    const place = this.places.get(socket);
    const standing = place?.followed.standing ?? null;
    if (place === undefined || standing === null) {
      socket.disconnect(true);
      return;
    }
    socket.once('disconnect', place.leave);
    socket.once('disconnect', () => place.followed.sockets.delete(socket));
    place.followed.sockets.add(socket);
    tell(socket, standing);
  }

  private join(id: string): Place | null {
    const max = this.parts.limits ? socketsPerSessionMax : Infinity;
    if ((this.followed.get(id)?.members ?? 0) >= max) return null;
    const followed = this.followed.get(id) ?? this.follow(id);
    followed.members++;
    this.members++;
    let isHere = true;
    const leave = (): void => {
      if (!isHere) return;
      isHere = false;
      this.left(followed);
    };
    return { followed, leave };
  }

  private follow(id: string): Followed {
    const followed = new Followed(id);
    this.followed.set(id, followed);
    this.rereads.add(followed);
    followed.unwatch = this.parts.client.watch(id, () => void this.refresh(followed));
    return followed;
  }

  private left(followed: Followed): void {
    this.members--;
    if (--followed.members > 0) return;
    this.followed.delete(followed.id);
    this.rereads.remove(followed);
    followed.unwatch();
  }

  private readonly readInTurn = (id: string): Promise<Standing | null> =>
    this.reads.pass(() => standingOf(this.parts.client, id));

  private rereadAll(): void {
    for (const followed of this.followed.values()) void this.refresh(followed);
  }

  /** Never rejects: a silent store is asked again in 15 s. */
  private async refresh(followed: Followed): Promise<void> {
    try {
      this.heard(followed, await followed.fresh(this.readInTurn));
    } catch (thrown) {
      this.complain(thrown);
    }
  }

  /** Tells everybody what a read has found, if it is news. */
  private heard(followed: Followed, standing: Standing | null): void {
    const before = followed.standing;
    if (standing === null || (before !== null && standing.v < before.v)) return;
    followed.standing = standing;
    if (standing.text === before?.text) return;
    for (const socket of followed.sockets) tell(socket, standing);
  }

  private complain(thrown: unknown): void {
    const now = this.parts.scheduler.steady();
    if (now - this.complainedAt < complainEveryMs) return;
    this.complainedAt = now;
    this.parts.log.warn({ err: thrown }, 'pages could not be brought up to date');
  }
}

async function standingOf(client: HostedParts['client'], id: string): Promise<Standing | null> {
  const found = await sessionWithPage(client, id);
  if (found === null) return null;
  const body = pageStatusOf(found.state, id);
  return { v: found.v, body, text: JSON.stringify(body) };
}

/** `next` is there once nothing more comes. */
function tell(socket: Socket, { body }: Standing): void {
  socket.emit('state', body);
  if (body.next !== null) socket.disconnect(true);
}

function sessionIn(auth: unknown): string | null {
  const { session } = Object(auth) as { readonly session?: unknown };
  return typeof session === 'string' && couldBeId('cs', session) ? session : null;
}
