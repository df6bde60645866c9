/** All routes of the service: the API, the dashboard, buyers' pages, assets, the simulator. */
import { providerHealthAt } from '../../actors/provider-health/messages.ts';
import { buyerDoors } from '../../gateways/buyer/doors.ts';
import type { BuyerParts } from '../../gateways/buyer/parts.ts';
import { createSuccessRates } from '../providers/health/success-rates.ts';
import { openDashboard, type Dashboard } from '../../gateways/dashboard/server/doors.ts';
import { readBuilt } from '../../gateways/dashboard/server/pages.ts';
import type { DoorGroups } from '../../gateways/doors-of-node.ts';
import type { ApiParts } from '../../gateways/http/api-parts.ts';
import { frontDoors } from '../../gateways/front/doors.ts';
import { readViewer } from '../../gateways/front/viewer.ts';
import { preflightDoors } from '../../gateways/http/access/cors.ts';
import { routes } from '../../gateways/http/routes.ts';
import { logoDoors, logosIn } from '../../gateways/logo/doors.ts';
import { assetDoors } from '../../gateways/pages/assets.ts';
import type { Door } from '../../gateways/server/door.ts';
import { realScheduler } from '../kernel/time.ts';
import { providers } from '../providers/registry.ts';
import type { Node } from '../runtime/node/node.ts';
import type { Access } from './access.ts';
import { apiParts } from './api.ts';
import type { Base } from './base.ts';
import { buyerParts } from './buyers.ts';
import { demoPayment } from './demo-merchant.ts';
import { simulatorDoorsOf } from './simulator.ts';

export interface OpenedDoors extends Omit<DoorGroups, 'live'> {
  /** What the routes of the API use. */
  readonly parts: ApiParts;
  /** The origin of the dashboard; also for sockets that carry its cookie. */
  readonly logins: Dashboard['logins'];
}

export function openDoors(base: Base, node: Node, access: Access): OpenedDoors {
  const { adminToken, secretsKey } = base.carriers;
  const { client } = access;
  const rates = createSuccessRates(client, [...providers.keys()], realScheduler, (scope, provider) => {
    void client.hint(providerHealthAt(scope, provider), 'look', { provider }, { by: 'system', scope });
  });
  const ofBuyers = buyerParts(base, node, access, rates);
  const parts = { ...apiParts(base, node, access, rates), lookUp: ofBuyers.lookUp };
  const api = routes(parts);
  const { sharing } = access;
  const dashboard = openDashboard({ ...parts, adminToken, secretsKey, built: readBuilt(), sharing });
  return {
    parts,
    logins: dashboard.logins,
    api: [...api, ...preflightDoors(api), ...dashboard.doors, ...frontOf(base, ofBuyers)],
    buyers: [...buyerDoors(ofBuyers), ...logoDoors(logosIn({ ...access, now: () => realScheduler.now() }))],
    assets: assetDoors(),
    simulator: simulatorDoorsOf(base, access),
  };
}

function frontOf(base: Base, parts: BuyerParts): readonly Door[] {
  const { settings, docs, carriers } = base;
  const makeTestPayment = demoPayment({ ...base, demoDir: carriers.demoDir });
  return frontDoors({
    ...parts,
    simulator: settings.simulator !== 'off',
    docs,
    viewer: readViewer(),
    makeTestPayment,
  });
}
