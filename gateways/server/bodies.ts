/** Receives a request's body and counts its bytes.
 *  1. Never keeps more than the body's own limit, nor more than the budget shared by all bodies.
 *  2. A slow client that still sends bytes is not cut off before the request's own deadline. */
import type { HttpResponse } from 'uWebSockets.js';
import type { Cancel } from '../../src/kernel/time.ts';

/** Bytes held by all unfinished bodies together. */
export interface BodyBudget {
  heldBytes: number;
  readonly heldBytesMax: number;
  /** Makes another request drop its unfinished body; false when there is no other one. */
  readonly makeRoom: (own: HttpResponse) => boolean;
}

export type Received = Buffer | 'too_large' | 'no_room';

/** Calls `done` once, with a copy of the body or the reason why it is refused. The returned function
 *  discards the body: call it when the client has left early. */
export function receiveBody(
  res: HttpResponse,
  bytesMax: number,
  budget: BodyBudget,
  done: (body: Received) => void,
): Cancel {
  let parts: Buffer[] = [];
  let held = 0;
  let over = false;
  const forget = (): void => {
    over = true;
    parts = [];
    budget.heldBytes -= held;
    held = 0;
  };
  const end = (body: Received): void => {
    forget();
    done(body);
  };
  res.onData((chunk, isLast) => {
    if (over) return;
    if (held + chunk.byteLength > bytesMax) return end('too_large');
    // the chunk is invalid after this callback returns
    if (isLast && held === 0) return end(Buffer.from(new Uint8Array(chunk)));
    while (budget.heldBytes + chunk.byteLength > budget.heldBytesMax)
      if (!budget.makeRoom(res)) return end('no_room');
    parts.push(Buffer.from(new Uint8Array(chunk)));
    held += chunk.byteLength;
    budget.heldBytes += chunk.byteLength;
    if (isLast) return end(Buffer.concat(parts));
    // restarts uWS's 10 s timeout: its own rule would require 16 KB a second
    res.pause();
    res.resume();
  });
  return () => {
    if (!over) forget();
  };
}
