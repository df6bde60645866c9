/** The connection to a replica set: opened, checked, and refused with a one-line error when the set is not
 *  safe for payments.
 *  Boundary: connections and hello; no collections.
 *  1. A standalone server, a set that is not initiated and a sharded cluster are refused. A set
 *     with fewer than three members, an arbiter or an old version is used with a warning.
 *  2. Every wait has a bound: for a server, for a connection, for an answer. Only the preparation at the start
 *     may take long: it may build indexes.
 *  3. The driver never sends a write twice by itself: the writer must know which copy an answer refers to.
 *     It may repeat a read.
 *  4. An error line never contains a password: servers are named by host and port. */
import {
  MongoClient,
  MongoServerError,
  MongoServerSelectionError,
  type Db,
  type MongoClientOptions,
  type TopologyDescription,
} from 'mongodb';
import { seconds, type DurationMs } from '../kernel/time.ts';
import { LastingClient } from './mongo-client.ts';

/** How long any database operation may take before it counts as unanswered. */
export const answerMsUsual = seconds(5);

/** How much longer a connection waits than the time limit given to the server. */
const graceMs = seconds(1);

/** How soon a lost server is checked again. */
const monitorMsMin = 100;

const monitorEveryMs: DurationMs = 1000;
const connectMsMax: DurationMs = 3000;
/** A server check may have to connect, and to wait for the greeting. */
const monitorMsMax: DurationMs = 2 * connectMsMax + seconds(1);
/** Every operation waits for a server, a connection and an answer, and a read does so twice: it has ended
 *  by this time. */
const underWayMsMax: DurationMs = seconds(60);
const connectionsMax = 32;
/** Lists have their own connections: a slow one may hold its connection for as long as an answer may take, and no
 *  commit waits for it. */
const listConnectionsMax = 16;
/** The directory has its own connections, so that many reads cannot delay a heartbeat. */
const directoryConnectionsMax = 24;

export interface Connected {
  /** For documents and rows; in the URL's database, else `galla`. */
  readonly documents: LastingClient;
  /** For lists, their totals and sums. */
  readonly lists: LastingClient;
  /** For nodes and partitions. */
  readonly directory: LastingClient;
  close(): Promise<void>;
}

export interface ConnectOptions {
  readonly url: string;
  readonly onWarning: (line: string) => void;
  readonly answerMsMax: DurationMs;
  /** The name of this client in the server's log and fail points. */
  readonly appName: string;
  /** Runs before anything else may use the database; it may take long. */
  readonly prepare: (db: Db) => Promise<void>;
}

/** Rejects with one line that says how to fix it. */
export async function connectMongo(options: ConnectOptions): Promise<Connected> {
  const { url, answerMsMax, appName } = options;
  const patient: MongoClientOptions = {
    appName,
    retryWrites: false,
    // overrides the URL: no operation here may be answered by a secondary
    readPreference: 'primary',
    retryReads: true,
    serverSelectionTimeoutMS: answerMsMax,
    minHeartbeatFrequencyMS: monitorMsMin,
    // Checked once a second with separate requests: a network that drops an answer is detected soon, and
    // then every connection that may be waiting for such an answer is dropped.
    serverMonitoringMode: 'poll',
    heartbeatFrequencyMS: monitorEveryMs,
    connectTimeoutMS: connectMsMax,
    waitQueueTimeoutMS: answerMsMax,
  };
  const bounded: MongoClientOptions = { ...patient, socketTimeoutMS: answerMsMax + graceMs };
  // an index is made of what is stored, which may take long: the collections after the sixteenth wait for a connection
  const setup = clientOf(url, { ...patient, maxPoolSize: 16, waitQueueTimeoutMS: 0 });
  if (setup.options.directConnection)
    throw new StoreUnusable(
      'MONGODB_URL has directConnection=true: the replica set could not be found again without that server. Remove it',
    );
  const name = databaseOf(setup, url);
  try {
    await setup.connect();
    checkServer(await setup.db('admin').command({ hello: 1 }), hostsOf(setup), options.onWarning);
    await options.prepare(setup.db(name));
  } catch (error) {
    throw notUsable(hostsOf(setup), error);
  } finally {
    await setup.close();
  }
  const lasting = (maxPoolSize: number): LastingClient =>
    new LastingClient({
      make: () => clientOf(url, { ...bounded, maxPoolSize }),
      database: name,
      monitorMsMax,
      underWayMsMax,
      onWarning: options.onWarning,
    });
  const [documents, lists, directory] = [
    lasting(connectionsMax),
    lasting(listConnectionsMax),
    lasting(directoryConnectionsMax),
  ];
  const clients = [documents, lists, directory];
  const close = async (): Promise<void> => {
    await Promise.all(clients.map((client) => client.close()));
  };
  try {
    await Promise.all(clients.map(({ used }) => used.client.connect()));
  } catch (error) {
    await close();
    throw notUsable(hostsOf(documents.used.client), error);
  }
  return { documents, lists, directory, close };
}

export function clientOf(url: string, options: MongoClientOptions): MongoClient {
  try {
    return new MongoClient(url, options);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`the MongoDB URL cannot be used: ${why}`, { cause: error });
  }
}

/** The database that the URL names, `galla` if it names none. */
export const databaseOf = ({ options: { dbName } }: MongoClient, url: string): string =>
  dbName === 'test' && !namesDatabase(url) ? 'galla' : dbName;

/** `host:port,host:port/database`, without credentials. Throws for a URL that cannot be used. */
export function namedDatabase(url: string): string {
  const client = clientOf(url, {});
  return `${hostsOf(client)}/${databaseOf(client, url)}`;
}

/** Whether the URL has a path; without one the driver uses `test`. */
const namesDatabase = (url: string): boolean => /^[a-z+]+:\/\/[^/]+\/[^?]/.test(url);

export const hostsOf = (client: MongoClient): string =>
  client.options.srvHost ?? client.options.hosts.map(String).join(',');

export function checkServer(
  hello: { readonly [name: string]: unknown },
  hosts: string,
  onWarning: (line: string) => void,
): void {
  if (hello['msg'] === 'isdbgrid') {
    throw new StoreUnusable(`MongoDB at ${hosts} is a sharded cluster: connect to one replica set`);
  }
  if (typeof hello['setName'] !== 'string') throw new StoreUnusable(lone(hosts));
  for (const line of warningsOf(hello, hosts)) onWarning(line);
}

/** MongoDB 7.0 speaks this version of the protocol. */
const wireVersionMin = 21;

/** What an operator should change about a replica set that is used all the same; from its answer to `hello`. */
export function warningsOf(hello: { readonly [name: string]: unknown }, hosts: string): readonly string[] {
  const listed = (name: string): number => (Array.isArray(hello[name]) ? hello[name].length : 0);
  const members = listed('hosts') + listed('passives');
  const few =
    members < 2
      ? 'is a replica set of one member: if its disk is lost, all payments are lost. Run three members in production'
      : 'is a replica set of two members with data: while one is away, nothing can be written. Run three';
  const arbiter = 'has an arbiter: it confirms no write. Replace it by a member with data';
  const old = 'is older than 7.0, the oldest version this service is made for: upgrade it';
  return [
    ...(members < 3 ? [few] : []),
    ...(listed('arbiters') > 0 ? [arbiter] : []),
    ...(Number(hello['maxWireVersion']) < wireVersionMin ? [old] : []),
  ].map((what) => `MongoDB at ${hosts} ${what}`);
}

const lone = (hosts: string): string =>
  `MongoDB at ${hosts} is a standalone server, and a cluster needs a replica set: ` +
  'start mongod with --replSet rs0 and run rs.initiate() once';

/** This MongoDB cannot be used for a cluster; the message is one line that says how to fix it. */
export class StoreUnusable extends Error {
  override readonly name = 'StoreUnusable';
}

export function notUsable(hosts: string, error: unknown): Error {
  if (error instanceof StoreUnusable) return error;
  const why = error instanceof Error ? error.message : String(error);
  if (error instanceof MongoServerSelectionError) {
    const servers = [...((error.reason as TopologyDescription | undefined)?.servers.values() ?? [])];
    if (servers.some(({ type }) => type === 'RSGhost')) {
      const line = `MongoDB at ${hosts} belongs to a replica set that is not initiated: run rs.initiate() once`;
      return new StoreUnusable(line, { cause: error });
    }
    if (servers.some(({ type }) => type === 'Standalone'))
      return new StoreUnusable(lone(hosts), { cause: error });
    return new StoreUnusable(`no primary of MongoDB answers at ${hosts}: ${why}`, { cause: error });
  }
  if (error instanceof MongoServerError && (error.code === 18 || error.code === 13)) {
    return new StoreUnusable(`MongoDB at ${hosts} rejects this user: ${why}`, { cause: error });
  }
  return new StoreUnusable(`the store on MongoDB at ${hosts} cannot be opened: ${why}`, { cause: error });
}
