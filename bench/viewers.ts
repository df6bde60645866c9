/** A process of many readers of one server, from several addresses of this machine. On `connect` it reports when all of
 *  them have been answered; on `expect`, when they have received that many events in all. */
import { connect } from 'node:net';

interface Order {
  readonly is: 'connect' | 'expect' | 'leave';
  readonly port: number;
  /** One for all, or one each when it holds `{n}`. */
  readonly path: string;
  readonly count: number;
  /** The number of the first. */
  readonly first: number;
  readonly socketIo: boolean;
}

/** Of this process alone: addresses whose ports wait to be used again are slow to connect from. */
const network = 1 + (process.pid % 250);
/** Sockets of one address before the next is used. */
const perAddress = 5000;
const atOnce = 250;
const marker = Buffer.from('qr.scanned');
/** One for all: what comes is looked at at once and never kept. */
const shared = Buffer.alloc(4096);
const sockets: { destroy(): void }[] = [];
let heard = 0;
let answered = 0;
let awaited = Number.POSITIVE_INFINITY;

/** Masked with zeros: the connect packet of Socket.IO. */
const socketIoConnect = Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0x34, 0x30]);

// the process that requested the readers has ended
process.on('disconnect', () => process.exit(0));

process.on('message', (order: Order) => {
  if (order.is === 'connect') void connectAll(order);
  else if (order.is === 'expect') awaited = order.count;
  else {
    for (const socket of sockets.splice(0)) socket.destroy();
    process.exit(0);
  }
});

async function connectAll(order: Order): Promise<void> {
  for (let n = 0; n < order.count; n += atOnce) {
    const until = answered + Math.min(atOnce, order.count - n);
    for (let each = n; each < Math.min(n + atOnce, order.count); each++) one(order, each);
    while (answered < until) await new Promise((resolve) => setTimeout(resolve, 2));
  }
  process.send?.('connected');
}

function one({ port, path, first, socketIo }: Order, n: number): void {
  let state: 'asked' | 'upgraded' | 'open' = 'asked';
  const take = (length: number): boolean => {
    if (state === 'open') {
      const came = shared.subarray(0, length);
      for (let at = 0; (at = came.indexOf(marker, at)) >= 0; at += marker.length) hear();
    } else if (socketIo && state === 'asked') {
      state = 'upgraded';
      socket.write(socketIoConnect);
    } else if (!socketIo || shared.subarray(0, length).includes('40{')) {
      state = 'open';
      answered++;
    }
    return true;
  };
  const socket = connect({
    port,
    host: '127.0.0.1',
    localAddress: `127.${network}.0.${2 + Math.floor(n / perAddress)}`,
    noDelay: true,
    onread: { buffer: shared, callback: take },
  });
  const upgrade = socketIo
    ? 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n' +
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n'
    : 'Accept: text/event-stream\r\n';
  socket.write(
    `GET ${path.replace('{n}', String(first + n).padStart(24, '0'))} HTTP/1.1\r\nHost: localhost\r\n${upgrade}\r\n`,
  );
  socket.on('error', (error) => process.send?.(`failed: ${error.message}`));
  sockets.push(socket);
}

function hear(): void {
  if (++heard === awaited) process.send?.('heard');
}
