/** The live sockets of this node: updates for merchants' screens and buyers' pages. */
import type { Bus } from '../../src/bus/bus.ts';
import type { Scheduler } from '../../src/kernel/time.ts';
import type { Client } from '../../src/runtime/model/client.ts';
import type { Store } from '../../src/store/store.ts';
import type { LiveMeters, LiveOpen } from '../../src/telemetry/live-meters.ts';
import type { Log } from '../../src/telemetry/log.ts';
import type { ClientAddress } from '../server/client-address.ts';
import { hostedNamespace } from './hosted.ts';
import { merchantNamespacePart, type MerchantsParts } from './merchants.ts';
import { socketServer, type Sockets } from './server.ts';
import { errorReply } from '../http/route/reply.ts';
import { merchantNamespace } from '../http/routes/live-tickets.ts';
import type { Door } from '../server/door.ts';

export interface LiveParts {
  /** A client whose reads report when the store does not answer. */
  readonly client: Client;
  readonly store: Pick<Store, 'journalAfter'>;
  readonly bus: Pick<Bus, 'onReconnect'>;
  readonly scheduler: Scheduler;
  readonly log: Log;
  /** null: there are no logins here. */
  readonly logins: MerchantsParts['logins'];
  /** Public address without a trailing slash. */
  readonly baseUrl: string;
  /** The client's address behind trusted proxies; null: the connection's address is the client's. */
  readonly clientAddress: ClientAddress | null;
  /** Whether sockets are limited per address, per session and per project and mode. */
  readonly limits: boolean;
  readonly metrics: { readonly live: Pick<LiveMeters, 'limit'> };
}

export interface LiveSockets extends Pick<Sockets, 'mountOn' | 'drain'> {
  readonly open: Pick<LiveOpen, 'socket' | 'merchant_socket' | 'hosted_socket'>;
}

export function openSockets({ store, bus, metrics: { live }, ...parts }: LiveParts): LiveSockets {
  const { scheduler, limits, clientAddress } = parts;
  const onReconnect: Bus['onReconnect'] = (again) => bus.onReconnect(again);
  const merchants = merchantNamespacePart({
    ...parts,
    onReconnect,
    onLimit: (limit) => live.limit('merchant_socket', limit),
    now: () => scheduler.now(),
    journalAfter: (scope, after, limit) => store.journalAfter(scope, after, limit),
  });
  const hosted = hostedNamespace({
    ...parts,
    onReconnect,
    onLimit: (limit) => live.limit('hosted_socket', limit),
  });
  const server = socketServer({
    scheduler,
    limits,
    clientAddress,
    merchants,
    hosted,
    onLimit: (limit) => live.limit('socket', limit),
  });
  return {
    get open() {
      return {
        socket: server.connections,
        merchant_socket: merchants.sizes.sockets,
        hosted_socket: hosted.sizes.sockets,
      };
    },
    mountOn: (app) => server.mountOn(app),
    drain: () => server.drain(),
  };
}

/** What asks the address of the sockets for anything but a websocket. By default the client of Socket.IO begins with
 *  polling: it is told what to write instead. */
const socketPath = '/socket.io/';

/** `baseUrl`: the public address without a trailing slash. */
export function pollingDoors(baseUrl: string): readonly Door[] {
  const line = `io('${baseUrl}${merchantNamespace}', { transports: ['websocket'], auth })`;
  const message = `Only websocket is served here. Connect with ${line}.`;
  const error = { param: 'transport', code: 'not_in_enum', message } as const;
  const details = { message, param: error.param, errors: [error] };
  return (['GET', 'POST'] as const).map((method) => ({
    method,
    path: socketPath,
    lateHeaders: [],
    handle: ({ requestId }) => errorReply('validation_failed', requestId, details),
  }));
}
