/** The limit: a bare uWebSockets.js loop over an array of responses, one cork each, one timer for all pings. */
import { App, us_socket_local_port, type HttpResponse } from 'uWebSockets.js';
import { collectOnSignal, connected, frameOf, ping, pingEveryMs, streamHeaders } from '../streaming-frame.ts';

collectOnSignal();
const streams = new Set<HttpResponse>();
let sent = 0;

function spread(bytes: Buffer): void {
  for (const res of streams) res.cork(() => void res.write(bytes));
}

App()
  .get('/fan', (res) => {
    const frame = Buffer.from(frameOf(++sent));
    // inside this handler's own cork every other write would be sent in pieces
    setImmediate(() => spread(frame));
    res.end('fanned');
  })
  .get('/*', (res) => {
    res.onAborted(() => void streams.delete(res));
    res.onWritable(() => true);
    res.cork(() => {
      for (const [name, value] of Object.entries(streamHeaders)) res.writeHeader(name, value);
      res.write(connected);
    });
    streams.add(res);
  })
  .listen('0.0.0.0', 0, (socket) => {
    if (socket === false) throw new Error('no port');
    process.stdout.write(`http://127.0.0.1:${us_socket_local_port(socket)}\n`);
  });
const pingBytes = Buffer.from(ping);
setInterval(() => spread(pingBytes), pingEveryMs);
