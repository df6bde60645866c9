/** Reads each log's journal in order, creates the actors its events cause, and publishes the events for
 *  other systems.
 *  1. Reads only up to the position below which everything is written, so it never passes a gap that is
 *     filled later. Entries just committed here come from memory, earlier ones from the store.
 *  2. What events cause is created sequentially where it has to stay in order, also from page to page; everything else
 *     in parallel, and a few pages at a time.
 *  3. The cursors may lag: all work here may be done twice. When the bus is down, only publishing waits. */
import { pause, seconds, type Scheduler } from '../../kernel/time.ts';
import type { PublishedEvent } from '../../bus/bus.ts';
import type { Doc, Row } from '../../store/store.ts';
import type { Json, LogCursors } from '../model/actor.ts';
import { addressText, clockOf, type Address, type Scope } from '../model/address.ts';
import { JournalTailCache, JournalTailBudget } from './journal-tail-cache.ts';
import { CursorSaves, isDispatching, type Page, type Pump, type SavesHost } from './cursor-saves.ts';
import type { JournalPositions } from './journal-positions.ts';
import type { EventLogLag } from '../model/meters.ts';
import type { Park } from '../model/dead-letter.ts';
import type { RuntimeLog } from '../model/runtime-log.ts';
import type { WorkWatch } from '../time/work-watch.ts';
import type { PartitionLease } from '../cluster/partition-lease.ts';
import { throwsMax } from '../turn/turn.ts';

/** Journal entries read per step. */
const pumpPageMax = 64;
/** Pages of a log whose actors are being created. */
export const pumpPagesMax = 4;
const retryDelayMs = 100;
const publishAgainMsMax = seconds(5);
const notDispatched = 'events could not be dispatched to webhook endpoints: retrying';

/** The tag by which a node finds the logs with unpublished events. */
export const unpublishedTag = 'unpublished';

export interface Caused {
  /** What has the same text here is created one after the other. */
  readonly inOrder: string;
  readonly to: Address;
  readonly command: string;
  readonly data: { readonly [key: string]: Json };
}

/** What the entries of one scope's journal cause, in order, for the endpoints that are subscribed now. */
export type Dispatch = (scope: Scope, entries: readonly Row[]) => Promise<readonly (readonly Caused[])[]>;

/** Publishes events to other systems; rejects when they were not accepted. null: there is no bus to publish
 *  to. */
export type Publish = ((events: readonly PublishedEvent[]) => Promise<void>) | null;

/** What the pumps need from the node. */
export interface PumpHost extends SavesHost {
  readonly scheduler: Scheduler;
  readonly log: RuntimeLog;
  readonly park: Park;
  readonly work: Pick<WorkWatch, 'ended'>;
  readonly positions: SavesHost['positions'] &
    Pick<JournalPositions, 'writtenUpTo' | 'logged' | 'areUnderWay' | 'begins'>;
}

export class JournalPumps {
  private readonly host: PumpHost;
  private readonly dispatch: Dispatch;
  private readonly publish: Publish;
  private readonly pumps = new Map<string, Pump>();
  private readonly room = new JournalTailBudget();
  private readonly saves: CursorSaves;

  constructor(host: PumpHost, dispatch: Dispatch, publish: Publish) {
    this.host = host;
    this.dispatch = dispatch;
    this.publish = publish;
    this.saves = new CursorSaves(host, publish !== null);
  }

  /** Called with each committed document of a log, and with the entries that commit has added. */
  observe(doc: Doc, cursors: LogCursors, lease: PartitionLease, rows: readonly Row[]): void {
    const { pos, dispatched, published, round } = cursors;
    const { positions } = this.host;
    const known = this.pumps.get(doc.id);
    positions.logged(doc.scope, pos);
    const written = positions.writtenUpTo(doc.scope, pos, known?.pos ?? dispatched);
    const pump: Pump =
      known?.lease === lease
        ? known
        : {
            log: { kind: doc.kind, id: doc.id },
            scope: doc.scope,
            lease,
            pos: written,
            logged: pos,
            tail: new JournalTailCache(written, this.room),
            dispatched: { at: dispatched, running: false, begunTo: dispatched, pages: [], last: new Map() },
            published: { at: published, running: false },
            round,
            saved: { dispatched, published },
            save: null,
            isSaving: false,
          };
    if (known !== undefined && known !== pump) known.tail.drop();
    this.pumps.set(doc.id, pump);
    pump.logged = Math.max(pump.logged, pos);
    pump.pos = Math.max(pump.pos, written);
    pump.tail.add(rows, pump.pos);
    // the log was rewound
    if (round !== pump.round) {
      pump.round = round;
      pump.published.at = published;
      pump.saved = { ...pump.saved, published };
    }
    pump.saved = {
      dispatched: Math.max(pump.saved.dispatched, dispatched),
      published: Math.max(pump.saved.published, published),
    };
    this.goOn(pump);
  }

  /** Called in the order of positions when entries were written beside their log (journal-positions.ts). */
  written(scope: Scope, upTo: number, entries: readonly Row[] | null): void {
    const pump = this.pumps.get(scope);
    if (pump === undefined) return;
    if (upTo > pump.pos) {
      pump.pos = upTo;
      pump.tail.add(entries ?? [], upTo);
    }
    // what the log has appended behind it
    const written = this.host.positions.writtenUpTo(scope, pump.logged, pump.pos);
    if (written > pump.pos) {
      pump.pos = written;
      pump.tail.add([], written);
    }
    this.saves.soon(pump);
    this.goOn(pump);
    this.host.work.ended(clockOf(scope));
  }

  /** Up to which position a reader of this log may go; undefined: as its document says. */
  writtenUpTo(scope: Scope): number | undefined {
    return this.pumps.get(scope)?.pos ?? (this.host.positions.begins(scope) ? 0 : undefined);
  }

  private goOn(pump: Pump): void {
    void this.runDispatch(pump);
    if (this.publish === null) pump.published.at = Math.max(pump.published.at, pump.dispatched.at);
    else if (!pump.published.running && pump.published.at < pump.pos) void this.runPublish(pump);
  }

  /** Work done under one lease continues under the next one. */
  forget(lease: PartitionLease): void {
    for (const [id, pump] of this.pumps) {
      if (pump.lease !== lease) continue;
      pump.tail.drop();
      this.pumps.delete(id);
    }
  }

  idle(clock: string): boolean {
    return [...this.pumps.values()].every(
      ({ scope, dispatched, pos }) =>
        clockOf(scope) !== clock ||
        (!isDispatching(dispatched) && dispatched.at >= pos && !this.host.positions.areUnderWay(scope)),
    );
  }

  /** Events of all logs here that are not yet dispatched or published. */
  get lag(): EventLogLag {
    let [toDispatch, toPublish] = [0, 0];
    for (const { pos, dispatched, published } of this.pumps.values()) {
      toDispatch += Math.max(0, pos - dispatched.at);
      toPublish += this.publish === null ? 0 : Math.max(0, pos - published.at);
    }
    return { toDispatch, toPublish };
  }

  /** Saves the cursors of this clock's logs at once. */
  saveNow(clock: string): void {
    for (const pump of this.pumps.values()) {
      if (pump.save !== null && !isDispatching(pump.dispatched) && clockOf(pump.scope) === clock)
        void this.saves.now(pump);
    }
  }

  /** Begins pages while there are entries, and room for pages. */
  private async runDispatch(pump: Pump): Promise<void> {
    const { dispatched, lease } = pump;
    if (dispatched.running || dispatched.begunTo >= pump.pos) return;
    dispatched.running = true;
    while (!lease.over && dispatched.begunTo < pump.pos && dispatched.pages.length < pumpPagesMax) {
      try {
        await this.beginPage(pump);
      } catch (thrown) {
        this.host.log.warn({ scope: pump.scope, err: thrown }, notDispatched);
        await this.pause(pump, retryDelayMs);
      }
    }
    dispatched.running = false;
    this.dispatchEnded(pump);
  }

  private async beginPage(pump: Pump): Promise<void> {
    const { dispatched } = pump;
    const { entries, next } = await this.page(pump, dispatched.begunTo);
    const caused = await this.dispatch(pump.scope, entries);
    const lists = new Map<string, Caused[]>();
    for (const one of caused.flat()) {
      const list = lists.get(one.inOrder);
      if (list === undefined) lists.set(one.inOrder, [one]);
      else list.push(one);
    }
    dispatched.begunTo = next;
    const page: Page = { next, isDone: false };
    dispatched.pages.push(page);
    void Promise.all([...lists].map(([inOrder, list]) => this.createAfter(pump, inOrder, list))).then(() =>
      this.pageDone(pump, page),
    );
  }

  /** Creates them after those of earlier pages that have to come before. */
  private async createAfter(pump: Pump, inOrder: string, list: readonly Caused[]): Promise<void> {
    const { last } = pump.dispatched;
    const created = this.createSurely(pump, list, last.get(inOrder));
    last.set(inOrder, created);
    await created;
    if (last.get(inOrder) === created) last.delete(inOrder);
  }

  private async createSurely(pump: Pump, list: readonly Caused[], before?: Promise<void>): Promise<void> {
    await before;
    while (!pump.lease.over) {
      try {
        await this.create(pump, list);
        return;
      } catch (thrown) {
        this.host.log.warn({ scope: pump.scope, err: thrown }, notDispatched);
        await this.pause(pump, retryDelayMs);
      }
    }
  }

  /** The cursor passes a page when those before it are done. */
  private pageDone(pump: Pump, page: Page): void {
    const { dispatched } = pump;
    page.isDone = true;
    for (let [first] = dispatched.pages; first?.isDone === true; [first] = dispatched.pages) {
      dispatched.at = first.next;
      dispatched.pages.shift();
    }
    if (this.publish === null) pump.published.at = dispatched.at;
    this.trimTail(pump);
    // under load there may never be a moment without pages
    this.saves.soon(pump);
    this.dispatchEnded(pump);
    void this.runDispatch(pump);
  }

  private dispatchEnded(pump: Pump): void {
    if (isDispatching(pump.dispatched)) return;
    this.saves.soon(pump);
    this.host.work.ended(clockOf(pump.scope));
  }

  private async runPublish(pump: Pump): Promise<void> {
    const { publish } = this;
    pump.published.running = true;
    for (let delay = retryDelayMs; publish !== null && !pump.lease.over && pump.published.at < pump.pos;) {
      try {
        const { round } = pump;
        const { entries, next } = await this.page(pump, pump.published.at);
        await publish(entries.map((row) => eventOf(pump.scope, row)));
        // the log was rewound meanwhile: the stream this was published to no longer exists
        if (pump.round === round) pump.published.at = next;
        this.trimTail(pump);
        delay = retryDelayMs;
      } catch (thrown) {
        this.host.log.warn({ scope: pump.scope, err: thrown }, 'events could not be published: retrying');
        await this.pause(pump, delay);
        delay = Math.min(delay * 2, publishAgainMsMax);
      }
    }
    pump.published.running = false;
    this.saves.soon(pump);
  }

  /** Drops the entries that both cursors have passed. */
  private trimTail({ tail, dispatched, published }: Pump): void {
    tail.forget(this.publish === null ? dispatched.at : Math.min(dispatched.at, published.at));
  }

  /** The entries after a position, and the position after them. */
  private async page(pump: Pump, after: number): Promise<{ entries: readonly Row[]; next: number }> {
    const end = pump.pos;
    const { store } = pump.lease;
    const rows =
      pump.tail.after(after, pumpPageMax) ?? (await store.journalAfter(pump.scope, after, pumpPageMax));
    const entries = rows.filter((row) => posOf(row) <= end);
    const last = entries.at(-1);
    return { entries, next: last === undefined || rows.length < pumpPageMax ? end : posOf(last) };
  }

  private async create({ scope, lease }: Pump, list: readonly Caused[]): Promise<void> {
    for (const { to, command, data } of list) {
      for (let internals = 0; internals < throwsMax && !lease.over;) {
        // the id identifies it: if it already exists, it is not created again
        const result = await this.host.ask(to, command, data, { by: 'system', scope, idempotent: true });
        if (result.is === 'ok' || result.is === 'refused') break;
        if (result.is === 'internal') internals++;
        // one failed creation must not hold up the events of a whole project
        if (internals === throwsMax) await this.host.park(to, scope, addressText(to), { command, data });
        else await pause(this.host.scheduler, retryDelayMs);
      }
    }
  }

  private pause({ lease }: Pump, ms: number): Promise<void> {
    return pause(lease.scheduler, ms);
  }
}

const posOf = (row: Row): number => Number(row.body['pos']);

const eventOf = (scope: Scope, { id, body }: Row): PublishedEvent => ({
  key: id,
  pos: Number(body['pos']),
  scope,
  event: body['event'] as string,
  envelope: body['envelope'] as string,
});
