/** Live updates: event streams over HTTP, and sockets where there are gateways. */
import type { LiveMeters } from '../src/telemetry/live-meters.ts';
import type { Door } from './server/door.ts';
import type { Listener } from './server/listener.ts';
import { openStreams, type StreamParts } from './sse/doors.ts';
import { pollingDoors } from './socketio/polling.ts';
import { openSockets, type LiveParts as SocketParts } from './socketio/sockets.ts';

export interface LiveParts extends StreamParts, SocketParts {
  readonly metrics: { readonly live: LiveMeters };
}

export interface Live {
  readonly doors: readonly Door[];
  /** Tells every reader and every socket to reconnect elsewhere, and ends them. */
  drain(): Promise<void>;
}

/** `listener` carries the sockets; null: this node has none. */
export function openLive(parts: LiveParts, listener: Pick<Listener, 'sockets'> | null): Live {
  const [streams, sockets] = [openStreams(parts), openSockets(parts)];
  parts.metrics.live.watch(() => ({ ...sockets.open, ...streams.open }));
  listener?.sockets((app) => sockets.mountOn(app));
  return {
    doors: listener === null ? streams.doors : [...streams.doors, ...pollingDoors(parts.baseUrl)],
    drain: async () => void (await Promise.all([sockets.drain(), streams.drain()])),
  };
}
