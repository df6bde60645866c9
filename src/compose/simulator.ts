/** The simulated providers: their protocols, their sockets and their routes. */
import { setTimeout as wait } from 'node:timers/promises';
import { faultsGuide } from '../../gateways/front/docs.ts';
import { sandboxCaller } from '../../gateways/http/access/gate.ts';
import type { Door } from '../../gateways/server/door.ts';
import type { Listener } from '../../gateways/server/listener.ts';
import { mountSimulatorSockets, simulatorDoors, type PlayDeps } from '../../gateways/simulator/doors.ts';
import { createVisitor } from '../../gateways/simulator/visitor.ts';
import type { Client } from '../runtime/model/client.ts';
import type { Access } from './access.ts';
import type { Base } from './base.ts';

export const playDeps = (
  { settings, baseUrl, listenerUrl, http }: Pick<Base, 'settings' | 'baseUrl' | 'listenerUrl' | 'http'>,
  client: Client,
): PlayDeps => {
  const playsForOthers = settings.simulator === 'standalone';
  const othersUrl = (playsForOthers ? settings.simulatorReturnsTo : null) ?? baseUrl;
  return {
    client,
    baseUrl,
    playsForOthers,
    othersUrl,
    spelling: settings.simulatorSpelling,
    wait: (ms) => wait(ms),
    visitor: createVisitor({ baseUrl, othersUrl, listenerUrl: () => listenerUrl, http }),
  };
};

/** Empty when the simulator is off. Call before the routes are mounted. */
export function openSimulatorSockets(base: Base, client: Client, listener: Listener): void {
  if (base.settings.simulator !== 'off')
    listener.sockets((app) => mountSimulatorSockets(playDeps(base, client), app));
}

/** Empty when the simulator is off. */
export function simulatorDoorsOf(base: Base, { client, gate }: Access): readonly Door[] {
  if (base.settings.simulator === 'off') return [];
  if (base.settings.simulator === 'standalone')
    base.log.warn('the simulator takes payments of other services: for rehearsals only');
  return simulatorDoors({
    ...playDeps(base, client),
    guide: faultsGuide(base.docs),
    authenticate: (request) => sandboxCaller(gate, 'POST', request),
  });
}
