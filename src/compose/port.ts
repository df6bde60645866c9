/** The listener at the configured address, and the forms of that address other parts use. */
import { lostPage } from '../../gateways/buyer/replies.ts';
import { codeOf } from '../../gateways/http/route/reading.ts';
import { errorReplyOf } from '../../gateways/http/route/reply.ts';
import { clientAddressBehind, type ClientAddress } from '../../gateways/server/client-address.ts';
import type { DrainLimits } from '../../gateways/server/drain.ts';
import { listen, type Answered, type Listener } from '../../gateways/server/listener.ts';
import { ListenerUnusable, loadUws } from '../../gateways/server/uws.ts';
import { qrEventsNotYet } from '../../gateways/sse/qr-events.ts';
import { isCluster, type Settings } from '../config.ts';
import type { ApiVersions } from '../kernel/api-versions.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { LoggedRequests } from './requests.ts';

export interface Addresses {
  /** The listening address, e.g. `http://127.0.0.1:8080`. */
  readonly url: string;
  /** Our address for browsers. */
  readonly baseUrl: string;
  /** The address for our own calls to the simulator: never the public address. */
  readonly listenerUrl: string;
  /** null: there is no proxy between us and browsers. */
  readonly clientAddress: ClientAddress | null;
}

export interface OpenedPort extends Addresses {
  readonly listener: Listener;
  /** Connections are refused until the listener is opened. */
  readonly opensLater: boolean;
}

export interface PortParts {
  readonly settings: Settings;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly versions: ApiVersions;
  readonly requests: Pick<LoggedRequests, 'answered' | 'ids'>;
  readonly drain?: DrainLimits | undefined;
}

/** Rejects with PortUnavailable or ListenerUnusable. */
export async function openPort({
  settings,
  log,
  metrics,
  versions,
  requests,
  drain,
}: PortParts): Promise<OpenedPort> {
  const { host, port, trustedProxies } = settings;
  // the other nodes serve while this one starts
  const opensLater = isCluster(settings) && port !== 0;
  const clientAddress = trustedProxies === null ? null : clientAddressBehind(trustedProxies);
  const answered: Answered = (door, status, tookMs, request) => {
    metrics.answered(door, status, tookMs);
    requests.answered(door, status, tookMs, request);
  };
  const pages = { lostPage, notYet: qrEventsNotYet };
  const errors = { replyOf: errorReplyOf, codeOf };
  const answering = {
    log,
    errors,
    answered,
    apiVersion: versions.newest,
    requestIds: requests.ids,
    ...pages,
  };
  const listener = await listen({ host, port, opensLater, clientAddress, ...answering, ...drain });
  metrics.watchRequests(() => listener.inFlight());
  const url = `http://${host}:${listener.port}`;
  const listenerUrl = host === '0.0.0.0' ? `http://127.0.0.1:${listener.port}` : url;
  return { listener, opensLater, url, baseUrl: settings.baseUrl ?? url, listenerUrl, clientAddress };
}

/** Why the listener cannot be loaded here, in one line; null: it can. */
export async function listenerProblem(): Promise<string | null> {
  try {
    await loadUws();
    return null;
  } catch (thrown) {
    if (thrown instanceof ListenerUnusable) return thrown.message;
    throw thrown;
  }
}
