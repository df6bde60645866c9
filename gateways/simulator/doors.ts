/** Everything under /sim: the simulated providers' APIs and pages, and the control doors
 *  (docs/guides/sandbox.md). Mounted only where `GALLA_SIMULATOR` is on. */
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
    ...doors(deps),
    ...(buyersPayBy.is === 'wallet' ? walletPageDoors(deps, buyersPayBy) : []),
  ]),
  ...controlDoors(deps),
  styleDoor(),
];

/** The sockets of the providers that have them, on the listener's app. */
export function mountSimulatorSockets(deps: PlayDeps, app: SocketApp): void {
  for (const { mountSockets } of allSimulated) mountSockets?.(deps, app);
}
