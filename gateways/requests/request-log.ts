/** The log of requests: every request of an API key, whatever its answer. Nothing is sampled.
 *  Boundary: collects in memory (entries.ts) and writes blocks (blocks.ts); search.ts finds them again.
 *  1. Nothing waits for the log. Once a second what has gathered is written, or as soon as a piece of memory is
 *     full, many entries as one row. A process that dies loses at most what it has not yet written: about the
 *     last second, or more if the store has not answered.
 *  2. Bounded: with `entriesMax` entries not yet written it is full. Then keys are answered 503 before
 *     anything is done for them, so that no request is executed without an entry.
 *  3. An entry holds no query, no header, no body and no address: nothing of a buyer, and no secret. What looks
 *     like a key in a path is cut out. */
import {
  pause,
  seconds,
  type Cancel,
  type DurationMs,
  type Instant,
  type Scheduler,
} from '../../src/kernel/time.ts';
import type { Row, Store } from '../../src/store/store.ts';
import type { Log } from '../../src/telemetry/log.ts';
import type { Door, KeyUsed } from '../server/door.ts';
import { BlockMaker, type Block } from './blocks.ts';
import { Entries, type Noted } from './entries.ts';

export const flushEveryMs: DurationMs = seconds(1);
/** Of a thousand projects that are active at once, each has a block: one write for each would fall behind. All of a
 *  piece of memory have mostly up to some 400 KiB, 2 MiB where every path is as long as one may be. */
export const blocksPerWriteMax = 100;
/** Entries in memory that are not yet written: some 11 MiB, and 70 where every path is as long as one may be. */
export const entriesMax = 100_000;
const sparePiecesMax = 4;
const againMs: DurationMs = 200;
/** How long `close` waits for the store. */
const closeMsMax: DurationMs = seconds(2);
const complaintEveryMs: DurationMs = seconds(60);

export interface RequestLogParts {
  readonly store: Pick<Store, 'putRows'>;
  readonly scheduler: Scheduler;
  readonly log: Pick<Log, 'warn' | 'error'>;
  /** What the ids of the requests are made with. */
  readonly idKey: string;
}

export class RequestLog {
  private readonly parts: RequestLogParts;
  private readonly blocks: BlockMaker;
  /** Takes the next entries; null: none are waiting. */
  private open: Entries | null = null;
  private readonly fullOnes: Entries[] = [];
  /** Written pieces, for reuse: memory of this size is expensive to make and to collect. */
  private readonly spare: Entries[] = [];
  /** Entries that are not yet written. */
  private waiting = 0;
  private timer: Cancel | null = null;
  private writing: Promise<void> | null = null;
  private closed = false;
  private complainedAt = -Infinity;
  private lastCreated: Instant = -Infinity;

  constructor(parts: RequestLogParts) {
    this.parts = parts;
    this.blocks = new BlockMaker(parts.idKey);
  }

  get full(): boolean {
    return this.waiting >= entriesMax;
  }

  /** Call once for each answer; `door` is undefined where none has matched. */
  note(
    door: Door | undefined,
    request: Noted & { readonly keyUsed?: KeyUsed | undefined },
    status: number,
    tookMs: DurationMs,
  ): void {
    const { keyUsed } = request;
    if (keyUsed === undefined) return;
    if (this.full) return this.complain();
    const now = this.parts.scheduler.now();
    const open = (this.open ??= (this.spare.pop() ?? new Entries()).begin(now));
    open.add(keyUsed, door, request, { now, status, tookMs });
    this.waiting++;
    if (open.isFull) this.turnOver(open);
    else if (this.timer === null && this.writing === null) this.later();
  }

  /** Writes what is left; for a stop, after the port has closed. */
  async close(): Promise<void> {
    this.closed = true;
    this.timer?.();
    await this.writing;
    await this.flush();
  }

  private turnOver(full: Entries): void {
    this.fullOnes.push(full);
    this.open = null;
    if (this.writing === null) this.write();
  }

  private later(): void {
    this.timer = this.parts.scheduler.after(flushEveryMs, () => {
      this.timer = null;
      if (this.writing === null) this.write();
    });
  }

  private write(): void {
    this.writing = this.flush().then(() => {
      this.writing = null;
      if (this.closed) return;
      if (this.fullOnes.length > 0) this.write();
      else if (this.open !== null && this.timer === null) this.later();
    });
  }

  /** Writes what waits at its begin. Never rejects. */
  private async flush(): Promise<void> {
    const taken = this.fullOnes.splice(0);
    if (this.open !== null) taken.push(this.open);
    this.open = null;
    const until = this.parts.scheduler.steady() + closeMsMax;
    for (const entries of taken) {
      const blocks = this.blocks.blocksOf(entries, () => this.createdAt());
      for (let from = 0; from < blocks.length;) {
        const together = blocks.slice(from, from + blocksPerWriteMax);
        const rows = together.map(({ row }) => row);
        while (!(await this.stored(rows))) {
          if (this.closed && this.parts.scheduler.steady() > until) break;
          await pause(this.parts.scheduler, againMs);
        }
        this.waiting -= entriesIn(together);
        from += together.length;
      }
      if (this.spare.length < sparePiecesMax) this.spare.push(entries);
    }
  }

  /** No two in one millisecond: a search goes on after the instant of a block. */
  private createdAt(): Instant {
    return (this.lastCreated = Math.max(this.parts.scheduler.now(), this.lastCreated + 1));
  }

  /** Whether there is nothing more to do for them. The rows are insert-only: they may be sent again. */
  private async stored(rows: readonly Row[]): Promise<boolean> {
    try {
      return (await this.parts.store.putRows(rows)) === 'applied';
    } catch (err) {
      this.parts.log.warn({ err }, 'the log of requests could not be written: retrying');
      return false;
    }
  }

  private complain(): void {
    const now = this.parts.scheduler.steady();
    if (now - this.complainedAt < complaintEveryMs) return;
    this.complainedAt = now;
    this.parts.log.error(
      { entries: entriesMax },
      'the log of requests is full, because the store does not take it: requests of keys are answered 503',
    );
  }
}

const entriesIn = (blocks: readonly Block[]): number => blocks.reduce((sum, { length }) => sum + length, 0);
