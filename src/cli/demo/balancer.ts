/** A minimal load balancer in front of a cluster's nodes: round robin per request.
 *  Boundary: node:http only; the list of nodes is set from outside.
 *  1. A request that could not be sent, because no process listens at the node, goes to the next node.
 *     Nothing else is ever sent twice: the client, which has an idempotency key, decides about retries.
 *  2. Each request has its own connection to its node, so none uses a connection that is just closing.
 *  3. If a node dies during a request, the client's connection is closed too. */
import {
  createServer,
  request as ask,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { tunnel, type Tunnel } from './tunnel.ts';

/** More than a node accepts; the node itself reports what is too large. */
const bodyBytesMax = 1024 * 1024;
/** Longer than a node may take for an answer. */
const silenceMsMax = 65_000;
const failedKept = 10_000;

/** A failed request: cut off, or answered 500 and above. */
export interface FailedRequest {
  /** Method, path and node. */
  readonly what: string;
  /** 0: the node died during it, or no node accepted it. */
  readonly status: number;
  readonly sentAt: number;
  readonly tookMs: number;
  /** The answer; null when there was none. */
  readonly retryAfter: string | null;
}

export class Balancer {
  /** Requests forwarded, by status; 0: the node died during it, or no node accepted it. */
  readonly answered = new Map<number, number>();
  /** The newest of those that failed. */
  readonly failed: FailedRequest[] = [];
  private nodes: readonly string[] = [];
  private turn = 0;
  private readonly underWay = new Set<Tunnel>();
  /** When each unanswered request was forwarded, oldest first. */
  private readonly inHand = new Set<{ readonly sentAt: number }>();
  private readonly server: Server;

  private constructor() {
    this.server = createServer((request, response) => void this.serve(request, response));
    this.server.on('upgrade', (request: IncomingMessage, client: Duplex, head: Buffer) => {
      tunnel(this.inTurn(), request, client, head, (open) => this.enters(open));
    });
    // clients keep connections open; a request sent just before a close would be lost
    this.server.keepAliveTimeout = silenceMsMax;
  }

  /** Opens on a free port of this machine; it has no nodes yet. */
  static async open(): Promise<Balancer> {
    const balancer = new Balancer();
    await new Promise<void>((resolve) => balancer.server.listen(0, '127.0.0.1', resolve));
    return balancer;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** When the oldest unanswered request was forwarded; null when all are answered. */
  get oldestAt(): number | null {
    const [oldest] = this.inHand;
    return oldest?.sentAt ?? null;
  }

  /** From now on requests go to these addresses; those waiting for another one are cut off. */
  send(nodes: readonly string[]): void {
    this.nodes = nodes;
    for (const { node, cut } of this.underWay) if (!nodes.includes(node)) cut();
  }

  async close(): Promise<void> {
    for (const { cut } of this.underWay) cut();
    this.server.closeAllConnections();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request);
    if (body === null) return void response.destroy();
    for (const node of this.inTurn()) {
      const sent = { sentAt: Date.now() };
      this.inHand.add(sent);
      const answer = await forward(node, request, body, response, this.underWay);
      this.inHand.delete(sent);
      if (answer === 'refused') continue;
      return this.count(answer, request, node, sent.sentAt);
    }
    this.count(none, request, 'no node', Date.now());
    response.destroy();
  }

  /** The nodes, starting with the one whose turn it is. */
  private inTurn(): readonly string[] {
    const first = this.turn++ % Math.max(1, this.nodes.length);
    return [...this.nodes.slice(first), ...this.nodes.slice(0, first)];
  }

  private enters(open: Tunnel): () => void {
    this.underWay.add(open);
    return () => void this.underWay.delete(open);
  }

  private count(
    answer: Answer,
    { method = '', url = '' }: IncomingMessage,
    node: string,
    sentAt: number,
  ): void {
    const { status, retryAfter } = answer;
    this.answered.set(status, (this.answered.get(status) ?? 0) + 1);
    if (status !== 0 && status < 500) return;
    const what = `${method} ${url.replace(/\?.*/, '')} at ${node}`;
    this.failed.push({ what, status, sentAt, tookMs: Date.now() - sentAt, retryAfter });
    if (this.failed.length > failedKept) this.failed.shift();
  }
}

interface Answer {
  readonly status: number;
  readonly retryAfter: string | null;
}

const none: Answer = { status: 0, retryAfter: null };

/** The node's answer, `none` when the node died during the request, or `refused` when the node did not
 *  receive it. */
function forward(
  node: string,
  { method, url, rawHeaders }: IncomingMessage,
  body: Buffer,
  response: ServerResponse,
  underWay: Set<Tunnel>,
): Promise<Answer | 'refused'> {
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
      resolve(none);
    });
    onward.on('response', (answer) => {
      const status = answer.statusCode ?? 0;
      response.writeHead(status, answer.statusMessage, backHeaders(answer.rawHeaders));
      answer.on('error', () => response.destroy());
      answer.on('aborted', () => response.destroy());
      answer.pipe(response);
      resolve({ status, retryAfter: answer.headers['retry-after'] ?? null });
    });
    // the client disconnected
    response.once('close', () => onward.destroy());
    onward.end(body);
  });
}

/** Hop-by-hop header names. */
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

/** null: the client disconnected, or sent more than any node accepts. */
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
