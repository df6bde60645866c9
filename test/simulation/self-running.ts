/** Virtual time for callers that simply await: it runs in the gaps of the real event loop. */
import type { Scheduler } from '../../src/kernel/time.ts';
import { VirtualScheduler } from './scheduler.ts';

export function selfRunning(): Scheduler {
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
