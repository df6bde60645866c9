/** Webhook endpoints with abusive answers: a body without end, a byte a second, ten thousand headers, or
 *  nothing. Written by hand over TCP. */
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';

export const badAnswers = ['gigabyte', 'drip_body', 'drip_head', 'headers', 'silent'] as const;
export type BadAnswer = (typeof badAnswers)[number];

/** What one of them saw. */
export interface Seen {
  requests: number;
  /** Bytes of answers the other side took. */
  bytes: number;
}

const gigabyte = 1024 ** 3;
const chunk = Buffer.alloc(256 * 1024, 'x');
const headersSent = 10_000;
const ok = 'HTTP/1.1 200 OK\r\n';

export class BadEndpoints {
  readonly seen: Readonly<Record<BadAnswer, Seen>> = {
    gigabyte: { requests: 0, bytes: 0 },
    drip_body: { requests: 0, bytes: 0 },
    drip_head: { requests: 0, bytes: 0 },
    headers: { requests: 0, bytes: 0 },
    silent: { requests: 0, bytes: 0 },
  };
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();

  private constructor() {
    this.server = createServer((socket) => {
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => this.sockets.delete(socket));
      socket.once('data', (head: Buffer) => this.asked(socket, head.toString('latin1')));
    });
  }

  static async open(): Promise<BadEndpoints> {
    const endpoints = new BadEndpoints();
    await new Promise<void>((resolve) => endpoints.server.listen(0, '127.0.0.1', resolve));
    return endpoints;
  }

  url(answer: BadAnswer): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/${answer}`;
  }

  /** Connections that are open right now. */
  get open(): number {
    return this.sockets.size;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  private asked(socket: Socket, head: string): void {
    const answer = badAnswers.find((one) => head.startsWith(`POST /${one} `));
    if (answer === undefined) return void socket.destroy();
    this.seen[answer].requests++;
    socket.once('close', () => (this.seen[answer].bytes += socket.bytesWritten));
    talk[answer](socket);
  }
}

const talk: Readonly<Record<BadAnswer, (socket: Socket) => void>> = {
  gigabyte(socket) {
    socket.write(`${ok}Content-Length: ${gigabyte}\r\n\r\n`);
    const more = (): void => {
      while (!socket.destroyed && socket.bytesWritten < gigabyte && socket.write(chunk));
    };
    socket.on('drain', more);
    more();
  },
  drip_body(socket) {
    socket.write(`${ok}Content-Length: 1000\r\n\r\n`);
    drip(socket, 'x'.repeat(1000));
  },
  drip_head: (socket) => drip(socket, `${ok}X-Slow: ${'x'.repeat(1000)}\r\n\r\n`),
  headers(socket) {
    const lines = Array.from({ length: headersSent }, (_, at) => `X-${at}: ${at}\r\n`);
    socket.write(`${ok}${lines.join('')}Content-Length: 0\r\n\r\n`);
  },
  silent: () => undefined,
};

function drip(socket: Socket, text: string): void {
  let at = 0;
  const timer = setInterval(() => {
    if (socket.destroyed || at >= text.length) clearInterval(timer);
    else socket.write(text.charAt(at++));
  }, 1000);
}
