/** A merchant's own server: the page buyers return to, and the webhook endpoint.
 *  Boundary: node:http only; it keeps exactly what was received, byte for byte. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  readonly path: string;
  readonly headers: { readonly [name: string]: string };
  /** The body's bytes. */
  readonly raw: Buffer;
  /** Kind and id of the event, from the body. */
  readonly type: string;
  readonly id: string;
  readonly objectId: string;
  /** Real time. */
  readonly at: number;
}

export interface Return {
  readonly sessionId: string;
  readonly status: string;
}

/** How the shop answers a webhook; default 200. */
export type Answering = (received: Received) => ShopAnswer | Promise<ShopAnswer>;

export interface ShopAnswer {
  readonly status: number;
  readonly headers?: { readonly [name: string]: string };
}

const headersRead = [
  'webhook-id',
  'webhook-timestamp',
  'webhook-signature',
  'x-webhook-signature',
  'content-type',
  'user-agent',
  'api-version',
];

export class Shop {
  readonly webhooks: Received[] = [];
  readonly returns: Return[] = [];
  answering: Answering = () => ({ status: 200 });
  private readonly server: Server;
  private readonly waiting = new Set<() => void>();

  private constructor() {
    this.server = createServer((request, response) => void this.serve(request, response));
  }

  /** Opens on a free port of this machine. */
  static async open(): Promise<Shop> {
    const shop = new Shop();
    await new Promise<void>((resolve) => shop.server.listen(0, '127.0.0.1', resolve));
    return shop;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** The first webhook that matches, received before or within `waitMs`. */
  async webhook(matches: (received: Received) => boolean, waitMs = 10_000): Promise<Received> {
    const until = Date.now() + waitMs;
    for (;;) {
      const found = this.webhooks.find(matches);
      if (found !== undefined) return found;
      if (Date.now() >= until) {
        const had = this.webhooks.map(({ type, objectId }) => `${type} ${objectId}`).join(', ');
        throw new Error(`no such webhook within ${waitMs} ms; received: ${had === '' ? 'none' : had}`);
      }
      await this.something(until - Date.now());
    }
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  private something(waitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.waiting.delete(done);
        resolve();
      };
      const timer = setTimeout(done, waitMs);
      this.waiting.add(done);
    });
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      // the sender died in the middle of its request: nothing was received
      return;
    }
    const url = new URL(request.url ?? '/', this.url);
    if (request.method === 'POST') {
      const received = receivedOf(url.pathname, request, Buffer.concat(chunks));
      this.webhooks.push(received);
      const { status, headers } = await this.answering(received);
      response.writeHead(status, headers).end();
    } else {
      const sessionId = url.searchParams.get('session_id');
      if (sessionId !== null) this.returns.push({ sessionId, status: url.searchParams.get('status') ?? '' });
      response
        .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
        .end('<!doctype html><title>Shop</title><h1>Thank you</h1>');
    }
    for (const wake of this.waiting) wake();
  }
}

function receivedOf(path: string, request: IncomingMessage, raw: Buffer): Received {
  const said = parsed(raw.toString('utf8')) as { id?: unknown; type?: unknown; data?: { id?: unknown } };
  return {
    path,
    raw,
    at: Date.now(),
    type: String(said.type),
    id: String(said.id),
    objectId: String(said.data?.id),
    headers: Object.fromEntries(headersRead.map((name) => [name, String(request.headers[name] ?? '')])),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}
