/** The usual way: node:http, a loop over the responses, a timer for each connection's pings. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { collectOnSignal, connected, frameOf, ping, pingEveryMs, streamHeaders } from '../streaming-frame.ts';

collectOnSignal();
const streams = new Set<ServerResponse>();
let sent = 0;
const server = createServer((request, response) => {
  if (request.url === '/fan') {
    const frame = frameOf(++sent);
    for (const stream of streams) stream.write(frame);
    response.end('fanned');
    return;
  }
  response.writeHead(200, streamHeaders);
  response.write(connected);
  const timer = setInterval(() => response.write(ping), pingEveryMs);
  streams.add(response);
  response.on('close', () => {
    clearInterval(timer);
    streams.delete(response);
  });
});
server.listen(0, '0.0.0.0', 10_000, () =>
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`),
);
