/** The streams of this node: the live feeds of buyers' pages and merchants' servers. */
import type { Bus } from '../../src/bus/bus.ts';
import type { ApiVersions } from '../../src/kernel/api-versions.ts';
import type { Scheduler } from '../../src/kernel/time.ts';
import type { Client } from '../../src/runtime/model/client.ts';
import type { Store } from '../../src/store/store.ts';
import type { LiveMeters, LiveOpen } from '../../src/telemetry/live-meters.ts';
import type { Log } from '../../src/telemetry/log.ts';
import type { Auth } from '../http/access/auth.ts';
import type { Door } from '../server/door.ts';
import type { Gate } from '../http/access/gate.ts';
import { eventStreamDoor } from './event-stream-door.ts';
import { EventStreams } from './event-stream.ts';
import { Hub } from './hub.ts';
import { qrContentOf, qrEventsDoor, qrReader } from './qr-events.ts';

export interface StreamParts {
  readonly client: Client;
  readonly store: Pick<Store, 'journalAfter'>;
  readonly bus: Pick<Bus, 'onReconnect'>;
  readonly scheduler: Scheduler;
  readonly log: Log;
  readonly gate: Gate;
  readonly versions: ApiVersions;
  readonly auth: Auth;
  /** Whether streams are limited per address and per session. */
  readonly limits: boolean;
  readonly metrics: { readonly live: Pick<LiveMeters, 'limit'> };
}

export interface Streams {
  readonly doors: readonly Door[];
  readonly open: Pick<LiveOpen, 'qr_stream' | 'event_stream'>;
  /** Tells every reader to reconnect elsewhere, and ends. */
  drain(): Promise<void>;
}

export function openStreams(parts: StreamParts): Streams {
  const { client, store, bus, scheduler, log, gate, auth, versions } = parts;
  const { live } = parts.metrics;
  const onReconnect: Bus['onReconnect'] = (again) => bus.onReconnect(again);
  const unlimited = { streamsPerAddressMax: Infinity, streamsPerTopicMax: Infinity };
  const hub = new Hub({
    scheduler,
    log,
    onReconnect,
    read: qrReader(client),
    contentOf: qrContentOf(client),
    watch: (id, onNotice) => client.watch(id, onNotice),
    onLimit: (limit) => live.limit('qr_stream', limit),
    ...(parts.limits ? {} : unlimited),
  });
  const journalAfter: Store['journalAfter'] = (scope, after, limit) =>
    store.journalAfter(scope, after, limit);
  const streams = new EventStreams({
    client,
    journalAfter,
    scheduler,
    log,
    onReconnect,
    onLimit: (limit) => live.limit('event_stream', limit),
  });
  return {
    doors: [qrEventsDoor({ hub, log }), eventStreamDoor({ gate, auth, client, streams, versions })],
    get open() {
      return { qr_stream: hub.sizes.streams, event_stream: streams.size };
    },
    async drain() {
      streams.drain();
      await hub.drain();
    },
  };
}
