/** Buyers' pages over Socket.IO, namespace `/hosted`: the body of `GET /pay/{id}/status`, at once and at
 *  every change, to any client that knows the session's id.
 *  Boundary: reads and watches; the server handles connections, their count and their bounds.
 *  1. Every change of a session is sent: Topics keeps it.
 *  2. Nothing is sent twice, and nothing older than what was already sent.
 *  3. After a terminal state the connection is ended: nothing more follows.
 *  4. A client that is refused, or leaves at any moment, leaves no state behind. */
import type { Namespace, Socket } from 'socket.io';
import { pageStatusOf, type PageStatus } from '../../actors/checkout-session/page.ts';
import type { SessionState } from '../../actors/checkout-session/state.ts';
import type { ErrorCode } from '../../src/errors.ts';
import { Complaints } from '../../src/kernel/complaints.ts';
import { couldBeId } from '../../src/kernel/id.ts';
import type { Cancel, Scheduler } from '../../src/kernel/time.ts';
import type { Client, Snapshot } from '../../src/runtime/model/client.ts';
import type { OnLimit } from '../../src/telemetry/live-meters.ts';
import type { Log } from '../../src/telemetry/log.ts';
import { pageOf, sessionWithPage } from '../http/page-sessions.ts';
import { StoreUnresponsive } from '../http/route/reading.ts';
import { Semaphore } from '../../src/kernel/semaphore.ts';
import { Followed, Topics } from '../live/topics.ts';
import { refusal } from './refusal.ts';

/** Open sockets of one session. */
export const socketsPerSessionMax = 100;
/** Reads of sessions under way at once, over all sessions. */
const readsAtOnceMax = 64;
export interface HostedParts {
  readonly client: Pick<Client, 'read' | 'watch'>;
  readonly scheduler: Pick<Scheduler, 'steady' | 'after'>;
  readonly log: Pick<Log, 'warn' | 'error'>;
  /** Whether sockets of one session are limited. */
  readonly limits: boolean;
  /** Called when the bus reconnects. */
  readonly onReconnect: (again: () => void) => Cancel;
  readonly onLimit: OnLimit;
}

export interface Hosted {
  /** Handles connections to this namespace. */
  open(namespace: Namespace): void;
  /** Stops listening; the server ends the connections. */
  drain(): void;
  /** Sizes that grow with the number of buyers, for tests and metrics. */
  readonly sizes: { readonly sockets: number; readonly sessions: number };
}

export const hostedNamespace = (parts: HostedParts): Hosted => new Sessions(parts);

/** A session's status as its buyers see it. */
interface PageState {
  /** The session's version. */
  readonly v: number;
  readonly body: PageStatus;
  readonly text: string;
}

/** A session with at least one follower. */
class Session extends Followed<PageState> {
  /** The newest status read. */
  pageState: PageState | null = null;
  /** Sockets that receive the changes, in order of arrival. */
  readonly sockets = new Set<Socket>();
}

/** One socket's subscription to a session. */
interface Place {
  readonly session: Session;
  readonly leave: Cancel;
}

class Sessions implements Hosted {
  private readonly parts: HostedParts;
  private readonly followed: Topics<PageState, Session>;
  private readonly places = new WeakMap<Socket, Place>();
  private readonly complaints: Complaints;

  constructor(parts: HostedParts) {
    const { client, scheduler, log, onReconnect } = parts;
    const reads = new Semaphore(readsAtOnceMax);
    this.parts = parts;
    this.complaints = new Complaints(log, scheduler);
    this.followed = new Topics({
      scheduler,
      onReconnect,
      create: (id) => new Session(id),
      watch: (id, onNotice) => client.watch(id, onNotice),
      read: (id) => reads.pass(() => readPageState(client, id)),
      contentOf: (seen) => pageStateOf(pageOf(seen as unknown as Snapshot<SessionState>)),
      onRead: (session, pageState) => this.onRead(session, pageState),
      onFailed: (thrown) => this.complain(thrown),
    });
  }

  get sizes(): Hosted['sizes'] {
    return { sockets: this.followed.memberCount, sessions: this.followed.size };
  }

  open(namespace: Namespace): void {
    namespace.use((socket, next) => void this.authorize(socket, next));
    namespace.on('connection', (socket) => this.begin(socket));
  }

  drain(): void {
    this.followed.drain();
  }

  private async authorize(socket: Socket, next: (refused?: Error) => void): Promise<void> {
    const refused = await this.admit(socket);
    if (refused === null) next();
    else next(refusal(refused));
  }

  /** Null: the socket is subscribed, and its session was read after that. Never rejects. */
  private async admit(socket: Socket): Promise<ErrorCode | null> {
    const id = sessionIn(socket.handshake.auth);
    if (id === null) return 'resource_not_found';
    const place = this.join(id);
    if (place === null) {
      this.parts.onLimit('per_session');
      return 'rate_limit_exceeded';
    }
    this.places.set(socket, place);
    // the library reports no socket for a connection that closed before it was admitted
    socket.conn.once('close', place.leave);
    const refused = await this.look(place.session);
    if (refused !== null) place.leave();
    return refused;
  }

  private async look(session: Session): Promise<ErrorCode | null> {
    try {
      return (await this.followed.look(session)) === null ? 'resource_not_found' : null;
    } catch (thrown) {
      const silent = thrown instanceof StoreUnresponsive;
      if (silent) this.complain(thrown);
      else
        this.parts.log.error(
          { err: thrown, session: session.id },
          'the socket of a buyer could not be opened',
        );
      return silent ? 'service_unavailable' : 'internal_error';
    }
  }

  /** It is admitted: it receives the current status, and every change from now on. */
  private begin(socket: Socket): void {
    const place = this.places.get(socket);
    const pageState = place?.session.pageState ?? null;
    if (place === undefined || pageState === null) {
      socket.disconnect(true);
      return;
    }
    socket.once('disconnect', place.leave);
    socket.once('disconnect', () => place.session.sockets.delete(socket));
    place.session.sockets.add(socket);
    sendState(socket, pageState);
  }

  private join(id: string): Place | null {
    const max = this.parts.limits ? socketsPerSessionMax : Infinity;
    if ((this.followed.get(id)?.members ?? 0) >= max) return null;
    const session = this.followed.join(id);
    let isHere = true;
    const leave = (): void => {
      if (!isHere) return;
      isHere = false;
      this.followed.leave(session);
    };
    return { session, leave };
  }

  /** Sends everyone what a read has found, if it is news. */
  private onRead(session: Session, pageState: PageState | null): void {
    const before = session.pageState;
    if (pageState === null || (before !== null && pageState.v < before.v)) return;
    session.pageState = pageState;
    if (pageState.text === before?.text) return;
    for (const socket of session.sockets) sendState(socket, pageState);
  }

  private complain(thrown: unknown): void {
    this.complaints.warn('hosted pages could not be updated: retrying', { err: thrown });
  }
}

const readPageState = async (client: HostedParts['client'], id: string): Promise<PageState | null> =>
  pageStateOf(await sessionWithPage(client, id));

function pageStateOf(found: Snapshot<SessionState> | null): PageState | null {
  if (found === null) return null;
  const body = pageStatusOf(found.state, found.meta.id);
  return { v: found.v, body, text: JSON.stringify(body) };
}

/** After the end no more changes follow. */
function sendState(socket: Socket, { body }: PageState): void {
  socket.emit('state', body);
  if (body.status !== 'pending' && body.status !== 'initiated') socket.disconnect(true);
}

function sessionIn(auth: unknown): string | null {
  const { session } = Object(auth) as { readonly session?: unknown };
  return typeof session === 'string' && couldBeId('cs', session) ? session : null;
}
