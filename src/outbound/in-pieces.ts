/** Gives undici's parser what a socket has received in small pieces.
 *  1. Past its bound for the head of an answer the parser makes an error, stack and all, for every further header it
 *     has been given: the 64 KiB one read brings held four thousand of them, and a server that answers so cost us a
 *     tenth of a second of CPU each time. Of what was destroyed nothing more is given. */
import { Socket } from 'node:net';
import type { buildConnector } from 'undici';

const pieceBytesMax = 1024;

export const inPieces =
  (connect: buildConnector.connector): buildConnector.connector =>
  (options, done) =>
    connect(options, (...made) => {
      // one that failed comes with an error alone
      if (made[1] instanceof Socket) readsInPieces(made[1]);
      done(...made);
    });

function readsInPieces(socket: Socket): void {
  const read = socket.read.bind(socket);
  socket.read = (size?: number): unknown => {
    if (socket.destroyed) return null;
    const has = socket.readableLength;
    return size === undefined && has > pieceBytesMax ? read(pieceBytesMax) : read(size);
  };
}
