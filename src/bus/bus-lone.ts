/** The bus of a node that is alone and stays so (embedded mode): nobody to ask, nobody to tell, nobody to hear.
 *  1. Nothing here costs anything, however much is watched. */
import type { Cancel } from '../kernel/time.ts';
import type { Bus } from './bus.ts';

const nothing: Cancel = () => undefined;

export const createLoneBus = (): Bus => ({
  connected: true,
  ask: () => Promise.resolve({ is: 'nobody' }),
  serve: () => Promise.resolve(() => Promise.resolve()),
  notice: nothing,
  watch: () => nothing,
  watchScope: () => nothing,
  broadcast: nothing,
  onBroadcast: () => nothing,
  post: () => Promise.resolve(false),
  forward: () => nothing,
  publish: () => Promise.resolve(),
  onEventsLost: () => nothing,
  onReconnect: () => nothing,
  close: () => Promise.resolve(),
});
