/** GET /v1/events/stream: a project's events in the order of its log, for servers without a public address.
 *  1. Order and completeness are the log's: each reader walks the journal by position, up to what the log
 *     has committed.
 *  2. A notice only triggers a read of the log; the log is read every 14 s in any case.
 *  3. Nothing is written to a reader that does not read. When more than 1 MiB of new events has built up
 *     since, it is cut off, and resumes after the last id it saw. Events from before it connected are sent
 *     at its own pace, in pieces: a reader that returns after a day has more to read than any kernel buffer
 *     takes at once, and is not a slow reader because of that.
 *  4. A key that stops working ends its streams. */
import type { HttpResponse } from 'uWebSockets.js';
import type { Cancel, DurationMs } from '../../src/kernel/time.ts';
import { positionOf } from '../../src/runtime/delivery/journal-position.ts';
import { isLive, projectOf, type Scope } from '../../src/runtime/model/address.ts';
import type { Client } from '../../src/runtime/model/client.ts';
import type { Row } from '../../src/store/store.ts';
import type { OnLimit } from '../../src/telemetry/live-meters.ts';
import type { Log } from '../../src/telemetry/log.ts';
import type { StreamStart } from '../server/door.ts';
import { CorkedWriter } from '../server/corked.ts';
import { eventFrame, pingEveryMs, pingFrame, pingSlots } from './frame.ts';
import { Wheel, type WheelItem, type WheelOptions } from '../live/wheel.ts';

/** Open streams of one project and mode on this node. */
const streamsPerScopeMax = 5;
/** Bytes that may wait for a reader that does not read. */
export const bytesBehindMax = 1024 * 1024;
/** Journal entries per read. */
const pageMax = 64;
/** Bytes written at once: the maximum that waits in memory for one reader, not counting its last event. */
const pieceCharsMax = 64 * 1024;
/** The log is read without a notice once per this many pings. */
const pingsPerLook = 2;

export interface EventStreamsParts {
  readonly client: Pick<Client, 'eventsUpTo' | 'watch'>;
  readonly journalAfter: (scope: Scope, after: number, limit: number) => Promise<readonly Row[]>;
  readonly scheduler: WheelOptions<Follower>['scheduler'];
  readonly log: Pick<Log, 'warn'>;
  /** Called when the bus reconnects. */
  readonly onReconnect: (again: () => void) => Cancel;
  readonly onLimit: OnLimit;
}

export interface Following {
  readonly scope: Scope;
  /** Starts right after it; null: with new events only. */
  readonly after: number | null;
  /** Earlier events are left out. */
  readonly since: number;
  /** null: all types. */
  readonly types: ReadonlySet<string> | null;
  /** An envelope of the log in the version of the reader. */
  readonly inVersion: (envelope: string) => string;
  /** Whether its key still works. Rejects when that cannot be determined. */
  readonly allowed: () => Promise<boolean>;
}

/** All event streams of this node. */
export class EventStreams {
  readonly writer = new CorkedWriter();
  readonly parts: EventStreamsParts;
  private readonly followers = new Map<Scope, Set<Follower>>();
  private readonly wheel: Wheel<Follower>;
  private readonly stopListening: Cancel;

  constructor(parts: EventStreamsParts) {
    this.parts = parts;
    this.wheel = new Wheel({
      scheduler: parts.scheduler,
      turnMs: pingEveryMs satisfies DurationMs,
      slots: pingSlots,
      visit: (follower) => follower.ping(),
    });
    this.stopListening = parts.onReconnect(() => this.lookAll());
  }

  get size(): number {
    return this.wheel.size;
  }

  /** Reserves a slot for one more reader, watched from now on; null when this scope has reached its limit. */
  follow(following: Following): Follower | null {
    const { scope } = following;
    const others = this.followers.get(scope) ?? new Set();
    if (others.size >= streamsPerScopeMax) {
      this.parts.onLimit('per_project');
      return null;
    }
    const follower = new Follower(this, following);
    this.followers.set(scope, others.add(follower));
    return follower;
  }

  /** Committed position of a scope's log: everything before it is written and will not change. */
  async head(scope: Scope): Promise<number> {
    return this.parts.client.eventsUpTo(scope);
  }

  begun(follower: Follower): void {
    this.wheel.add(follower);
  }

  left(follower: Follower, scope: Scope): void {
    this.wheel.remove(follower);
    const others = this.followers.get(scope);
    if (others?.delete(follower) === true && others.size === 0) this.followers.delete(scope);
  }

  /** Ends all streams; their readers reconnect elsewhere and resume where they were. */
  drain(): void {
    this.stopListening();
    for (const others of this.followers.values()) for (const follower of others) follower.finish();
  }

  private lookAll(): void {
    for (const others of this.followers.values()) for (const follower of others) follower.look();
  }
}

interface Lag {
  countedTo: number;
  bytes: number;
}

/** One reader. */
export class Follower implements StreamStart, WheelItem {
  slot = -1;
  place = 0;
  private readonly streams: EventStreams;
  private readonly following: Following;
  private readonly unwatch: Cancel;
  private res: HttpResponse | null = null;
  /** The last position that was written or filtered out. */
  private at = 0;
  /** Position of the log when it was last read. */
  private head = 0;
  private walking = false;
  private again = false;
  private over = false;
  /** While the kernel takes no more bytes: the position up to which new events were counted, and their
   *  bytes. */
  private lag: Lag | null = null;
  private pings = 0;

  constructor(streams: EventStreams, following: Following) {
    this.streams = streams;
    this.following = following;
    this.unwatch = streams.parts.client.watch(following.scope, () => this.look());
  }

  /** Finds the start position. Rejects when the store does not answer. */
  async placed(): Promise<this> {
    const { after, scope } = this.following;
    this.at = after ?? (await this.streams.head(scope));
    return this;
  }

  begin(res: HttpResponse): void {
    const { scope } = this.following;
    this.res = res;
    res.onAborted(() => this.missed());
    res.onWritable(() => this.readsAgain());
    const about = JSON.stringify({ projectId: projectOf(scope), livemode: isLive(scope) });
    this.took(res.write(`event: connected\ndata: ${about}\n\n`));
    this.streams.begun(this);
    setImmediate(() => this.look());
  }

  /** Disconnected, by either side. */
  missed(): void {
    if (this.over) return;
    this.over = true;
    this.res = null;
    this.unwatch();
    this.streams.left(this, this.following.scope);
  }

  /** Ends the stream with a normal end of the HTTP response. */
  finish(): void {
    const { res } = this;
    this.missed();
    if (res !== null) this.streams.writer.write(res, '', true);
  }

  ping(): void {
    if (this.lag === null && this.res !== null)
      this.took(this.streams.writer.write(this.res, pingFrame, false));
    if (++this.pings % pingsPerLook === 0) this.look();
    this.following
      .allowed()
      .then((allowed) => allowed || this.finish())
      .catch(() => undefined);
  }

  /** Reads the journal up to its known position; one pass at a time. Never rejects. */
  look(): void {
    this.again = true;
    if (this.walking || this.res === null) return;
    this.walking = true;
    this.walk()
      .catch((err: unknown) =>
        this.streams.parts.log.warn({ err }, 'an event stream could not read the store: retrying'),
      )
      .finally(() => {
        this.walking = false;
        if (this.again && !this.over) this.look();
      });
  }

  private async walk(): Promise<void> {
    const { scope } = this.following;
    while (this.again && !this.over) {
      this.again = false;
      const head = await this.streams.head(scope);
      this.head = head;
      while (!this.over && this.from < head) {
        const { from } = this;
        const rows = await this.streams.parts.journalAfter(scope, from, pageMax);
        // it has resumed or stopped reading since this read was requested
        if (from !== this.from) continue;
        const known = rows.filter((row) => positionOf(row) <= head);
        const last = known.at(-1);
        const to = Math.max(rows.length < pageMax || last === undefined ? head : positionOf(last), from + 1);
        const wanted = known.filter((row) => this.wants(row));
        if (this.lag === null) this.send(wanted, to);
        else this.count(this.lag, wanted, to);
      }
    }
  }

  /** The position that was written or counted. */
  private get from(): number {
    return this.lag?.countedTo ?? this.at;
  }

  /** Writes them, as far as the kernel takes them; the rest is read again when it takes more. */
  private send(rows: readonly Row[], to: number): void {
    let piece = '';
    for (const row of rows) {
      piece += this.frameOf(row);
      if (piece.length < pieceCharsMax) continue;
      this.at = positionOf(row);
      this.write(piece);
      piece = '';
      if (this.lag !== null) return;
    }
    this.at = to;
    this.write(piece);
  }

  private write(text: string): void {
    if (text !== '' && this.res !== null) this.took(this.streams.writer.write(this.res, text, false));
  }

  private count(lag: Lag, rows: readonly Row[], to: number): void {
    lag.countedTo = to;
    for (const row of rows) lag.bytes += Buffer.byteLength(this.frameOf(row));
    if (lag.bytes > bytesBehindMax) this.cut();
  }

  private frameOf({ body }: Row): string {
    const envelope = this.following.inVersion(body['envelope'] as string);
    return eventFrame(body['eventId'] as string, body['event'] as string, envelope);
  }

  private wants({ created, body }: Row): boolean {
    const { since, types } = this.following;
    return created >= since && (types === null || types.has(body['event'] as string));
  }

  private took(all: boolean): void {
    if (!all) this.lag ??= { countedTo: Math.max(this.at, this.head), bytes: 0 };
  }

  private cut(): void {
    const { res } = this;
    this.missed();
    res?.close();
  }

  /** uWS flushes its buffer only together with a write of ours. */
  private readsAgain(): boolean {
    if (this.res === null) return true;
    if (!this.streams.writer.write(this.res, pingFrame, false)) return false;
    this.lag = null;
    this.look();
    return true;
  }
}
