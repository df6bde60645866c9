/** better-sse on node:http: its channel broadcasts, its sessions keep themselves alive. BETTER_SSE is the path of the
 *  installed package. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pingEveryMs, scan } from '../streaming-frame.ts';

interface Channel {
  register(session: unknown): void;
  broadcast(data: unknown, event: string, options: { readonly eventId: string }): void;
}
interface BetterSse {
  createChannel: () => Channel;
  createSession: (
    request: IncomingMessage,
    response: ServerResponse,
    options: { readonly keepAlive: number; readonly retry: number },
  ) => Promise<unknown>;
}

const { createChannel, createSession } = (await import(process.env['BETTER_SSE'] ?? '')) as BetterSse;
const channel = createChannel();
let sent = 0;
const server = createServer((request, response) => {
  if (request.url === '/fan') {
    channel.broadcast(scan, 'qr.scanned', { eventId: String(++sent) });
    response.end('fanned');
    return;
  }
  void createSession(request, response, { keepAlive: pingEveryMs, retry: 3000 }).then((session) =>
    channel.register(session),
  );
});
server.listen(0, '0.0.0.0', 10_000, () =>
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`),
);
