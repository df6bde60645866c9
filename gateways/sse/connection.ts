/** One reader of a topic: a flat record from the moment it asks to the moment it is gone, and what is written to it.
 *  1. The response is touched only between `begin` and the end; every write is one cork, none inside another.
 *  2. After the first write the kernel did not take whole nothing more is written: what it has missed follows when
 *     it reads again. So at most two frames wait in memory for a slow reader.
 *  3. Who does not read for two pings is let go. */
import type { HttpResponse } from 'uWebSockets.js';
import type { StreamStart } from '../server/door.ts';
import { nothing, type Bytes, type CorkedWriter } from './corked.ts';
import { pingFrame } from './frame.ts';
import type { Spoke } from '../live/wheel.ts';
import type { Topic } from './topic.ts';

/** Pings a reader may miss. */
const pingsMissedMax = 2;

/** How many streams one network has open. */
export interface Opener {
  readonly network: string;
  open: number;
}

/** Whoever keeps the connections of this node, and is told what becomes of each. */
export interface ConnectionKeeper {
  readonly writer: CorkedWriter;
  /** Its response is open: it reads from now on. */
  begun(connection: Connection): void;
  /** It reads again after it had lagged. */
  caughtUp(connection: Connection): void;
  left(connection: Connection): void;
}

export class Connection implements StreamStart, Spoke {
  slot = -1;
  place = 0;
  /** The last position of the log it was told, or knew. */
  at = 0;
  /** Pings it missed since the kernel took no more; -1 while it reads. */
  private missedPings = -1;
  private res: HttpResponse | null = null;
  /** What it is told first. */
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

  /** Whether the kernel has not yet taken all that was written. */
  get lagging(): boolean {
    return this.missedPings >= 0;
  }

  /** Says what the stream begins with and which positions that covers. */
  starting(first: Bytes, at: number): this {
    this.first = first;
    this.at = at;
    return this;
  }

  begin(res: HttpResponse): void {
    this.res = res;
    // one closure for both: with ten thousands of readers a second one counts. Only who writes again is given a number
    const told = (written?: number): boolean => (written === undefined ? this.leave() : this.readsAgain());
    res.onAborted(told);
    // without it uWS would end a healthy stream ten seconds after one late reading
    res.onWritable(told);
    if (!res.write(this.first as Uint8Array)) this.missedPings = 0;
    this.first = nothing;
    this.keeper.begun(this);
  }

  missed(): void {
    this.leave();
  }

  /** Gone, whoever ended it: gives back all that was held for it. Harmless when it is. */
  leave(): true {
    if (this.over) return true;
    this.over = true;
    this.res = null;
    this.keeper.left(this);
    return true;
  }

  /** Writes what stands after `at`; what a lagging reader misses waits for it. */
  tell(bytes: Bytes, at: number): void {
    if (this.lagging || this.res === null) return;
    this.at = at;
    if (!this.keeper.writer.write(this.res, bytes, false)) this.missedPings = 0;
  }

  /** The last bytes, and the end of the stream. The connection stays: told to close one, uWS writes a header among the
   *  chunks. */
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

  /** Ends it without a word. */
  private cut(): void {
    const { res } = this;
    this.leave();
    res?.close();
  }

  /** The kernel takes bytes again. uWS leaves it to us to write what it still holds: any write does. */
  private readsAgain(): boolean {
    if (this.res === null) return true;
    this.missedPings = this.keeper.writer.write(this.res, pingFrame, false)
      ? -1
      : Math.max(0, this.missedPings);
    if (!this.lagging) this.keeper.caughtUp(this);
    return !this.lagging;
  }
}
