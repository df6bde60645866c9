/** The bus of a single node (embedded mode): there are no other nodes to ask, notify or receive from.
 *  1. Calls here cost next to nothing, however much is watched.
 *  2. What no cluster could send is refused here as well: an id that works in embedded mode works in a cluster. */
import type { Cancel } from '../kernel/time.ts';
import type { Bus } from './bus.ts';
import { assertNamed, canBeReached } from './subjects.ts';

const nothing: Cancel = () => undefined;

const named = (...texts: readonly string[]): Cancel => {
  assertNamed(...texts);
  return nothing;
};

export const createLoneBus = (): Bus => ({
  connected: true,
  ask: (_partition, { to }) =>
    Promise.resolve(canBeReached(to) ? { is: 'nobody' } : { is: 'answered', result: { is: 'internal' } }),
  serve: () => Promise.resolve(() => Promise.resolve()),
  notice: (id, scope) => assertNamed(id, scope),
  watch: (id) => named(id),
  watchScope: (scope) => named(scope),
  broadcast: (topic) => assertNamed(topic),
  onBroadcast: (topic) => named(topic),
  post: () => Promise.resolve(false),
  forward: () => nothing,
  publish: () => Promise.resolve(),
  onEventsLost: () => nothing,
  onReconnect: () => nothing,
  reconnect: () => false,
  unreached: () => [],
  subscribeAgain: () => undefined,
  close: () => Promise.resolve(),
});
