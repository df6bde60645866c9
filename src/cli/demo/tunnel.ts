/** The load balancer's path for upgraded connections (WebSockets): to one node, byte for byte.
 *  1. A node that cannot be reached is skipped; once a node is connected, its connection and the client's
 *     end together. */
import type { IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** A connection to a node that stays open until one side ends it. */
export interface Tunnel {
  readonly node: string;
  readonly cut: () => void;
}

/** Sends the client's upgrade request to the nodes in this order. `onOpen` receives the node that accepted;
 *  the function it returns is called at the end. */
export function tunnel(
  nodes: readonly string[],
  request: IncomingMessage,
  client: Duplex,
  head: Buffer,
  onOpen: (tunnel: Tunnel) => () => void,
): void {
  // until a node is connected, only this handler notices that the client has disconnected
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
