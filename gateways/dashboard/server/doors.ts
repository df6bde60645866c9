/** Everything under /dashboard: pages, logging in and out, the API for the pages. */
import type { ApiParts } from '../../http/api-parts.ts';
import type { Door } from '../../server/door.ts';
import type { Sharing } from '../../http/access/distributed-rate-limit.ts';
import { dashboardApi } from './api.ts';
import { sessionRoutes, type SessionRouteParts } from './session-routes.ts';
import { DashboardGate } from './gate.ts';
import { createLogins, type Logins } from '../../http/access/logins.ts';
import { operatorName } from '../../../actors/dashboard-user/messages.ts';
import { pageDoors, type Built } from './pages.ts';
import { loginsWaitingMax, openPasswords } from '../../http/access/passwords.ts';
import { createThrottle } from './throttle.ts';
import { createCsrf } from '../../http/access/csrf.ts';

export interface DashboardParts extends ApiParts {
  /** GALLA_ADMIN_TOKEN: the operator's password. */
  readonly adminToken: string;
  /** GALLA_SECRETS_KEY. */
  readonly secretsKey: Uint8Array;
  /** The nodes of a cluster; null: single node. */
  readonly sharing: Sharing | null;
  /** The built files; null: the pages say that the build is missing. */
  readonly built: Built | null;
}

export interface Dashboard {
  readonly doors: readonly Door[];
  /** Also for sockets that connect with a cookie. */
  readonly logins: Logins;
}

export function openDashboard(parts: DashboardParts): Dashboard {
  const { client, auth, scheduler, limits, sharing } = parts;
  const now = (): number => scheduler.now();
  const loginPasswords = openPasswords(parts.secretsKey, loginsWaitingMax);
  const operatorHash = loginPasswords.drawn(operatorName, parts.adminToken);
  const logins = createLogins({ client, auth, now, operatorHash, others: sharing?.bus ?? null });
  const throttle = createThrottle({ now, sharing });
  const csrf = createCsrf(parts);
  const gate = new DashboardGate(logins, csrf, limits);
  const sessionParts = { ...parts, gate, logins, csrf, throttle, loginPasswords, operatorHash };
  return { logins, doors: doorsOf(parts, sessionParts) };
}

function doorsOf(parts: DashboardParts, sessionParts: SessionRouteParts): readonly Door[] {
  const { idempotency, largeBodies, log, allowPrivateHosts, versions, built } = parts;
  return [
    ...sessionRoutes(sessionParts),
    ...dashboardApi(parts, {
      gate: sessionParts.gate,
      idempotency,
      largeBodies,
      log,
      allowPrivateHosts,
      versions,
    }),
    ...pageDoors(built),
  ];
}
