/** Walks each log's journal in order and creates what its events cause (engine 7).
 *  1. Reads only up to what the log has committed with its rows, so it never passes a hole that fills later.
 *  2. What one object's events cause is created one after the other; different objects together.
 *  3. The cursor may lag: everything here may be done twice. */
import { seconds, type Cancel } from '../kernel/time.ts';
import type { Doc, Row } from '../store/store.ts';
import type { Json } from './actor.ts';
import { addressText, clockOf, type Address, type Scope } from './address.ts';
import type { Node } from './node.ts';
import { throwsMax } from './turn.ts';

/** Journal entries one step reads. */
export const pumpPageMax = 64;
const cursorEveryMs = seconds(1);
const retryDelayMs = 100;

export interface Caused {
  readonly to: Address;
  readonly command: string;
  readonly data: { readonly [key: string]: Json };
}

/** What entries of one scope's journal cause, in their order; reads who listens from the store each time. */
export type Dispatch = (scope: Scope, entries: readonly Row[]) => Promise<readonly (readonly Caused[])[]>;

interface Pump {
  readonly scope: Scope;
  /** Highest pos the log has committed. */
  pos: number;
  /** Everything up to here is dispatched. */
  cursor: number;
  /** The cursor as the log's document has it. */
  saved: number;
  running: boolean;
  /** The save that waits its turn. */
  save: Cancel | null;
}

export class JournalPumps {
  private readonly node: Node;
  private readonly dispatch: Dispatch;
  private readonly pumps = new Map<string, Pump>();

  constructor(node: Node, dispatch: Dispatch) {
    this.node = node;
    this.dispatch = dispatch;
  }

  /** Called with each committed document of a log. */
  heed(doc: Doc): void {
    const { pos, dispatched } = doc.body as unknown as { readonly pos: number; readonly dispatched: number };
    const pump = this.pumps.get(doc.id) ?? {
      scope: doc.scope,
      pos,
      cursor: dispatched,
      saved: dispatched,
      running: false,
      save: null,
    };
    this.pumps.set(doc.id, pump);
    pump.pos = Math.max(pump.pos, pos);
    pump.saved = Math.max(pump.saved, dispatched);
    if (!pump.running && pump.cursor < pump.pos) void this.run(pump);
  }

  idle(clock: string): boolean {
    return [...this.pumps.values()].every(
      (pump) => clockOf(pump.scope) !== clock || (!pump.running && pump.cursor >= pump.pos),
    );
  }

  private async run(pump: Pump): Promise<void> {
    pump.running = true;
    while (pump.cursor < pump.pos) {
      try {
        await this.step(pump);
      } catch (thrown) {
        this.node.log.warn({ scope: pump.scope, err: thrown }, 'dispatch waits for the store');
        await this.node.pause(retryDelayMs);
      }
    }
    pump.running = false;
    const delay = this.node.clocks.walking(clockOf(pump.scope)) ? 0 : cursorEveryMs;
    pump.save ??= this.node.scheduler.after(delay, () => void this.save(pump));
  }

  /** Saves the cursors of this clock's logs at once. */
  saveNow(clock: string): void {
    for (const pump of this.pumps.values()) {
      if (pump.save !== null && !pump.running && clockOf(pump.scope) === clock) void this.save(pump);
    }
  }

  private async step(pump: Pump): Promise<void> {
    const end = pump.pos;
    const rows = await this.node.store.journalAfter(pump.scope, pump.cursor, pumpPageMax);
    const entries = rows.filter((row) => posOf(row) <= end);
    const caused = await this.dispatch(pump.scope, entries);
    const byObject = new Map<string, Caused[]>();
    for (const [at, entry] of entries.entries()) {
      const object = entry.body['objectId'] as string;
      byObject.set(object, [...(byObject.get(object) ?? []), ...(caused[at] ?? [])]);
    }
    await Promise.all([...byObject.values()].map((list) => this.create(pump.scope, list)));
    const last = entries.at(-1);
    pump.cursor = last === undefined || rows.length < pumpPageMax ? end : posOf(last);
  }

  private async create(scope: Scope, list: readonly Caused[]): Promise<void> {
    for (const { to, command, data } of list) {
      for (let internals = 0; internals < throwsMax;) {
        const result = await this.node.ask(to, command, data, { by: 'system', scope });
        if (result.is === 'ok' || result.is === 'refused') break;
        if (result.is === 'internal') internals++;
        // one that cannot be created must not hold up the events of a whole project
        if (internals === throwsMax) await this.node.park(to, scope, addressText(to), { command, data });
        else await this.node.pause(retryDelayMs);
      }
    }
  }

  private async save(pump: Pump): Promise<void> {
    pump.save?.();
    pump.save = null;
    for (const pos = pump.cursor; pump.saved < pos;) {
      const log = { kind: 'event_log', id: pump.scope };
      const result = await this.node.ask(log, 'dispatchedTo', { pos }, { by: 'system', scope: pump.scope });
      if (result.is === 'ok') return;
      await this.node.pause(retryDelayMs);
    }
  }
}

const posOf = (row: Row): number => Number(row.body['pos']);
