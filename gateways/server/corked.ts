/** Corked writes to streams: one cork for each write. */
import type { HttpResponse } from 'uWebSockets.js';

export type Bytes = Readonly<Uint8Array> | string;

export const nothing: Readonly<Uint8Array> = new Uint8Array(0);

/** Writes for all streams of its owner through one function, instead of a closure for each write: a cork
 *  runs synchronously, so nothing else can run in between. */
export class CorkedWriter {
  private res: HttpResponse | null = null;
  private bytes: Bytes = nothing;
  private last = false;
  private taken = true;

  /** Writes, and ends the response after the `last` bytes. False when the kernel did not take all bytes:
   *  the rest waits in memory. Never called inside another socket's cork. */
  write(res: HttpResponse, bytes: Bytes, last: boolean): boolean {
    this.res = res;
    this.bytes = bytes;
    this.last = last;
    res.cork(this.writeCorked);
    this.res = null;
    this.bytes = nothing;
    return this.taken;
  }

  private readonly writeCorked = (): void => {
    const { res, bytes } = this;
    if (res === null) return;
    // uWS's types have no read-only view of bytes
    this.taken = bytes.length === 0 || res.write(bytes as Uint8Array);
    if (this.last) res.end();
  };
}
