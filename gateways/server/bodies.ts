/** Receives a request's body, counted.
 *  1. Never more than its bound is kept, nor more than the budget of all bodies together.
 *  2. A client that sends a byte now and then is not cut off before the request's own deadline. */
import type { HttpResponse } from 'uWebSockets.js';
import type { Cancel } from '../../src/kernel/time.ts';

/** Bytes that unfinished bodies hold together. */
export interface BodyBudget {
  heldBytes: number;
  readonly heldBytesMax: number;
  /** Makes another request give up its unfinished body; false when there is none but this one's. */
  readonly makeRoom: (own: HttpResponse) => boolean;
}

export type Received = Buffer | 'too_large' | 'no_room';

/** Calls `done` once, with a copy of the body or why it is refused. The answer forgets the body: for a client
 *  that left before. */
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
    // the chunk dies when this returns
    if (isLast && held === 0) return end(Buffer.from(new Uint8Array(chunk)));
    while (budget.heldBytes + chunk.byteLength > budget.heldBytesMax)
      if (!budget.makeRoom(res)) return end('no_room');
    parts.push(Buffer.from(new Uint8Array(chunk)));
    held += chunk.byteLength;
    budget.heldBytes += chunk.byteLength;
    if (isLast) return end(Buffer.concat(parts));
    // starts uWS's 10 s anew: its own rule wants 16 KB a second
    res.pause();
    res.resume();
  });
  return () => {
    if (!over) forget();
  };
}
