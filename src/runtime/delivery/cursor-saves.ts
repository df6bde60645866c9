/** Saves how far the pump of a log is in the log's document, where the next owner goes on.
 *  1. The cursors may lag: what lies between them and the pump is done once more.
 *  2. A pump has at most one save that waits, and one that is repeated. */
import { pause, seconds, type Cancel } from '../../kernel/time.ts';
import type { PartitionLease } from '../cluster/partition-lease.ts';
import { clockOf, type Address, type Scope } from '../model/address.ts';
import type { AskUntyped } from '../model/client.ts';
import type { Clocks } from '../time/clocks.ts';
import type { JournalPositions } from './journal-positions.ts';
import type { JournalTailCache } from './journal-tail-cache.ts';

const cursorEveryMs = seconds(1);
const retryDelayMs = 100;

/** The position of one of the two cursors. */
export interface Cursor {
  at: number;
  running: boolean;
}

/** Entries whose actors are being created. */
export interface Page {
  /** The position after them. */
  readonly next: number;
  isDone: boolean;
}

export interface Dispatching extends Cursor {
  /** The position after the last page that was begun. */
  begunTo: number;
  /** In order of their positions. */
  readonly pages: Page[];
  /** The last creations that were begun, by what keeps them in order. */
  readonly last: Map<string, Promise<void>>;
}

export interface Pump {
  /** The actor that assigns positions to the events. */
  readonly log: Address;
  readonly scope: Scope;
  readonly lease: PartitionLease;
  /** Up to which position everything is written. */
  pos: number;
  /** The position in the log's document. */
  logged: number;
  /** The newest entries of the journal, as they were committed here. */
  readonly tail: JournalTailCache;
  readonly dispatched: Dispatching;
  readonly published: Cursor;
  /** How often the log was rewound to publish everything again. */
  round: number;
  /** The cursors as the log's document has them. */
  saved: { readonly dispatched: number; readonly published: number };
  /** The save that is queued. */
  save: Cancel | null;
  /** A save is repeated until the log has answered. */
  isSaving: boolean;
}

/** What saving needs from the node. */
export interface SavesHost {
  readonly clocks: Pick<Clocks, 'walking'>;
  /** Whether other nodes may wait until the store shows what was dispatched. */
  readonly sharesClocks: boolean;
  readonly ask: AskUntyped;
  readonly positions: Pick<JournalPositions, 'keepsSome' | 'givesUp'>;
}

export class CursorSaves {
  private readonly host: SavesHost;
  /** Whether events are published to a bus, too. */
  private readonly publishes: boolean;

  constructor(host: SavesHost, publishes: boolean) {
    this.host = host;
    this.publishes = publishes;
  }

  /** Saves it within a second; while a clock that nodes share is walked, at once. */
  soon(pump: Pump): void {
    if (pump.lease.over) return;
    const { clocks, sharesClocks } = this.host;
    const delay = sharesClocks && clocks.walking(clockOf(pump.scope)) ? 0 : cursorEveryMs;
    pump.save ??= pump.lease.scheduler.after(delay, () => void this.now(pump));
  }

  /** Saves where the pump is, again and again until the log has answered. */
  async now(pump: Pump): Promise<void> {
    pump.save?.();
    pump.save = null;
    if (pump.isSaving) return;
    const keeps = this.keepsPositions(pump);
    pump.isSaving = true;
    while (!pump.lease.over && isAhead(pump)) {
      const data = { dispatched: pump.dispatched.at, published: pump.published.at, round: pump.round };
      const asking = { by: 'system', scope: pump.scope, idempotent: true } as const;
      const result = await this.host.ask(pump.log, 'handledTo', data, asking);
      if (result.is === 'ok') break;
      await pause(pump.lease.scheduler, retryDelayMs);
    }
    pump.isSaving = false;
    if (keeps || isAhead(pump)) this.soon(pump);
  }

  /** Whether positions of the log are kept here for later. When nothing has happened for a while they are given up and
   *  passed, so that the log has nothing left to do. */
  private keepsPositions(pump: Pump): boolean {
    const { host, publishes } = this;
    const { dispatched, published, pos, logged } = pump;
    if (!host.positions.keepsSome(pump.scope)) return false;
    const isBehind = isDispatching(dispatched) || dispatched.at < pos;
    const isUnpublished = publishes && published.at < pos;
    if (isBehind || isUnpublished || !host.positions.givesUp(pump.scope)) return true;
    pump.pos = Math.max(pos, logged);
    pump.tail.add([], pump.pos);
    [dispatched.at, dispatched.begunTo, published.at] = [pump.pos, pump.pos, pump.pos];
    return false;
  }
}

export const isDispatching = ({ running, pages }: Dispatching): boolean => running || pages.length > 0;

/** Whether the log does not know yet how far its pump is. */
const isAhead = ({ saved, dispatched, published }: Pump): boolean =>
  saved.dispatched < dispatched.at || saved.published < published.at;
