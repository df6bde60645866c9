/** Everything under /sim: the simulated providers' wires and pages, and the control doors (providers 9).
 *  Mounted only where `GALLA_SIMULATOR` is on. */
import type { Door } from '../server/door.ts';
import type { SocketApp } from '../server/framing.ts';
import { controlDoors } from './control.ts';
import type { PlayDeps, SimulatorDeps } from './payments.ts';
import { homeDoors } from './home.ts';
import { qrADoors } from './qr-a/qr-a.ts';
import { qrAPageDoors } from './qr-a/page.ts';
import { mountQrASockets } from './qr-a/socket.ts';
import { styleDoor } from './style.ts';
import { walletADoors } from './wallet-a/wallet-a.ts';
import { walletA } from './wallet-a/page.ts';
import { walletBDoors } from './wallet-b/wallet-b.ts';
import { walletPageDoors } from './wallet-page.ts';
import { wallets } from './wallets.ts';

export type { PlayDeps, SimulatorDeps } from './payments.ts';

export const simulatorDoors = (deps: SimulatorDeps): readonly Door[] => [
  ...homeDoors(deps),
  ...walletADoors(deps, walletA),
  ...walletBDoors(deps),
  ...[...wallets.values()].flatMap((wallet) => walletPageDoors(deps, wallet)),
  ...qrADoors(deps),
  ...qrAPageDoors(deps),
  ...controlDoors(deps),
  styleDoor(),
];

/** The sockets of those that have some, on the listener's app. */
export function mountSimulatorSockets(deps: PlayDeps, app: SocketApp): void {
  mountQrASockets(deps, app);
}
