/** The live updates on this node's listener: streams and sockets. */
import { openLive, type Live } from '../../gateways/live.ts';
import type { Listener } from '../../gateways/server/listener.ts';
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

/** Call before the routes are mounted. It ends when the listener has closed. */
export function followLive({ base, access, logins, listener }: LiveParts): Live {
  const { settings, carriers, versions } = base;
  const { client, gate, auth } = access;
  const { store, bus } = carriers;
  const following = { client, gate, auth, logins, store, bus, versions, scheduler: realScheduler };
  const hasSockets = settings.roles.includes('gateways');
  const live = openLive({ ...base, ...following, limits: settings.rateLimits }, hasSockets ? listener : null);
  listener.whenClosed(() => live.drain());
  return live;
}
