/** Merchants' screens over Socket.IO, namespace `/merchant`: a snapshot first, then every change of one
 *  project and mode.
 *  Boundary: who is admitted, notified and disconnected; the changes of a scope come from its feed.
 *  1. A socket joins the feed before anything is read for it; changes sent while it waits follow its
 *     snapshot. Then it is in the one room of its scope, and each change is sent once to that room. Clients
 *     cannot choose rooms.
 *  2. The sockets of logins, the dashboard's own, are also told which other kinds of objects have changed (news.ts).
 *  3. A socket whose credential is no longer valid is told why and disconnected within 5 s.
 *  4. A client that is refused, or leaves at any moment, leaves no state behind; the last one closes the
 *     feed. */
import type { Namespace, Socket } from 'socket.io';
import type { ErrorCode } from '../../src/errors.ts';
import { Complaints } from '../../src/kernel/complaints.ts';
import { iso, type Cancel, type DurationMs } from '../../src/kernel/time.ts';
import type { Scope } from '../../src/runtime/model/address.ts';
import type { OnLimit } from '../../src/telemetry/live-meters.ts';
import type { Log } from '../../src/telemetry/log.ts';
import type { Logins } from '../http/access/logins.ts';
import { StoreUnresponsive } from '../http/route/reading.ts';
import { ConnectionLimiter } from './connection-limiter.ts';
import type { InitialState, Joining } from './initial-state.ts';
import { ChangeFeed, type ChangeFeedParts } from './change-feed.ts';
import type { News, NewsKind } from './news-kinds.ts';
import { ScopeNews, type ScopeNewsParts } from './news.ts';
import { identityOf, whyNot, type SocketIdentity, type SocketAuthParts } from './socket-auth.ts';
import { refusal } from './refusal.ts';
import { disconnect, type NamespacePart } from './server.ts';

/** Open sockets of one project and mode on this node. */
export const socketsPerScopeMax = 200;
/** How often logins are checked, beside each time that sessions may have ended; the cached state of a login is at
 *  most 4 s old. */
export const loginsAskedEveryMs: DurationMs = 900;
/** Keys are read uncached, so every third time is enough. */
const keysAskedEvery = 3;

export interface MerchantsParts extends Omit<ChangeFeedParts, 'complaints'>, Omit<SocketAuthParts, 'logins'> {
  /** null: there are no logins here. */
  readonly logins: Pick<Logins, 'peek' | 'projectFor' | 'onChange'> | null;
  readonly client: ChangeFeedParts['client'] & SocketAuthParts['client'] & ScopeNewsParts['client'];
  readonly log: Pick<Log, 'warn' | 'error'>;
  /** Whether sockets of one project and mode are limited. */
  readonly limits: boolean;
  /** Called when the bus reconnects. */
  readonly onReconnect: (again: () => void) => Cancel;
  readonly onLimit: OnLimit;
}

export interface Merchants extends NamespacePart {
  /** Sizes that grow with the number of merchants, for tests and metrics. */
  readonly sizes: { readonly sockets: number; readonly feeds: number };
}

export const merchantNamespacePart = (parts: MerchantsParts): Merchants => new Screens(parts);

/** One socket's membership in its scope. */
interface Place {
  readonly identity: SocketIdentity;
  readonly socket: Socket;
  readonly room: Room;
  readonly joining: Joining;
  readonly leave: Cancel;
  initialState: InitialState | null;
}

/** All sockets of one scope on this node. */
interface Room {
  readonly feed: ChangeFeed;
  readonly news: ScopeNews;
  readonly places: Set<Place>;
}

class Screens implements Merchants {
  private readonly parts: MerchantsParts;
  private readonly rooms = new Map<Scope, Room>();
  private readonly places = new WeakMap<Socket, Place>();
  private readonly limiter: ConnectionLimiter;
  private readonly complaints: Complaints;
  private readonly stopListening: Cancel;
  private stopAsking: Cancel;
  private rounds = 0;
  private namespace: Namespace | null = null;

  constructor(parts: MerchantsParts) {
    this.parts = parts;
    this.complaints = new Complaints(parts.log, parts.scheduler);
    this.limiter = new ConnectionLimiter(parts.limits ? socketsPerScopeMax : Number.POSITIVE_INFINITY);
    this.stopListening = parts.onReconnect(() => this.checkAll());
    this.stopAsking = this.askLater();
    parts.logins?.onChange(() => this.askAll(false));
  }

  get sizes(): Merchants['sizes'] {
    const sockets = [...this.rooms.values()].reduce((sum, { places }) => sum + places.size, 0);
    return { sockets, feeds: this.rooms.size };
  }

  open(namespace: Namespace): void {
    this.namespace = namespace;
    namespace.use((socket, next) => void this.answer(socket, next));
    namespace.on('connection', (socket) => this.begin(socket));
  }

  drain(): void {
    this.stopListening();
    this.stopAsking();
  }

  /** Never rejects. */
  private async answer(socket: Socket, next: (refused?: Error) => void): Promise<void> {
    const refused = await this.admit(socket);
    next(refused === null ? undefined : refusal(refused));
  }

  /** Null: the socket has its slot and all its initial messages. Never rejects. */
  private async admit(socket: Socket): Promise<ErrorCode | null> {
    try {
      const { auth, headers } = socket.handshake;
      const identity = await identityOf(this.parts, { auth, headers });
      if (typeof identity === 'string') return identity;
      const why = await whyNot(this.parts, identity);
      // a key revoked since is invalid, and so is its ticket
      if (why !== null) return why.startsWith('api_key_') ? 'ticket_invalid' : why;
      return await this.take(socket, identity);
    } catch (thrown) {
      if (thrown instanceof StoreUnresponsive) return 'service_unavailable';
      this.parts.log.error({ err: thrown }, 'the socket of a merchant could not be authenticated');
      return 'internal_error';
    }
  }

  private async take(socket: Socket, identity: SocketIdentity): Promise<ErrorCode | null> {
    const place = this.join(socket, identity);
    if (place === null) {
      this.parts.onLimit('per_project');
      return 'rate_limit_exceeded';
    }
    this.places.set(socket, place);
    // the library reports no socket for a connection that closed before it was admitted
    socket.conn.once('close', place.leave);
    try {
      place.initialState = await place.room.feed.initialState();
      return null;
    } catch (thrown) {
      place.leave();
      throw thrown;
    }
  }

  /** It is admitted. All of this is synchronous: nothing can be sent in between. */
  private begin(socket: Socket): void {
    const place = this.places.get(socket);
    if (place === undefined || place.initialState === null || !place.room.places.has(place)) {
      disconnect(socket);
      return;
    }
    socket.once('disconnect', place.leave);
    socket.emit('snapshot', place.initialState);
    const { changes, today } = place.joining.missed(place.initialState);
    for (const change of changes) socket.emit('change', change);
    if (today !== null) socket.emit('today', today);
    const { by, scope } = place.identity;
    void socket.join(roomOf(scope));
    if (by === 'login') {
      socket.emit('news', this.newsOf(scope, []));
      void socket.join(loginsOf(scope));
    }
    place.room.feed.leave(place.joining);
    place.initialState = null;
  }

  private join(socket: Socket, identity: SocketIdentity): Place | null {
    const { scope } = identity;
    const release = this.limiter.enter(scope);
    if (release === null) return null;
    const room = this.rooms.get(scope) ?? this.opened(scope);
    const joining = room.feed.join();
    const leave = (): void => {
      if (!room.places.delete(place)) return;
      release();
      room.feed.leave(joining);
      if (room.places.size === 0) this.close(room);
    };
    const place: Place = { identity, socket, room, joining, leave, initialState: null };
    room.places.add(place);
    return place;
  }

  private opened(scope: Scope): Room {
    const everybody = (): ReturnType<Namespace['to']> | undefined => this.namespace?.to(roomOf(scope));
    const { parts, complaints } = this;
    const feed = new ChangeFeed(
      scope,
      { ...parts, complaints },
      {
        changed: (change) => void everybody()?.emit('change', change),
        counted: (today) => void everybody()?.emit('today', today),
        overrun: () => this.emptied(room),
      },
    );
    const news = new ScopeNews(
      scope,
      { ...parts, complaints },
      (kinds) => void this.namespace?.to(loginsOf(scope)).emit('news', this.newsOf(scope, kinds)),
    );
    const room: Room = { feed, news, places: new Set() };
    this.rooms.set(scope, room);
    return room;
  }

  private newsOf(scope: Scope, kinds: readonly NewsKind[]): News {
    const { client, now } = this.parts;
    return { at: iso(now()), now: iso(client.now(scope)), kinds };
  }

  private close(room: Room): void {
    room.feed.close();
    room.news.close();
    if (this.rooms.get(room.feed.scope) === room) this.rooms.delete(room.feed.scope);
  }

  /** A client that reconnects gets a new feed. */
  private emptied(room: Room): void {
    this.close(room);
    for (const place of room.places) this.end(place, 'restarting');
  }

  /** Leaves at once, however long the connection takes to close. */
  private end({ socket, leave }: Place, code: string): void {
    leave();
    disconnect(socket, code);
  }

  private checkAll(): void {
    for (const { feed, news } of this.rooms.values()) {
      void feed.check(true);
      news.missed();
    }
  }

  private askLater(): Cancel {
    return this.parts.scheduler.after(loginsAskedEveryMs, () => {
      this.stopAsking = this.askLater();
      const keysToo = this.rounds++ % keysAskedEvery === 0;
      this.askAll(keysToo);
    });
  }

  private askAll(keysToo: boolean): void {
    for (const { places } of this.rooms.values()) this.ask([...places], keysToo);
  }

  /** One check for all sockets with the same credential. */
  private ask(places: readonly Place[], keysToo: boolean): void {
    const asked = new Map<string, Promise<ErrorCode | null>>();
    for (const place of places) {
      const { identity } = place;
      if (identity.by === 'key' && !keysToo) continue;
      const name = identity.by === 'key' ? identity.keyId : identity.cookie;
      const answer = asked.get(name) ?? whyNot(this.parts, identity);
      asked.set(name, answer);
      answer.then(
        (why) => why === null || this.end(place, why),
        // the result is unknown: checked again shortly
        () => undefined,
      );
    }
  }
}

/** The one room of a scope. */
const roomOf = (scope: Scope): string => `scope ${scope}`;

/** Those of it that belong to a login. */
const loginsOf = (scope: Scope): string => `logins ${scope}`;
