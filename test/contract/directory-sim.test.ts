/** The simulation's directory is a model, not a mock: it keeps the contract of the real one. */
import { createSimStore } from '../support/simulated/store-sim.ts';
import { chanceOf } from '../simulation/random.ts';
import { selfRunning } from '../simulation/self-running.ts';
import { directoryContract } from './directory.contract.ts';

directoryContract('simulated', () => {
  const store = createSimStore({
    scheduler: selfRunning(),
    chance: chanceOf(1, 'contract'),
    rowsInCommit: false,
  });
  const [ours, theirs] = [store.connect(), store.connect()];
  return Promise.resolve({
    ours: ours.directory,
    theirs: theirs.directory,
    async close() {
      await Promise.all([ours.close(), theirs.close()]);
    },
  });
});
