/** Every door of the service, for tests of what is mounted and described: none of them can be called. */
import { buyerDoors } from '../../gateways/buyer/doors.ts';
import { dashboardApi, dashboardRoutes } from '../../gateways/dashboard/server/api.ts';
import { pageDoors } from '../../gateways/dashboard/server/pages.ts';
import { sessionRoutes } from '../../gateways/dashboard/server/session-routes.ts';
import { frontDoors } from '../../gateways/front/doors.ts';
import type { FrontParts } from '../../gateways/front/parts.ts';
import type { ApiParts } from '../../gateways/http/api-parts.ts';
import type { AnySpec } from '../../gateways/http/route/spec.ts';
import { operationsOf, routes, specsOf } from '../../gateways/http/routes.ts';
import { assetDoors } from '../../gateways/pages/assets.ts';
import type { Door } from '../../gateways/server/door.ts';
import { logoDoors } from '../../gateways/logo/doors.ts';
import { simulatorDoors } from '../../gateways/simulator/doors.ts';
import { pollingDoors } from '../../gateways/socketio/sockets.ts';
import { eventStreamDoor } from '../../gateways/sse/event-stream-door.ts';
import { qrEventsDoor } from '../../gateways/sse/qr-events.ts';

const parts = {} as never;
const simulate = (): Promise<never> => Promise.reject(new Error('never asked'));
const apiParts = { simulate } as unknown as ApiParts;

/** What all routes declare. */
export const declaredOperations = operationsOf(apiParts);

/** The routes that logins of the dashboard may call. */
export const declaredAtDashboard = dashboardRoutes(apiParts);

/** The routes as they are written. */
export const declaredRoutes = (): readonly AnySpec[] => specsOf(apiParts);

export function allDoors(): readonly Door[] {
  const api = routes(apiParts);
  const streams = [qrEventsDoor(parts), eventStreamDoor(parts), ...pollingDoors('http://127.0.0.1')];
  const dashboard = [...sessionRoutes(parts), ...dashboardApi(parts, parts), ...pageDoors(null)];
  const front = frontDoors({
    simulator: true,
    docs: new Map(),
    viewer: new Map(),
  } as unknown as FrontParts);
  const buyers = [...buyerDoors(parts), ...front, ...logoDoors(parts), ...assetDoors()];
  return [...api, ...streams, ...dashboard, ...buyers, ...simulatorDoors(parts)];
}
