/** Opens the connection to NATS, or reports in one line why that failed.
 *  1. Credentials of the URL reach only the server, never a log line of ours.
 *  2. The first connection is tried for a bounded time; a lost connection is retried without limit. */
import { setTimeout as pause } from 'node:timers/promises';
import {
  connect,
  errors,
  type ConnectionOptions,
  type NatsConnection,
  type ReconnectToServerHandler,
  type Server,
} from 'nats';
import { realScheduler, seconds, type DurationMs } from '../kernel/time.ts';

/** How long a start waits for NATS by default. */
export const connectWaitMs = seconds(15);
const connectAgainMs = 500;
/** The limit of one attempt; it also bounds how long a reconnect waits for a server that accepts and then
 *  does not answer. */
const attemptMsMax = seconds(3);
/** Two unanswered pings close a connection. */
const pingEveryMs = seconds(5);
const pingsOutMax = 2;
const reconnectEveryMs = 500;
const versionMin = [2, 9] as const;

/** A start that cannot succeed: one line for the operator. */
export class BusUnusable extends Error {
  override readonly name = 'BusUnusable';
}

export interface Target {
  /** `host:port`, without credentials, safe to show. */
  readonly servers: readonly string[];
  readonly user?: string;
  readonly pass?: string;
  readonly token?: string;
  readonly tls: boolean;
}

/** Reads `nats://user:pass@host:4222,nats://other:4222` (`tls://` asks for TLS; userinfo without a password is a
 *  token; a server without userinfo takes that of another). Throws BusUnusable. */
export function targetFrom(text: string): Target {
  const urls = text.split(',').map((part) => urlFrom(part.trim()));
  const withUser = urls.find(({ username }) => username !== '');
  const [name, pass] = [withUser?.username ?? '', withUser?.password ?? ''].map(decoded);
  return {
    servers: urls.map(({ hostname, port }) => `${hostname}:${port === '' ? '4222' : port}`),
    tls: urls.some(({ protocol }) => protocol === 'tls:'),
    ...(name === undefined || name === ''
      ? {}
      : pass === '' || pass === undefined
        ? { token: name }
        : { user: name, pass }),
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new BusUnusable('NATS_URL has a user or password whose % signs are not written as %25');
  }
}

function urlFrom(text: string): URL {
  const full = text.includes('://') ? text : `nats://${text}`;
  const url = URL.canParse(full) ? new URL(full) : null;
  if (url === null || url.hostname === '' || (url.protocol !== 'nats:' && url.protocol !== 'tls:'))
    throw new BusUnusable(
      'NATS_URL is not a list of nats://host:port or tls://host:port, separated by commas',
    );
  return url;
}

/** Connects; retries for `waitMs`, unless the error is permanent. Throws BusUnusable. */
export async function connectNats(
  url: string,
  name: string,
  waitMs: DurationMs,
  pingMs: DurationMs = pingEveryMs,
): Promise<NatsConnection> {
  const target = targetFrom(url);
  const shown = target.servers.join(', ');
  const until = realScheduler.steady() + waitMs;
  for (;;) {
    try {
      return withAll(target, await checkedVersion(await connect(optionsOf(target, name, pingMs)), shown));
    } catch (thrown) {
      if (thrown instanceof BusUnusable) throw thrown;
      if (
        thrown instanceof errors.AuthorizationError ||
        thrown instanceof errors.UserAuthenticationExpiredError
      )
        throw new BusUnusable(
          `NATS at ${shown} rejects the credentials: check the user and password in NATS_URL`,
        );
      if (realScheduler.steady() + connectAgainMs > until)
        throw new BusUnusable(
          `NATS at ${shown} cannot be reached (${reasonOf(thrown)}): check NATS_URL, and that nats-server runs there`,
        );
      // a kernel timer would not keep the process alive until its bus is open
      await pause(connectAgainMs);
    }
  }
}

const optionsOf = (
  { servers, user, pass, token, tls }: Target,
  name: string,
  pingMs: DurationMs,
): ConnectionOptions => ({
  servers: [...servers],
  name,
  // a node's messages are for the others: its own notices and hints are not echoed
  noEcho: true,
  noAsyncTraces: true,
  // the first connection is retried here and not in the library, where it could not be cancelled
  timeout: attemptMsMax,
  maxReconnectAttempts: -1,
  // credentials that are refused for a while (a rotation) must not stop a running node
  ignoreAuthErrorAbort: true,
  reconnectTimeWait: reconnectEveryMs,
  // the library's own order may begin with the server that was just left
  reconnectToServer: leastRecent,
  pingInterval: pingMs,
  maxPingOut: pingsOutMax,
  ...(user === undefined || pass === undefined ? {} : { user, pass }),
  ...(token === undefined ? {} : { token }),
  ...(tls ? { tls: {} } : {}),
});

/** The server whose last attempt is the longest ago. */
const leastRecent: ReconnectToServerHandler = (servers) =>
  servers.reduce<Server | null>(
    (least, one) => (least === null || one.lastConnect < least.lastConnect ? one : least),
    null,
  );

/** Restores the servers that were down at the start: the library removes them at a first connection. */
function withAll({ servers }: Target, nc: NatsConnection): NatsConnection {
  const known = nc.getServers().map(({ listen }) => listen);
  if (servers.some((one) => !known.includes(one))) nc.setServers([...new Set([...known, ...servers])]);
  return nc;
}

async function checkedVersion(nc: NatsConnection, shown: string): Promise<NatsConnection> {
  const version = nc.info?.version ?? '';
  if (!isOlder(version, versionMin)) return nc;
  await nc.close();
  throw new BusUnusable(`NATS at ${shown} is version ${version}: ${versionMin.join('.')} or newer is needed`);
}

export function isOlder(version: string, [major, minor]: readonly [number, number]): boolean {
  const [itsMajor = 0, itsMinor = 0] = version.split('.').map(Number);
  return itsMajor < major || (itsMajor === major && itsMinor < minor);
}

/** The message of any thrown value, in one line. */
export const reasonOf = (thrown: unknown): string =>
  (thrown instanceof Error ? thrown.message : String(thrown)).split('\n', 1)[0] ?? '';
