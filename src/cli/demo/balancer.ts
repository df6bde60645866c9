/** A load balancer in front of a cluster's nodes, as small as one can be: request by request, in turn.
 *  Boundary: node:http alone; which nodes there are is told from outside.
 *  1. A request that could not be sent at all, because nobody listens there, goes to the next node. Nothing else is
 *     ever sent twice: whether to repeat is for the client, who has a key for it.
 *  2. Each request has a connection of its own to its node: none is ever met at its end.
 *  3. A node that dies over a request takes the client's connection with it. */
import {
  createServer,
  request as ask,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

/** More than a node takes; it says itself what is too large. */
const bodyBytesMax = 1024 * 1024;
/** Longer than a node may take for an answer. */
const silenceMsMax = 65_000;
const failedKept = 50;

export class Balancer {
  /** Requests sent on, by status; 0: the node died over it, or nobody took it. */
  readonly answered = new Map<number, number>();
  /** The newest of those that failed, in words. */
  readonly failed: string[] = [];
  private nodes: readonly string[] = [];
  private turn = 0;
  private readonly underWay = new Set<Onward>();
  private readonly server: Server;

  private constructor() {
    this.server = createServer((request, response) => void this.serve(request, response));
    // clients hold connections; what they send a moment before a close would be lost
    this.server.keepAliveTimeout = silenceMsMax;
  }

  /** Opens on a free port of this machine; nobody stands behind it yet. */
  static async open(): Promise<Balancer> {
    const balancer = new Balancer();
    await new Promise<void>((resolve) => balancer.server.listen(0, '127.0.0.1', resolve));
    return balancer;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** From now on requests go to these addresses; what waits for another one is cut off. */
  send(nodes: readonly string[]): void {
    this.nodes = nodes;
    for (const { node, cut } of this.underWay) if (!nodes.includes(node)) cut();
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request);
    if (body === null) return void response.destroy();
    const { nodes } = this;
    const first = this.turn++;
    for (let tries = 0; tries < nodes.length; tries++) {
      const node = nodes[(first + tries) % nodes.length] ?? '';
      const status = await forward(node, request, body, response, this.underWay);
      if (status === 'refused') continue;
      return this.count(status, request, node);
    }
    this.count(0, request, 'no node');
    response.destroy();
  }

  private count(status: number, { method = '', url = '' }: IncomingMessage, node: string): void {
    this.answered.set(status, (this.answered.get(status) ?? 0) + 1);
    if (status !== 0 && status < 500) return;
    this.failed.push(`${method} ${url.replace(/\?.*/, '')} at ${node}: ${status === 0 ? 'cut off' : status}`);
    if (this.failed.length > failedKept) this.failed.shift();
  }
}

/** A request a node has in hand. */
interface Onward {
  readonly node: string;
  readonly cut: () => void;
}

/** The status, 0 when the node died over it, or `refused` when it never heard of it. */
function forward(
  node: string,
  { method, url, rawHeaders }: IncomingMessage,
  body: Buffer,
  response: ServerResponse,
  underWay: Set<Onward>,
): Promise<number | 'refused'> {
  const { hostname, port } = new URL(node);
  return new Promise((resolve) => {
    let sent = false;
    const onward = ask({
      hostname,
      port,
      method,
      path: url,
      headers: onwardHeaders(rawHeaders, body),
      agent: false,
    });
    onward.setTimeout(silenceMsMax, () => onward.destroy());
    const entry = { node, cut: () => onward.destroy() };
    underWay.add(entry);
    onward.once('close', () => underWay.delete(entry));
    onward.on('socket', (socket) => socket.once('connect', () => (sent = true)));
    onward.on('error', () => {
      if (!sent) return resolve('refused');
      response.destroy();
      resolve(0);
    });
    onward.on('response', (answer) => {
      const status = answer.statusCode ?? 0;
      response.writeHead(status, answer.statusMessage, backHeaders(answer.rawHeaders));
      answer.on('error', () => response.destroy());
      answer.on('aborted', () => response.destroy());
      answer.pipe(response);
      resolve(status);
    });
    // who asked went away
    response.once('close', () => onward.destroy());
    onward.end(body);
  });
}

/** Names that speak of one connection. */
const hops = new Set(['connection', 'keep-alive', 'transfer-encoding', 'proxy-connection', 'expect']);

const onwardHeaders = (raw: readonly string[], body: Buffer): string[] => [
  ...without(raw, (name) => hops.has(name) || name === 'content-length'),
  ...(body.length > 0 ? ['Content-Length', String(body.length)] : []),
  'Connection',
  'close',
];

const backHeaders = (raw: readonly string[]): string[] => without(raw, (name) => hops.has(name));

function without(raw: readonly string[], drop: (name: string) => boolean): string[] {
  const kept: string[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const [name = '', value = ''] = [raw[at], raw[at + 1]];
    if (!drop(name.toLowerCase())) kept.push(name, value);
  }
  return kept;
}

/** null: the client left, or sent more than anybody takes. */
async function bodyOf(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > bodyBytesMax) return null;
      chunks.push(chunk);
    }
  } catch {
    return null;
  }
  return Buffer.concat(chunks);
}
