/** The buyers' namespace on a plain server, with the real Socket.IO on both ends. How the service's own server handles
 *  it is tested elsewhere. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server } from 'socket.io';
import { io, type Socket } from 'socket.io-client';
import { hostedNamespace, type Hosted, type HostedParts } from '../../../gateways/socketio/hosted.ts';
import { unwatched } from '../../support/alone.ts';

/** What a page received, in order. */
export class Page {
  readonly states: unknown[] = [];
  /** Why it was turned away. */
  refused: unknown = null;
  ended: string | null = null;
  readonly socket: Socket;

  constructor(origin: string, auth: object) {
    this.socket = io(`${origin}/hosted`, {
      transports: ['websocket'],
      auth,
      reconnection: false,
      forceNew: true,
    });
    this.socket.on('state', (body: unknown) => void this.states.push(body));
    this.socket.on('disconnect', (why) => (this.ended = why));
    this.socket.on('connect_error', (error) => {
      this.refused = 'data' in error ? error.data : error.message;
    });
  }
}

export class Counter {
  readonly hosted: Hosted;
  private readonly server = createServer();
  private readonly io = new Server(this.server, { transports: ['websocket'], serveClient: false });
  private readonly pages: Page[] = [];

  constructor(parts: Pick<HostedParts, 'client' | 'scheduler'> & Partial<HostedParts>) {
    this.hosted = hostedNamespace({
      ...unwatched,
      log: { warn: () => undefined, error: () => undefined },
      limits: true,
      ...parts,
    });
    this.hosted.open(this.io.of('/hosted'));
  }

  /** Opens the port. */
  async open(): Promise<this> {
    await new Promise<void>((listening) => this.server.listen(0, '127.0.0.1', listening));
    return this;
  }

  page(auth: object): Page {
    const { port } = this.server.address() as AddressInfo;
    const page = new Page(`http://127.0.0.1:${port}`, auth);
    this.pages.push(page);
    return page;
  }

  async close(): Promise<void> {
    this.hosted.drain();
    for (const { socket } of this.pages) socket.disconnect();
    await this.io.close();
  }
}
