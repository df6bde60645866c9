/** Passes the data of a socket to undici's parser in small pieces.
 *  1. Above its limit for the head of an answer, the parser creates an error with a stack trace for every
 *     further header in the data it was given. One 64 KiB read held four thousand headers, so such an
 *     answer cost a tenth of a second of CPU time each. Once the parser is destroyed, no more data is
 *     passed to it. */
import { Socket } from 'node:net';
import type { buildConnector } from 'undici';

const pieceBytesMax = 1024;

export const inPieces =
  (connect: buildConnector.connector): buildConnector.connector =>
  (options, done) =>
    connect(options, (...made) => {
      // a failed connection has only an error
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
