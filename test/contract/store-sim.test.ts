/** The simulation's store is a model, not a mock: it keeps the same contract as the stores that run in production. */
import { createSimStore } from '../support/simulated/store-sim.ts';
import { calmWeather } from '../support/simulated/store-sim-weather.ts';
import { chanceOf } from '../simulation/random.ts';
import { selfRunning } from '../simulation/self-running.ts';
import { storeContract, type MakeStore } from './store.contract.ts';

const makeSim =
  (rowsInCommit: boolean): MakeStore =>
  () => {
    const store = createSimStore({ scheduler: selfRunning(), chance: chanceOf(1, 'contract'), rowsInCommit });
    Object.assign(store.weather, calmWeather, { latencyMsMin: 0, latencyMsMax: 1 });
    return Promise.resolve(store.connect());
  };

storeContract('simulated, rows apart', makeSim(false));
storeContract('simulated, rows in the commit', makeSim(true));
