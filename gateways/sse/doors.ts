/** The streams of this node: what buyers' pages and merchants' servers follow as it happens. */
import type { Bus } from '../../src/bus/bus.ts';
import type { Scheduler } from '../../src/kernel/time.ts';
import type { Client } from '../../src/runtime/client.ts';
import type { Store } from '../../src/store/store.ts';
import type { Log } from '../../src/telemetry/log.ts';
import type { Auth } from '../http/auth.ts';
import type { Door } from '../http/door.ts';
import type { Gate } from '../http/gate.ts';
import { eventStreamDoor } from './event-stream-door.ts';
import { EventStreams } from './event-stream.ts';
import { Hub } from './hub.ts';
import { qrEventsDoor, qrReader } from './qr-events.ts';

export interface StreamParts {
  readonly client: Client;
  readonly store: Pick<Store, 'journalAfter'>;
  readonly bus: Pick<Bus, 'onReconnect'>;
  readonly scheduler: Scheduler;
  readonly log: Log;
  readonly gate: Gate;
  readonly auth: Auth;
  /** Whether streams are limited per address and per session. */
  readonly limits: boolean;
}

export interface Streams {
  readonly doors: readonly Door[];
  /** Tells every reader to come again elsewhere, and ends. */
  drain(): Promise<void>;
}

export function openStreams(parts: StreamParts): Streams {
  const { client, store, bus, scheduler, log, gate, auth } = parts;
  const onReconnect: Bus['onReconnect'] = (again) => bus.onReconnect(again);
  const unlimited = { streamsPerAddressMax: Infinity, streamsPerTopicMax: Infinity };
  const hub = new Hub({
    scheduler,
    log,
    onReconnect,
    read: qrReader(client),
    watch: (id, onNotice) => client.watch(id, onNotice),
    ...(parts.limits ? {} : unlimited),
  });
  const journalAfter: Store['journalAfter'] = (scope, after, limit) =>
    store.journalAfter(scope, after, limit);
  const streams = new EventStreams({ client, journalAfter, scheduler, log, onReconnect });
  return {
    doors: [qrEventsDoor({ hub, log }), eventStreamDoor({ gate, auth, client, streams })],
    async drain() {
      streams.drain();
      await hub.drain();
    },
  };
}
