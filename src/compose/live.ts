/** Live updates on this node's listener: event streams over HTTP, and sockets where there are gateways. */
import type { Door } from '../../gateways/server/door.ts';
import type { Listener } from '../../gateways/server/listener.ts';
import { pollingDoors, openSockets } from '../../gateways/socketio/sockets.ts';
import { openStreams } from '../../gateways/sse/doors.ts';
import { realScheduler } from '../kernel/time.ts';
import type { Access } from './access.ts';
import type { Base } from './base.ts';
import type { OpenedDoors } from './doors.ts';

export interface LiveParts {
  readonly base: Base;
  readonly access: Access;
  readonly logins: OpenedDoors['logins'];
  readonly listener: Pick<Listener, 'sockets' | 'whenClosed'>;
}

/** Call before the routes are mounted; returns the doors of the streams. When the listener closes, every reader and
 *  every socket is told to reconnect elsewhere, and ended. */
export function followLive({ base, access, logins, listener }: LiveParts): readonly Door[] {
  const { settings, carriers, versions, metrics } = base;
  const { client, gate, auth } = access;
  const { store, bus } = carriers;
  const following = { client, gate, auth, logins, store, bus, versions, scheduler: realScheduler };
  const parts = { ...base, ...following, limits: settings.rateLimits };
  const [streams, sockets] = [openStreams(parts), openSockets(parts)];
  metrics.live.watch(() => ({ ...sockets.open, ...streams.open }));
  const hasSockets = settings.roles.includes('gateways');
  if (hasSockets) listener.sockets((app) => sockets.mountOn(app));
  listener.whenClosed(async () => void (await Promise.all([sockets.drain(), streams.drain()])));
  return hasSockets ? [...streams.doors, ...pollingDoors(base.baseUrl)] : streams.doors;
}
