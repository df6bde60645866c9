/** The bus of a single node (embedded mode): there are no other nodes to ask, notify or receive from.
 *  1. Calls here cost nothing, however much is watched. */
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
