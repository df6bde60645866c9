/** Everything under /sim: the simulated providers' wires and pages, and the control doors (providers 9).
 *  Mounted only where `GALLA_SIMULATOR` is on. */
import type { Door } from '../http/door.ts';
import { controlDoors } from './control.ts';
import type { SimulatorDeps } from './desk.ts';
import { styleDoor } from './style.ts';
import { walletBDoors } from './wallet-b.ts';
import { walletBPageDoors } from './wallet-b-page.ts';

export type { PlayDeps, SimulatorDeps } from './desk.ts';

export const simulatorDoors = (deps: SimulatorDeps): readonly Door[] => [
  ...walletBDoors(deps),
  ...walletBPageDoors(deps),
  ...controlDoors(deps),
  styleDoor(),
];
