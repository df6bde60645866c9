/** The connection and its state. The library reconnects and resubscribes without limit; this file informs
 *  the rest: callers learn that the connection broke, watchers learn that it is back.
 *  1. While it is down no message is given to the library, which would buffer it and send it later. */
import type { NatsConnection } from 'nats';
import { assert } from '../kernel/assert.ts';
import { Complaints } from '../kernel/complaints.ts';
import { realScheduler, seconds, type Cancel } from '../kernel/time.ts';
import type { RuntimeLog } from '../runtime/model/runtime-log.ts';

/** How long to wait for the server's confirmation of a flush. */
const flushMsMax = seconds(5);
/** How long closing a connection may take. */
const closeMsMax = seconds(3);
/** How long the library may take to drop a connection whose pings were not answered. */
const stuckMsMax = seconds(1);

export class Wire {
  readonly nc: NatsConnection;
  readonly log: RuntimeLog;
  readonly complaints: Complaints;
  private up = true;
  private closing = false;
  /** The connection is given up and the library has not dropped it yet. */
  private stale = false;
  private flushing: Promise<void> | null = null;
  private readonly lost = new Set<() => void>();
  private readonly back = new Set<() => void>();

  constructor(nc: NatsConnection, log: RuntimeLog) {
    this.nc = nc;
    this.log = log;
    this.complaints = new Complaints(log);
    void this.follow();
  }

  /** Whether a message sent now reaches a server. */
  get connected(): boolean {
    return this.up && !this.closing;
  }

  /** Whether an answer can still be sent: also while closing. */
  get established(): boolean {
    return this.up;
  }

  get closed(): boolean {
    return this.closing;
  }

  /** Calls `work` each time the connection breaks. */
  onLost(work: () => void): Cancel {
    return listening(this.lost, work);
  }

  /** Calls `work` each time it is up again and the server knows all subscriptions. */
  onBack(work: () => void): Cancel {
    return listening(this.back, work);
  }

  /** Resolves when the server has received everything sent so far: at the latest after 5 s, and at once
   *  when there is no connection (the library then sends its subscriptions again). All callers in one turn
   *  share one round trip. */
  flushed(): Promise<void> {
    this.flushing ??= Promise.resolve().then(() => {
      this.flushing = null;
      return this.connected ? this.within(flushMsMax, this.nc.flush()) : undefined;
    });
    return this.flushing;
  }

  /** Waits for the end of `work`, whatever its result, at most `waitMs` and only while the connection is
   *  up. */
  within(waitMs: number, work: Promise<unknown>): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        cancel();
        cancelOnLost();
        resolve();
      };
      const cancel = realScheduler.after(waitMs, end);
      const cancelOnLost = this.onLost(end);
      // a flush fails when the connection breaks: that also ends the wait
      work.then(end, end);
    });
  }

  /** The outcome of `work`, or a rejection as soon as the connection breaks: the library would wait for its
   *  timeout. */
  whileUp<Outcome>(work: Promise<Outcome>): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      const away = (): void => reject(new Error('the connection to NATS is lost'));
      const cancelOnLost = this.onLost(away);
      if (!this.connected) away();
      void work.then(resolve, reject).finally(cancelOnLost);
    });
  }

  /** Drops this connection for one to another server: the one that was tried the longest ago. False: there is none, or
   *  no connection. */
  reconnect(): boolean {
    if (!this.connected || this.nc.getServers().length < 2) return false;
    this.down();
    void this.nc.reconnect().catch((thrown: unknown) => this.log.warn({ err: thrown }, 'NATS was not left'));
    return true;
  }

  /** Sends what is pending, then closes. */
  async close(): Promise<void> {
    if (this.closing) return;
    const stood = this.connected;
    this.closing = true;
    this.notify(this.lost);
    if (stood) await this.within(closeMsMax, this.nc.drain());
    if (!this.nc.isClosed()) await this.nc.close();
  }

  private async follow(): Promise<void> {
    for await (const status of this.nc.status()) {
      if (status.type === 'disconnect') {
        this.down();
        this.stale = false;
      }
      if (status.type === 'staleConnection' || status.type === 'forceReconnect') {
        this.stale = true;
        this.down();
        realScheduler.after(stuckMsMax, () => {
          if (this.stale) cut(this.nc);
        });
      }
      if (status.type === 'reconnect') this.again();
      if (status.type === 'error') this.complaints.warn('NATS reports an error', { err: status.error });
    }
    this.down();
    if (!this.closing) this.log.error({}, 'the connection to NATS was closed permanently: restart this node');
  }

  private down(): void {
    if (!this.up) return;
    this.up = false;
    if (!this.closing) this.log.warn({}, 'the connection to NATS is lost: other nodes cannot be reached');
    this.notify(this.lost);
  }

  private again(): void {
    this.up = true;
    this.log.warn({ server: this.nc.getServer() }, 'the connection to NATS is restored');
    // a watcher that reads again now must not miss the next notice: the server must know all subscriptions
    // first
    void this.flushed().then(() => {
      if (this.connected) this.notify(this.back);
    });
  }

  private notify(listeners: ReadonlySet<() => void>): void {
    for (const work of listeners)
      try {
        work();
      } catch (thrown) {
        this.log.error({ err: thrown }, 'a listener of the NATS connection threw');
      }
  }
}

function listening(set: Set<() => void>, work: () => void): Cancel {
  const own = (): void => work();
  set.add(own);
  return () => void set.delete(own);
}

/** Closes a connection the library cannot drop: it waits for its last write, and a write into a full socket
 *  to an unreachable server ends only when the system gives up, a quarter of an hour later. The library has
 *  no method for this. */
function cut(nc: NatsConnection): void {
  const transport = propertyOf(propertyOf(nc, 'protocol'), 'transport');
  const close = propertyOf(transport, 'close');
  assert(typeof close === 'function', 'the transport of the NATS library can be closed');
  void Promise.resolve(close.call(transport, new Error('the server does not answer')));
}

const propertyOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
