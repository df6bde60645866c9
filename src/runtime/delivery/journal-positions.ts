/** Positions of journals that this node hands out by itself, so that an event is stored with the commit that caused it.
 *  Boundary: only where there is no other node, and rows are part of a commit; elsewhere, and while a log does not
 *  answer, its log appends an event (out-messages.ts).
 *  1. A log reserves a block before any position of it is used. After a kill the log goes on behind the block: what
 *     was not used stays a gap, and no position is given twice.
 *  2. Entries are sent to the store in the order of their positions; one in doubt is sent again later. An entry counts
 *     as written when its commit has ended, and those of all lower positions have: readers go no further, so none
 *     passes a gap that is filled later.
 *  3. What the log appends itself is behind the block: once it is sent, no position of the block is given away. */
import { Backoff } from '../../kernel/backoff.ts';
import { pause, seconds, type DurationMs, type Instant, type Scheduler } from '../../kernel/time.ts';
import type { Doc, OutRow, Row } from '../../store/store.ts';
import type { Address, Scope } from '../model/address.ts';
import type { BrokenBuild } from '../model/broken-builds.ts';
import type { AskUntyped } from '../model/client.ts';
import { retryDelayMsMax, retryDelayMsMin } from './out-rows.ts';

/** Positions reserved together: one commit of the log for so many events. */
export const blockPositions = 1024;
/** With fewer positions left, the next block is reserved. */
const positionsLow = 128;
/** How long a commit waits for a block, before its events are left to the outbox. */
const blockWaitMsMax: DurationMs = seconds(1);
/** After that no commit waits for so long. */
const blockAgainMs: DurationMs = seconds(10);

/** The events of one write, with their positions. */
export interface Placed {
  /** The rows of the write: these entries, and all others as they were. */
  readonly rows: readonly Row[];
  readonly entries: readonly Row[];
  /** The write has ended: with the entries, or null when they are not stored. */
  ended(entries: readonly Row[] | null): void;
}

/** Told of a scope's entries in the order of their positions: everything up to `upTo` is written, these last. null:
 *  some are not stored. */
export type OnWritten = (scope: Scope, upTo: number, entries: readonly Row[] | null) => void;

interface Range {
  readonly from: number;
  readonly to: number;
  isEnded: boolean;
  entries: readonly Row[] | null;
}

/** What is known of the positions of one log. */
interface Block {
  /** The next position; null: no block has been reserved yet. */
  next: number | null;
  end: number;
  /** The last position that the log is known to have given away. */
  logged: number;
  /** Ends when a block is reserved. */
  reserving: Promise<void> | null;
  /** The log was asked for a block, so what its document says is not known to be written. */
  isAsked: boolean;
  /** Until when nobody waits for a block, in steady time. */
  waitsNotUntil: Instant;
  /** Those handed out, until the writes of all lower ones have ended. */
  readonly ranges: Range[];
  /** Whether there was anything to do since this was asked last. */
  isUsed: boolean;
}

export interface PositionsHost {
  readonly scheduler: Scheduler;
  readonly eventLogKind: string | null;
  readonly ask: AskUntyped;
  /** Loads the log, if there is one. */
  load(log: Address): Promise<void>;
  readonly faults: BrokenBuild;
}

export class JournalPositions {
  private readonly host: PositionsHost;
  private readonly onWritten: OnWritten;
  private readonly blocks = new Map<Scope, Block>();

  constructor(host: PositionsHost, onWritten: OnWritten) {
    this.host = host;
    this.onWritten = onWritten;
  }

  /** Whether there is room for so many events; waits for a block. False: their log does not answer. */
  async hasRoom(scope: Scope, count: number): Promise<boolean> {
    const block = this.of(scope);
    const { scheduler } = this.host;
    if (count > blockPositions) return false;
    while (leftIn(block) < count) {
      if (scheduler.steady() < block.waitsNotUntil) return false;
      const isReserved = this.reserved(scope, block).then(() => true);
      if (await Promise.race([isReserved, pause(scheduler, blockWaitMsMax).then(() => false)])) continue;
      block.waitsNotUntil = scheduler.steady() + blockAgainMs;
    }
    if (leftIn(block) < positionsLow + count) void this.reserved(scope, block);
    return true;
  }

  /** Gives the entries among these rows their positions; null: there is no room. The write is sent before any other. */
  placed(scope: Scope, rows: readonly Row[]): Placed | null {
    const block = this.of(scope);
    if (block.next === null || leftIn(block) < rows.filter(isEntry).length) return null;
    let { next } = block;
    const owner = { kind: this.host.eventLogKind ?? '', id: scope };
    const placed = rows.map((row) =>
      isEntry(row) ? { ...row, owner, body: { ...row.body, pos: next++ } } : row,
    );
    const range: Range = { from: block.next, to: next - 1, isEnded: false, entries: null };
    block.next = next;
    block.isUsed = true;
    block.ranges.push(range);
    return {
      rows: placed,
      entries: placed.filter(isEntry),
      ended: (entries) => {
        if (range.isEnded) return;
        Object.assign(range, { isEnded: true, entries });
        if (this.host.faults.readsPastGaps === true) this.onWritten(scope, range.to, entries);
        this.goOn(scope, block);
      },
    };
  }

  /** The position up to which everything is written. `logged`: the position in the log's document; `known`: up to which
   *  it was before. */
  writtenUpTo(scope: Scope, logged: number, known: number): number {
    const block = this.blocks.get(scope);
    if (block === undefined) return logged;
    const [lowest] = block.ranges;
    if (lowest !== undefined) return lowest.from - 1;
    if (leftIn(block) > 0) return (block.next ?? 0) - 1;
    return block.isAsked ? known : logged;
  }

  /** A document of the log with this position is sent to the store, or was found there. */
  logged(scope: Scope, position: number): void {
    const block = this.blocks.get(scope);
    if (block === undefined) return;
    block.logged = Math.max(block.logged, position);
    if (block.next !== null && block.logged > block.end) block.next = block.end + 1;
  }

  /** Whether writes with positions of this log are under way. */
  areUnderWay(scope: Scope): boolean {
    return (this.blocks.get(scope)?.ranges.length ?? 0) > 0;
  }

  /** Whether the log's first block was asked for: its document may be there already, and nothing of the block is. */
  begins(scope: Scope): boolean {
    const block = this.blocks.get(scope);
    return block?.isAsked === true && block.next === null;
  }

  /** Whether positions of this log are kept here. */
  keepsSome(scope: Scope): boolean {
    const block = this.blocks.get(scope);
    return block !== undefined && (leftIn(block) > 0 || block.ranges.length > 0);
  }

  /** Gives up a block that nobody has used since this was asked last, so that its log comes to rest. */
  givesUp(scope: Scope): boolean {
    const block = this.blocks.get(scope);
    if (block === undefined) return true;
    const isIdle = !block.isUsed && block.ranges.length === 0 && block.reserving === null;
    block.isUsed = false;
    if (isIdle) this.blocks.delete(scope);
    return isIdle;
  }

  private goOn(scope: Scope, { ranges }: Block): void {
    for (let [first] = ranges; first?.isEnded === true; [first] = ranges) {
      ranges.shift();
      this.onWritten(scope, first.to, first.entries);
    }
  }

  /** Resolves when a block has been reserved. */
  private reserved(scope: Scope, block: Block): Promise<void> {
    block.reserving ??= this.reserve(scope, block).finally(() => {
      block.reserving = null;
    });
    return block.reserving;
  }

  private async reserve(scope: Scope, block: Block): Promise<void> {
    const { eventLogKind: kind, scheduler, ask } = this.host;
    if (kind === null) throw new Error('there is no event log');
    const backoff = new Backoff(scheduler, retryDelayMsMin, retryDelayMsMax);
    await this.host.load({ kind, id: scope });
    for (;;) {
      block.isAsked = true;
      const asking = { by: 'system', scope, idempotent: true } as const;
      const result = await ask({ kind, id: scope }, 'reserve', { count: blockPositions }, asking);
      const end = result.is === 'ok' ? result.detail['end'] : undefined;
      if (typeof end !== 'number') await backoff.wait();
      // the same turn may have appended events behind it
      else if (end >= block.logged) {
        [block.next, block.end, block.isAsked] = [end - blockPositions + 1, end, false];
        block.isUsed = true;
        return this.onWritten(scope, block.ranges[0] === undefined ? block.next - 1 : 0, []);
      }
    }
  }

  private of(scope: Scope): Block {
    let block = this.blocks.get(scope);
    if (block === undefined) {
      block = {
        next: null,
        end: 0,
        logged: 0,
        reserving: null,
        isAsked: false,
        waitsNotUntil: -Infinity,
        ranges: [],
        isUsed: false,
      };
      this.blocks.set(scope, block);
    }
    return block;
  }
}

const isEntry = ({ kind }: Row): boolean => kind === 'journal';

const leftIn = ({ next, end }: Block): number => (next === null ? 0 : end - next + 1);

/** The events among these rows that have no positions yet. */
export const unplaced = (rows: readonly Row[]): readonly Row[] =>
  rows.filter((row) => isEntry(row) && row.body['pos'] === 0);

/** The document with these events in its `out`, for its outbox to send. */
export function leftToOutbox(doc: Doc, entries: readonly Row[]): Doc {
  let { oq } = doc;
  const events = entries.map(({ id, body }): OutRow => {
    const { eventId, event, objectId, envelope, at } = body as unknown as Entry;
    const eseq = Number(id.slice(id.lastIndexOf(':') + 1));
    return { q: ++oq, type: 'event', eseq, eventId, event, objectId, envelope, at };
  });
  return { ...doc, out: [...doc.out, ...events], oq, busy: true };
}

type Entry = Pick<Extract<OutRow, { type: 'event' }>, 'eventId' | 'event' | 'objectId' | 'envelope' | 'at'>;
