/** Everything under /sim: the simulated providers' APIs and pages, and the control doors
 *  (docs/guides/sandbox.md). Mounted only where `GALLA_SIMULATOR` is on. */
import { refusalReply } from '../http/access/gate.ts';
import { excessOf } from '../http/route/request.ts';
import type { Door } from '../server/door.ts';
import type { SocketApp } from '../server/framing.ts';
import { controlDoors } from './control.ts';
import type { PlayDeps, SimulatorDeps } from './payments.ts';
import { homeDoors } from './home.ts';
import { allSimulated } from './simulated.ts';
import { styleDoor } from './style.ts';
import { walletPageDoors } from './wallet-page.ts';

export type { PlayDeps, SimulatorDeps } from './payments.ts';

export const simulatorDoors = (deps: SimulatorDeps): readonly Door[] => [
  ...homeDoors(deps),
  ...allSimulated.flatMap(({ doors, buyersPayBy }) => [
    ...doors(deps).map(bounded),
    ...(buyersPayBy.is === 'wallet' ? walletPageDoors(deps, buyersPayBy) : []),
  ]),
  ...controlDoors(deps),
  styleDoor(),
];

/** A simulated provider parses what it is sent: only what our own doors would parse, too. */
const bounded = (door: Door): Door => ({
  ...door,
  handle(request) {
    const isForm = request.header('content-type').startsWith('application/x-www-form-urlencoded');
    const excess = isForm ? null : excessOf(request.body);
    return excess === null ? door.handle(request) : refusalReply(excess, request.requestId);
  },
});

/** The sockets of the providers that have them, on the listener's app. */
export function mountSimulatorSockets(deps: PlayDeps, app: SocketApp): void {
  for (const { mountSockets } of allSimulated) mountSockets?.(deps, app);
}
