/** Authentication and rate limits: what every gateway checks before it calls an actor. */
import { createAuth, type Auth } from '../../gateways/http/access/auth.ts';
import type { Sharing } from '../../gateways/http/access/distributed-rate-limit.ts';
import { Gate } from '../../gateways/http/access/gate.ts';
import { createLimits, type Limits } from '../../gateways/http/access/rate-limit.ts';
import { readingClient } from '../../gateways/http/route/reading.ts';
import { isCluster } from '../config.ts';
import { realScheduler } from '../kernel/time.ts';
import type { Client } from '../runtime/model/client.ts';
import type { Node } from '../runtime/node/node.ts';
import { tracedClient } from '../telemetry/trace.ts';
import type { Base } from './base.ts';
import type { LoggedRequests } from './requests.ts';

export interface Access {
  /** Traced; its reads report when the store does not answer. */
  readonly client: Client;
  readonly auth: Auth;
  readonly limits: Limits;
  readonly gate: Gate;
  /** The nodes of a cluster; null: single node. */
  readonly sharing: (Sharing & { readonly bus: Base['carriers']['bus'] }) | null;
}

export function openAccess(
  { settings, log, tracing, carriers }: Base,
  node: Node,
  requests: LoggedRequests,
): Access {
  const { bus, adminToken } = carriers;
  const now = (): number => realScheduler.now();
  const client = readingClient(tracedClient(tracing, node.client), node.breaker);
  const sharing = isCluster(settings) ? { bus, scheduler: realScheduler } : null;
  const auth = createAuth({
    client,
    adminToken,
    now,
    others: sharing?.bus ?? null,
    requests: requests.log,
  });
  requests.identifyBy(auth);
  const limits = createLimits({ on: settings.rateLimits, now, sharing });
  if (!settings.rateLimits) log.warn('rate limits are off: for load tests only');
  return { client, auth, limits, gate: new Gate(auth, limits), sharing };
}
