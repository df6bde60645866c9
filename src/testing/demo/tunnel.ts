/** The load balancer's way for connections that become something else (WebSockets): to one node, byte for byte.
 *  1. A node that cannot be reached is passed by; once one has been, its connection and the client's end together. */
import type { IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** A connection to a node that goes on until somebody ends it. */
export interface Tunnel {
  readonly node: string;
  readonly cut: () => void;
}

/** Asks the nodes in this order for the upgrade a client wants. `onOpen` is told who took it; the one it gives back is
 *  called at the end. */
export function tunnel(
  nodes: readonly string[],
  request: IncomingMessage,
  client: Duplex,
  head: Buffer,
  onOpen: (tunnel: Tunnel) => () => void,
): void {
  // until a node is there nobody else hears of a client who goes
  client.on('error', () => client.destroy());
  const [node, ...others] = nodes;
  if (node === undefined || client.destroyed) return void client.destroy();
  const { hostname, port } = new URL(node);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.once('error', next);
  socket.once('connect', () => {
    socket.off('error', next);
    begin(socket);
  });

  function next(): void {
    tunnel(others, request, client, head, onOpen);
  }

  function begin(onward: Socket): void {
    if (client.destroyed) return void onward.destroy();
    const cut = (): void => {
      onward.destroy();
      client.destroy();
    };
    const closed = onOpen({ node: node ?? '', cut });
    onward.once('close', () => {
      closed();
      client.destroy();
    });
    onward.on('error', cut);
    client.once('close', cut);
    onward.write(`${headOf(request)}\r\n`);
    onward.write(head);
    onward.pipe(client);
    client.pipe(onward);
  }
}

function headOf({ method, url, rawHeaders }: IncomingMessage): string {
  const lines = [`${method ?? ''} ${url ?? ''} HTTP/1.1`];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2)
    lines.push(`${rawHeaders[at] ?? ''}: ${rawHeaders[at + 1] ?? ''}`);
  return `${lines.join('\r\n')}\r\n`;
}
