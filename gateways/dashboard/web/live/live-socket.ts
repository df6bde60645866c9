/** The socket of one project and mode: passes its messages to live-state.ts, and reconnects by itself.
 *  Boundary: Socket.IO and timers; reconnect.ts decides when to try again, live-state.ts what messages
 *  mean.
 *  1. Connected means that the snapshot has arrived, not that the socket is open; without a snapshot within
 *     `snapshotMsMax` it tries again.
 *  2. Changes are batched, `flushMs` apart: a busy shop redraws ten times a second, not a hundred.
 *  3. Bounded: more than `bufferedMax` changes are passed on at once. */
import { io, type Socket } from 'socket.io-client';
import type { News } from '../../../socketio/news-kinds.ts';
import type { Change, Place, Snapshot, Today } from '../wire/types.ts';
import type { Connection, LiveMessage } from './live-state.ts';
import { isAboutLogin, isFinal, isSuspension, reconnectDelayMs } from './reconnect.ts';

const flushMs = 100;
const bufferedMax = 500;
const connectMsMax = 10_000;
/** Maximum time from a connection attempt to its snapshot. */
const snapshotMsMax = 20_000;

export interface LiveSocketParts {
  readonly onMessage: (heard: LiveMessage) => void;
  /** The socket was refused or ended because of its login: the API tells whether the login is over. */
  readonly onLoginInDoubt: () => void;
}

/** How the service refuses a socket; a network failure has no such data. */
interface Refusal {
  readonly data?: { readonly code?: string; readonly message?: string };
}

export class LiveSocket {
  private readonly socket: Socket;
  private readonly parts: LiveSocketParts;
  private buffered: Change[] = [];
  private flushTimer: number | null = null;
  private retryTimer: number | null = null;
  private snapshotTimer: number | undefined;
  private failures = 0;
  private lostAt: number | null = null;
  private isOver = false;
  /** The service's last word was that the merchant is suspended. */
  private isSuspended = false;

  constructor(place: Place, parts: LiveSocketParts) {
    this.parts = parts;
    this.socket = io('/merchant', {
      transports: ['websocket'],
      forceNew: true,
      reconnection: false,
      autoConnect: false,
      timeout: connectMsMax,
      auth: { ...place },
    });
    this.listen();
    window.addEventListener('online', this.soon);
    document.addEventListener('visibilitychange', this.soon);
    this.tryNow();
  }

  /** Connects at once, if it is not connected. */
  tryNow(): void {
    if (this.retryTimer !== null) window.clearTimeout(this.retryTimer);
    this.retryTimer = null;
    if (this.isOver || this.socket.connected) return;
    // after a network failure the library waits for its own retry
    this.socket.disconnect().connect();
    window.clearTimeout(this.snapshotTimer);
    this.snapshotTimer = window.setTimeout(() => {
      this.socket.disconnect();
      this.isSuspended = false;
      this.lose();
    }, snapshotMsMax);
  }

  close(): void {
    this.end();
    window.removeEventListener('online', this.soon);
    document.removeEventListener('visibilitychange', this.soon);
    if (this.retryTimer !== null) window.clearTimeout(this.retryTimer);
    if (this.flushTimer !== null) window.clearTimeout(this.flushTimer);
    this.socket.disconnect();
  }

  private listen(): void {
    const { socket, parts } = this;
    socket.on('snapshot', (snapshot: Snapshot) => {
      this.flush();
      window.clearTimeout(this.snapshotTimer);
      [this.failures, this.lostAt, this.isSuspended] = [0, null, false];
      parts.onMessage({ is: 'snapshot', snapshot, at: Date.now() });
    });
    socket.on('change', (change: Change) => {
      this.buffered.push(change);
      if (this.buffered.length >= bufferedMax) return this.flush();
      this.flushTimer ??= window.setTimeout(() => this.flush(), flushMs);
    });
    socket.on('news', ({ at, now, kinds }: News) =>
      parts.onMessage({ is: 'news', kinds, now, realNow: at, at: Date.now() }),
    );
    socket.on('today', (today: Today) => parts.onMessage({ is: 'today', today, at: Date.now() }));
    socket.on('bye', ({ code }: { readonly code: string }) => {
      this.isSuspended = isSuspension(code);
      if (code !== 'restarting') parts.onLoginInDoubt();
    });
    socket.on('disconnect', () => this.lose());
    socket.on('connect_error', (error: Error & Refusal) => this.refused(error));
  }

  private refused({ data }: Refusal): void {
    const { code, message } = data ?? {};
    this.isSuspended = code !== undefined && isSuspension(code);
    if (code !== undefined && isAboutLogin(code)) this.parts.onLoginInDoubt();
    if (code === undefined || !isFinal(code)) return this.lose(message);
    this.end();
    const why = message ?? 'The service does not take this connection.';
    this.parts.onMessage({ is: 'connection', connection: { is: 'refused', code, message: why } });
  }

  private lose(why?: string): void {
    this.flush();
    window.clearTimeout(this.snapshotTimer);
    if (this.isOver || this.retryTimer !== null) return;
    this.lostAt ??= Date.now();
    const since = this.lostAt;
    const lost: Connection = why === undefined ? { is: 'lost', since } : { is: 'lost', since, why };
    this.parts.onMessage({
      is: 'connection',
      connection: this.isSuspended ? { is: 'suspended' } : lost,
    });
    const delay = reconnectDelayMs(this.failures, Math.random());
    this.failures += 1;
    this.retryTimer = window.setTimeout(() => this.tryNow(), delay);
  }

  private flush(): void {
    if (this.flushTimer !== null) window.clearTimeout(this.flushTimer);
    this.flushTimer = null;
    if (this.buffered.length === 0) return;
    this.parts.onMessage({ is: 'changes', changes: this.buffered, at: Date.now() });
    this.buffered = [];
  }

  private end(): void {
    this.isOver = true;
    window.clearTimeout(this.snapshotTimer);
  }

  private readonly soon = (): void => {
    if (document.visibilityState === 'visible' && this.retryTimer !== null) this.tryNow();
  };
}
