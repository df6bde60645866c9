/** The simulation's store is a model, not a mock: it keeps the same contract as the stores that run in production. */
import { createSimStore } from '../../src/store/store-sim.ts';
import { calmWeather } from '../../src/store/store-sim-weather.ts';
import { chanceOf } from '../simulation/random.ts';
import { VirtualScheduler } from '../simulation/scheduler.ts';
import type { Scheduler } from '../../src/kernel/time.ts';
import { storeContract, type MakeStore } from './store.contract.ts';

/** Runs virtual time in the gaps of the real event loop, for a caller that simply awaits. */
function selfRunning(): Scheduler {
  const scheduler = new VirtualScheduler(0);
  let running = false;
  const run = async (): Promise<void> => {
    await scheduler.drain();
    running = false;
  };
  const after: Scheduler['after'] = (delay, work) => {
    if (!running) setImmediate(() => void run());
    running = true;
    return scheduler.after(delay, work);
  };
  return { now: () => scheduler.now(), steady: () => scheduler.steady(), after };
}

const makeSim =
  (rowsInCommit: boolean): MakeStore =>
  () => {
    const store = createSimStore({ scheduler: selfRunning(), chance: chanceOf(1, 'contract'), rowsInCommit });
    Object.assign(store.weather, calmWeather, { latencyMsMin: 0, latencyMsMax: 1 });
    return Promise.resolve(store.connect());
  };

storeContract('simulated, rows apart', makeSim(false));
storeContract('simulated, rows in the commit', makeSim(true));
