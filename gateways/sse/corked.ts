/** Writes to streams: one cork for each write, by one writer that all share instead of a closure each. */
import type { HttpResponse } from 'uWebSockets.js';

export type Bytes = Readonly<Uint8Array> | string;

export const nothing: Readonly<Uint8Array> = new Uint8Array(0);

const outgoing: { res: HttpResponse | null; bytes: Bytes; last: boolean; taken: boolean } = {
  res: null,
  bytes: nothing,
  last: false,
  taken: true,
};

function writeCorked(): void {
  const { res, bytes, last } = outgoing;
  if (res === null) return;
  // uWS's types know no view of bytes that nobody may change
  outgoing.taken = bytes.length === 0 || res.write(bytes as Uint8Array);
  if (last) res.end();
}

/** Writes, and ends the response after the `last` bytes. False when bytes are left that the kernel did not take: they
 *  wait in memory. Never from within another socket's cork. */
export function corked(res: HttpResponse, bytes: Bytes, last: boolean): boolean {
  outgoing.res = res;
  outgoing.bytes = bytes;
  outgoing.last = last;
  res.cork(writeCorked);
  outgoing.res = null;
  outgoing.bytes = nothing;
  return outgoing.taken;
}
