/** A client of MongoDB that recovers when the driver's server monitoring hangs.
 *  Boundary: chooses the client used now; the operations are up to the callers.
 *  1. The driver checks each server repeatedly, and each check has a time limit. A check that exceeds its
 *     limit never ends, and the server would stay lost even after it is back, so a new client takes over.
 *     This happens when a server closes all its connections at once and the driver checks over a connection
 *     that is just closing.
 *  2. Time is counted in our own ticks, so that a process that was paused first processes the answers that
 *     arrived meanwhile.
 *  3. The new client takes over once it is connected, because the driver gives up permanently after a
 *     failed first connection.
 *  4. The old client is closed once none of its operations can be in progress. Closed earlier, it would
 *     report operations as not sent although they were. */
import type { Db, MongoClient } from 'mongodb';
import { pause, realScheduler, type Cancel, type DurationMs, type Scheduler } from '../kernel/time.ts';

const tickMs: DurationMs = 500;
const connectAgainMs: DurationMs = 500;

export interface LastingClientOptions {
  /** A new client with the same options. */
  readonly make: () => MongoClient;
  readonly database: string;
  /** A check that takes longer than this never ends. */
  readonly monitorMsMax: DurationMs;
  /** No operation of a client takes longer than this. */
  readonly underWayMsMax: DurationMs;
  /** Logs one line for the operator. */
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

  /** The current client with its database; operations that belong together request it once. */
  get used(): Pick<Used, 'client' | 'db'> {
    return this.now;
  }

  /** The database of the current client; request it at each use. */
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
    const monitored = new Map<string, number>();
    const ended = ({ connectionId }: { readonly connectionId: string }): void =>
      void monitored.delete(connectionId);
    client.on('serverHeartbeatStarted', ({ connectionId }) => void monitored.set(connectionId, 0));
    client.on('serverHeartbeatSucceeded', ended);
    client.on('serverHeartbeatFailed', ended);
    client.on('serverClosed', ({ address }) => void monitored.delete(address));
    return { client, db: client.db(this.options.database), monitored };
  }

  private tick(): void {
    this.cancel = this.scheduler.after(tickMs, () => {
      if (this.closed) return;
      const { monitored } = this.now;
      for (const [address, ticks] of monitored) monitored.set(address, ticks + 1);
      const stuck = [...monitored].find(([, ticks]) => ticks * tickMs > this.options.monitorMsMax);
      if (stuck !== undefined && !this.replacing) void this.replace(stuck[0]);
      this.tick();
    });
  }

  /** Never rejects. */
  private async replace(address: string): Promise<void> {
    this.replacing = true;
    this.options.onWarning(`the driver no longer monitors MongoDB at ${address}: the client is replaced`);
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

  /** A connected client, however long that takes; null when none is needed any more. */
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
  /** Ticks since the start of a server check that has not ended. */
  readonly monitored: Map<string, number>;
}
