/** A client of MongoDB that outlives its driver's watch over the servers.
 *  Boundary: which client is used now; what is asked of it is for others.
 *  1. The driver looks at each server again and again, and each look has its bound. One that goes on beyond it never
 *     ends: a server that is back would stay lost for ever, so a new client takes over. It happens when a server closes
 *     all its connections at once and the driver asks over one that is just closing.
 *  2. Time is counted in ticks of our own: a process that stood still finds the answers that came meanwhile first.
 *  3. The new client takes over once it is connected: the driver gives up one for good that could not connect at first.
 *  4. The old client is closed once nothing asked of it can be under way: closed before, it would say of what was sent
 *     that it was not. */
import type { Db, MongoClient } from 'mongodb';
import { pause, realScheduler, type Cancel, type DurationMs, type Scheduler } from '../kernel/time.ts';

const tickMs: DurationMs = 500;
const connectAgainMs: DurationMs = 500;

export interface LastingClientOptions {
  /** A new client with the same options. */
  readonly make: () => MongoClient;
  readonly database: string;
  /** A look that takes longer never ends. */
  readonly lookMsMax: DurationMs;
  /** Nothing asked of a client is under way for longer. */
  readonly underWayMsMax: DurationMs;
  /** One line an operator may want to see. */
  readonly onWarning: (line: string) => void;
  readonly scheduler?: Scheduler;
}

export class LastingClient {
  private readonly options: LastingClientOptions;
  private readonly scheduler: Scheduler;
  private now: Used;
  /** Replaced, and not yet closed. */
  private readonly old = new Set<MongoClient>();
  private replacing = false;
  private closed = false;
  private cancel: Cancel = () => undefined;

  constructor(options: LastingClientOptions) {
    this.options = options;
    this.scheduler = options.scheduler ?? realScheduler;
    this.now = this.made();
    this.tick();
  }

  /** The client used now with its database: what belongs together is asked for once. */
  get used(): Pick<Used, 'client' | 'db'> {
    return this.now;
  }

  /** Of the client used now: asked for at each use. */
  get db(): Db {
    return this.now.db;
  }

  async close(): Promise<void> {
    this.closed = true;
    this.cancel();
    await Promise.all([this.now.client, ...this.old].map((client) => client.close()));
  }

  private made(): Used {
    const client = this.options.make();
    const looks = new Map<string, number>();
    const ended = ({ connectionId }: { readonly connectionId: string }): void =>
      void looks.delete(connectionId);
    client.on('serverHeartbeatStarted', ({ connectionId }) => void looks.set(connectionId, 0));
    client.on('serverHeartbeatSucceeded', ended);
    client.on('serverHeartbeatFailed', ended);
    client.on('serverClosed', ({ address }) => void looks.delete(address));
    return { client, db: client.db(this.options.database), looks };
  }

  private tick(): void {
    this.cancel = this.scheduler.after(tickMs, () => {
      if (this.closed) return;
      const { looks } = this.now;
      for (const [address, ticks] of looks) looks.set(address, ticks + 1);
      const stuck = [...looks].find(([, ticks]) => ticks * tickMs > this.options.lookMsMax);
      if (stuck !== undefined && !this.replacing) void this.replace(stuck[0]);
      this.tick();
    });
  }

  /** Never rejects. */
  private async replace(address: string): Promise<void> {
    this.replacing = true;
    this.options.onWarning(`the driver no longer looks at MongoDB at ${address}: it is connected to anew`);
    const next = await this.connected();
    this.replacing = false;
    if (next === null) return;
    const { client } = this.now;
    this.now = next;
    this.old.add(client);
    this.scheduler.after(this.options.underWayMsMax, () => {
      if (this.old.delete(client)) void closed(client);
    });
  }

  /** A client that is connected, however long that takes; null when nobody needs one any more. */
  private async connected(): Promise<Used | null> {
    while (!this.closed) {
      const next = this.made();
      const isThere = await next.client.connect().then(
        () => true,
        () => false,
      );
      if (isThere && !this.closed) return next;
      await closed(next.client);
      await pause(this.scheduler, connectAgainMs);
    }
    return null;
  }
}

/** Closes it; never rejects. */
const closed = (client: MongoClient): Promise<void> => client.close().catch(() => undefined);

interface Used {
  readonly client: MongoClient;
  readonly db: Db;
  /** Ticks since a look at a server began that has not ended. */
  readonly looks: Map<string, number>;
}
