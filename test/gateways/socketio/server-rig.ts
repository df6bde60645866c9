/** The service's own Socket.IO server on a real port, with two namespaces that admit every client: for what belongs to
 *  every connection, whatever it is shown. */
import { connect, type Socket as Wire } from 'node:net';
import type { Namespace, Socket as Served } from 'socket.io';
import { io, type Socket } from 'socket.io-client';
import { WebSocket } from 'undici';
import { listen, type Listener } from '../../../gateways/server/listener.ts';
import {
  socketServer,
  type ConnectionBounds,
  type NamespacePart,
  type Sockets,
} from '../../../gateways/socketio/server.ts';
import { pollingDoors } from '../../../gateways/socketio/sockets.ts';
import type { ClientAddress } from '../../../gateways/server/client-address.ts';
import { realScheduler } from '../../../src/kernel/time.ts';
import { log } from '../served.ts';
import { bareListener, unwatched } from '../../support/alone.ts';

/** A namespace everybody may join, and which says nothing by itself. */
export class Open implements NamespacePart {
  namespace: Namespace | null = null;
  drained = false;

  open(namespace: Namespace): void {
    this.namespace = namespace;
    namespace.on('connection', (socket) => void socket.join('all'));
  }

  drain(): void {
    this.drained = true;
  }

  get sockets(): readonly Served[] {
    return [...(this.namespace?.sockets.values() ?? [])];
  }
}

export interface RigOptions {
  readonly bounds?: Partial<ConnectionBounds>;
  readonly clientAddress?: ClientAddress;
  /** In the place of the one that lets everybody in. */
  readonly merchants?: NamespacePart;
}

export class Rig {
  readonly merchants = new Open();
  readonly hosted = new Open();
  readonly sockets: Sockets;
  private readonly listener: Listener;
  private readonly clients: Socket[] = [];
  private readonly raws: WebSocket[] = [];
  private stopped: Promise<void> | null = null;

  private constructor(listener: Listener, { bounds = {}, clientAddress, merchants }: RigOptions) {
    this.listener = listener;
    this.sockets = socketServer({
      onLimit: unwatched.onLimit,
      scheduler: realScheduler,
      merchants: merchants ?? this.merchants,
      hosted: this.hosted,
      limits: true,
      bounds,
      clientAddress: clientAddress ?? null,
    });
    listener.sockets((app) => this.sockets.mountOn(app));
    listener.mount(pollingDoors('http://127.0.0.1'));
  }

  static async open(options: RigOptions = {}): Promise<Rig> {
    return new Rig(
      await listen({ host: '127.0.0.1', port: 0, log, ...bareListener, answerMsMax: 1500 }),
      options,
    );
  }

  get port(): number {
    return this.listener.port;
  }

  /** A client of the library. */
  client(namespace: string, headers: { readonly [name: string]: string } = {}, auth: object = {}): Socket {
    const client = io(`http://127.0.0.1:${this.port}${namespace}`, {
      transports: ['websocket'],
      reconnection: false,
      forceNew: true,
      extraHeaders: { ...headers },
      auth,
    });
    this.clients.push(client);
    return client;
  }

  /** One that has joined. */
  async joined(namespace = '/merchant'): Promise<Socket> {
    const client = this.client(namespace);
    await new Promise<void>((resolve, reject) => {
      client.once('connect', resolve);
      client.once('connect_error', reject);
    });
    return client;
  }

  /** A client that sends raw packets, with everything it receives. */
  async raw(query = 'EIO=4&transport=websocket'): Promise<RawClient> {
    const socket = new WebSocket(`ws://127.0.0.1:${this.port}/socket.io/?${query}`);
    this.raws.push(socket);
    const client = new RawClient(socket);
    await client.opened;
    return client;
  }

  /** Bytes on a connection of its own. */
  wire(): Wire {
    return connect({ port: this.port, host: '127.0.0.1' });
  }

  stop(): Promise<void> {
    return (this.stopped ??= this.end());
  }

  private async end(): Promise<void> {
    for (const client of this.clients) client.disconnect();
    for (const socket of this.raws) socket.close();
    await this.sockets.drain();
    await this.listener.drain(200);
  }
}

export class RawClient {
  readonly heard: string[] = [];
  /** Whether it was let in, and how it ended. */
  readonly opened: Promise<boolean>;
  readonly closed: Promise<void>;
  private readonly socket: WebSocket;

  constructor(socket: WebSocket) {
    this.socket = socket;
    socket.addEventListener('message', ({ data }) => void this.heard.push(String(data)));
    this.closed = new Promise((resolve) => socket.addEventListener('close', () => resolve()));
    this.opened = new Promise((resolve) => {
      socket.addEventListener('open', () => resolve(true));
      socket.addEventListener('error', () => resolve(false));
    });
  }

  get isOpen(): boolean {
    return this.socket.readyState === WebSocket.OPEN;
  }

  say(message: string | Uint8Array<ArrayBuffer>): void {
    this.socket.send(message);
  }
}

/** The head of a request to upgrade. */
export const upgradeHead = (path: string): string =>
  [
    `GET ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    '\r\n',
  ].join('\r\n');
