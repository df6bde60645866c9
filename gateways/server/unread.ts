/** Answers that their clients have not read yet. uWS copies what the kernel does not take, and serves the next
 *  request of the connection: without a bound, a client that asks and never reads fills the memory.
 *  1. Of a body, uWS copies nothing that the kernel does not take: the rest waits here, and its response is
 *     unfinished until then. uWS closes a connection that sends another request meanwhile. So a connection
 *     has at most one such answer, and beside it less than 32 KiB in uWS: its buffer of one turn, and a head.
 *  2. What was made for one answer alone (a text) is held at most `heldBytesMax` in all: one more closes the
 *     connections that have waited the longest.
 *  3. Where uWS is to close the connection after an answer, it copies the answer whole, and while older bytes wait
 *     it still serves the connection's next request. So of such answers, `lastBytesMax` are given while the service
 *     starts and works, and as many again while it stops, to all connections together. Those beyond it are ended as
 *     any other, and the client is told to close.
 *  4. uWS cannot hold back an answer without a body. So one in `bodilessEvery` of these, by chance, is given in
 *     the next turn of the event loop, and its connection is closed. */
import { setTimeout as pause } from 'node:timers/promises';
import type { HttpResponse } from 'uWebSockets.js';
import type { DurationMs } from '../../src/kernel/time.ts';
import type { Bytes } from './corked.ts';

/** Bytes of texts that wait for slow clients, of all connections together. */
const heldBytesMax = 128 * 1024 * 1024;
/** Twice this, one such answer and what uWS holds beside them are less than 256 KiB. */
const lastBytesMax = 96 * 1024;
const lastBodyCharactersMax = 16 * 1024;
/** More than the head of most answers. */
const headBytes = 512;
/** 256 KiB of heads are some hundred of them: a client that reads none is closed before. */
const bodilessEvery = 64;
/** While the service stops: how often it is checked whether every answer has been read. */
const lookAgainMs: DurationMs = 10;

interface Unread {
  readonly res: HttpResponse;
  /** Bytes that exist for this answer alone. */
  readonly ownBytes: number;
}

export class UnreadAnswers {
  /** Oldest first. */
  private readonly waiting = new Set<Unread>();
  private readonly heldBytesMax: number;
  private heldBytes = 0;
  private lastBytesLeft = lastBytesMax;

  /** A smaller limit for tests. */
  constructor(bytesMax = heldBytesMax) {
    this.heldBytesMax = bytesMax;
  }

  /** Ends a response with a body that is not empty. Only inside a cork, and after its head. */
  end(res: HttpResponse, body: Bytes): void {
    const length = typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength;
    // uWS's types have no read-only view of bytes
    const [, done] = res.tryEnd(body as Uint8Array | string, length);
    if (!done) this.hold(res, body, length);
  }

  /** Whether uWS may copy this body and close its connection; counts it. */
  mayCopyLast(body: Bytes): boolean {
    if (body.length > lastBodyCharactersMax) return false;
    const bytes = Buffer.byteLength(body) + headBytes;
    if (bytes > this.lastBytesLeft) return false;
    this.lastBytesLeft -= bytes;
    return true;
  }

  /** The service stops: from now on each answer is the last of its connection. */
  stops(): void {
    this.lastBytesLeft = lastBytesMax;
  }

  /** Resolves when every answer has been read, or at `until` on the monotonic clock. */
  async read(until: DurationMs): Promise<void> {
    while (this.waiting.size > 0 && performance.now() < until) await pause(lookAgainMs);
  }

  private hold(res: HttpResponse, body: Bytes, length: number): void {
    const isOwn = typeof body === 'string';
    const bytes = isOwn ? Buffer.from(body) : body;
    const unread = { res, ownBytes: isOwn ? length : 0 };
    this.waiting.add(unread);
    this.heldBytes += unread.ownBytes;
    const over = (): void => {
      if (this.waiting.delete(unread)) this.heldBytes -= unread.ownBytes;
    };
    res.onAborted(over);
    res.onWritable((offset) => {
      const [ok, done] = res.tryEnd(bytes.subarray(offset), length);
      if (done) over();
      return ok;
    });
    this.makeRoom();
  }

  /** Closing calls `onAborted`. */
  private makeRoom(): void {
    for (const { res, ownBytes } of this.waiting) {
      if (this.heldBytes <= this.heldBytesMax) return;
      if (ownBytes > 0) res.close();
    }
  }
}

/** Whether this answer without a body is to be the last of its connection. */
export const isLastBodiless = (): boolean => Math.random() * bodilessEvery < 1;

/** Answers in the next turn of the event loop and closes the connection: until then the request counts as
 *  unanswered, and uWS closes a connection that sends another one meanwhile. `write` writes the whole answer,
 *  but does not end the response: while a client does not read, uWS would process its next request before
 *  closing. Replaces `onAborted`. */
export function answerAndClose(res: HttpResponse, write: () => void): void {
  let gone = false;
  res.onAborted(() => void (gone = true));
  setImmediate(() => {
    if (gone) return;
    res.cork(write);
    res.close();
  });
}
