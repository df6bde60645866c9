/** One reader of a topic: a flat record from subscription to disconnect, and the writes to its response.
 *  1. The response is touched only between `begin` and the end; every write is one cork, never nested in
 *     another.
 *  2. After the first write that the kernel did not take in full, nothing more is written until the reader
 *     reads again; then it receives what it has missed. So at most two frames wait in memory for a slow
 *     reader.
 *  3. A reader that takes no bytes for two pings is disconnected. */
import type { HttpResponse } from 'uWebSockets.js';
import type { StreamStart } from '../server/door.ts';
import { nothing, type Bytes, type CorkedWriter } from '../server/corked.ts';
import { pingFrame } from './frame.ts';
import type { WheelItem } from '../live/wheel.ts';
import type { Topic } from './topic.ts';

/** Pings a reader may miss. */
const pingsMissedMax = 2;

/** How many streams one network has open. */
export interface Opener {
  readonly network: string;
  open: number;
}

/** The owner of this node's connections, notified of what happens to each. */
export interface ConnectionKeeper {
  readonly writer: CorkedWriter;
  /** Its response is open: it can be written to from now on. */
  begun(connection: Connection): void;
  /** It reads again after it had lagged. */
  caughtUp(connection: Connection): void;
  left(connection: Connection): void;
}

export class Connection implements StreamStart, WheelItem {
  slot = -1;
  place = 0;
  /** The last log position it received or already knew. */
  at = 0;
  /** Pings missed since the kernel stopped taking bytes; -1 while it reads. */
  private missedPings = -1;
  private res: HttpResponse | null = null;
  /** The first bytes it receives. */
  private first: Bytes = nothing;
  private over = false;
  private readonly keeper: ConnectionKeeper;
  readonly topic: Topic<Connection>;
  readonly opener: Opener;

  constructor(keeper: ConnectionKeeper, topic: Topic<Connection>, opener: Opener) {
    this.keeper = keeper;
    this.topic = topic;
    this.opener = opener;
  }

  /** Whether the kernel has not yet taken all bytes written. */
  get lagging(): boolean {
    return this.missedPings >= 0;
  }

  /** Sets the first bytes of the stream and the position that they cover. */
  starting(first: Bytes, at: number): this {
    this.first = first;
    this.at = at;
    return this;
  }

  begin(res: HttpResponse): void {
    this.res = res;
    // one closure for both: with tens of thousands of readers a second one matters. Only a repeated write
    // passes a number
    const onSocket = (written?: number): boolean =>
      written === undefined ? this.leave() : this.readsAgain();
    res.onAborted(onSocket);
    // without it uWS would end a healthy stream ten seconds after one late reading
    res.onWritable(onSocket);
    if (!res.write(this.first as Uint8Array)) this.missedPings = 0;
    this.first = nothing;
    this.keeper.begun(this);
  }

  missed(): void {
    this.leave();
  }

  /** Disconnected, by either side: releases everything held for it. Idempotent. */
  leave(): true {
    if (this.over) return true;
    this.over = true;
    this.res = null;
    this.keeper.left(this);
    return true;
  }

  /** Writes what follows `at`; for a lagging reader it is written later. */
  send(bytes: Bytes, at: number): void {
    if (this.lagging || this.res === null) return;
    this.at = at;
    if (!this.keeper.writer.write(this.res, bytes, false)) this.missedPings = 0;
  }

  /** Writes the last bytes and ends the stream. The connection stays open: when told to close one, uWS
   *  writes a header between the chunks. */
  finish(bytes: Bytes): void {
    const { res } = this;
    if (res === null) return;
    this.leave();
    this.keeper.writer.write(res, bytes, true);
  }

  ping(): void {
    if (!this.lagging) {
      if (this.res !== null && !this.keeper.writer.write(this.res, pingFrame, false)) this.missedPings = 0;
    } else if (++this.missedPings >= pingsMissedMax) this.cut();
  }

  /** Ends it without writing anything. */
  private cut(): void {
    const { res } = this;
    this.leave();
    res?.close();
  }

  /** The kernel takes bytes again. uWS flushes its own buffer only on a write from us: any write does. */
  private readsAgain(): boolean {
    if (this.res === null) return true;
    this.missedPings = this.keeper.writer.write(this.res, pingFrame, false)
      ? -1
      : Math.max(0, this.missedPings);
    if (!this.lagging) this.keeper.caughtUp(this);
    return !this.lagging;
  }
}
