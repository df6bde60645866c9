/** One actor in memory: its mailbox, its committed document, one turn at a time (engine 4, 5).
 *  1. Nothing leaves - reply, query, notice, event, tell, effect - before the commit and every view row of it are
 *     acknowledged.
 *  2. Queries see committed state only.
 *  3. A commit that met a newer document is judged by reading it back, never by guessing. */
import { seconds, type Instant } from '../kernel/time.ts';
import type { Doc, Row } from '../store/store.ts';
import type { AnyActor } from './actor.ts';
import { addressText } from './address.ts';
import type { AskResult, Envelope } from './envelope.ts';
import { withoutOutbox } from './broken-builds.ts';
import { Clearing } from './clearing.ts';
import { Outbox } from './outbox.ts';
import type { Node } from './node.ts';
import { upcasted } from './upcast.ts';
import { outRowsMax, runTurn, turnCommandsMax, type TurnResult } from './turn.ts';

/** Commands of doors one mailbox holds. */
export const mailboxMax = 128;
/** Commands of other actors; their outboxes wait and come again. */
export const mailboxOfSystemMax = 4096;
/** A turn that met a newer document is tried again this often before its commands are given back. */
const rerunsMax = 3;
const clearTellsDelayMs = seconds(1);
const clearEventsDelayMs = seconds(5);
const reloadDelayMsMax = seconds(1);

interface Pending {
  readonly envelope: Envelope;
  readonly resolve: (result: AskResult) => void;
}

export class Activation {
  readonly actor: AnyActor;
  readonly id: string;
  readonly outbox: Outbox;
  lastUsedAt: Instant;
  private readonly node: Node;
  private doc: Doc | null = null;
  private loaded = false;
  private broken: string | null = null;
  private mailbox: Pending[] = [];
  private running = false;
  private readonly settled = new Set<number>();
  private readonly thrown = new Map<string, number>();
  private readonly firing = new Set<number>();
  private readonly readers: (() => void)[] = [];
  private readonly clearing: Clearing;
  private viewText: { readonly v: number; readonly view: { readonly [key: string]: unknown } } | null = null;

  constructor(node: Node, actor: AnyActor, id: string) {
    this.node = node;
    this.actor = actor;
    this.id = id;
    this.lastUsedAt = node.scheduler.now();
    this.outbox = new Outbox(node, this);
    this.clearing = new Clearing(node.scheduler, () => this.stir());
  }

  get name(): string {
    return addressText({ kind: this.actor.kind, id: this.id });
  }

  /** Takes a command in, or answers OVERLOADED before anything of it is executed. */
  deliver(envelope: Envelope): Promise<AskResult> {
    const sure = envelope.settles !== undefined || envelope.timer !== undefined;
    const max = envelope.by === 'system' ? mailboxOfSystemMax : mailboxMax;
    const full = this.mailbox.length >= max || (envelope.by !== 'system' && this.outFull);
    if (full && !sure) return Promise.resolve({ is: 'not_executed', why: 'overloaded', retryAfterMs: 1000 });
    this.lastUsedAt = this.node.scheduler.now();
    return new Promise((resolve) => {
      this.mailbox.push({ envelope, resolve });
      this.stir();
    });
  }

  /** The committed document, once what is under way is over; null when there is none. */
  async committed(): Promise<Doc | null> {
    this.lastUsedAt = this.node.scheduler.now();
    if (this.loaded && !this.running) return this.doc;
    return new Promise((resolve) => {
      this.readers.push(() => resolve(this.doc));
      this.stir();
    });
  }

  /** The actor's own view of the committed state, built once per version. */
  viewOf(doc: Doc): { readonly [key: string]: unknown } {
    if (this.viewText?.v !== doc.v) this.viewText = { v: doc.v, view: this.node.viewOf(this.actor, doc) };
    return this.viewText.view;
  }

  /** Fires what is due on the actor's clock; `walked` when the walk of a test clock asks. */
  async fireTimers(walked: boolean): Promise<void> {
    const doc = await this.committed();
    if (doc === null || (this.node.clocks.walking(doc.clock) && !walked)) return;
    const now = this.node.clocks.now(doc.clock);
    const due = doc.timers
      .filter((t) => t.at <= now && !this.firing.has(t.gen))
      .sort((a, b) => a.at - b.at || a.gen - b.gen);
    await Promise.all(
      due.map(async ({ name, gen }) => {
        const [base = '', ...key] = name.split('/');
        const command = this.actor.timers[base];
        if (command === undefined) return;
        this.firing.add(gen);
        await this.node.deliverSurely(this, {
          to: { kind: this.actor.kind, id: this.id },
          command,
          data: { key: key.join('/') },
          by: 'system',
          scope: doc.scope,
          deadline: Infinity,
          timer: { name, gen },
        });
        this.firing.delete(gen);
      }),
    );
  }

  /** Reads the document again if the store holds a newer one: a dead node's last commit may land at any time. */
  async refresh(): Promise<void> {
    if (!this.loaded || this.running) return;
    const v = await this.node.store.read(this.actor.kind, this.id).then(
      (doc) => doc?.v ?? 0,
      () => null,
    );
    // a store that does not answer now is asked again by the next scan
    if (v === null || this.running) return;
    if (v <= (this.doc?.v ?? 0)) return this.releaseAgain();
    this.loaded = false;
    this.stir();
  }

  /** What got stuck on its way out - a result nobody could store, a clearing that met a full disk - goes again. */
  private releaseAgain(): void {
    if (this.doc === null || this.broken !== null) return;
    this.outbox.release(this.doc, this.settled);
    this.clearSoon();
  }

  /** Marks rows of `out` as done; they go with the next commit. */
  settle(rows: readonly number[]): void {
    for (const q of rows) this.settled.add(q);
    this.clearSoon();
  }

  /** Commits the clearing of settled rows at once; the walk of a test clock does not wait a second for it. */
  clearNow(): void {
    if (this.settled.size === 0 || this.running) return;
    this.clearing.now();
  }

  /** A turn or a commit is under way. */
  get underWay(): boolean {
    return this.running || this.mailbox.length > 0;
  }

  /** Nothing under way, nothing waiting, nothing left to clear. */
  get quiet(): boolean {
    return !this.running && this.mailbox.length === 0 && (this.doc?.out.length ?? 0) === 0 && this.loaded;
  }

  get clock(): string | null {
    return this.doc?.clock ?? null;
  }

  private get outFull(): boolean {
    return (this.doc?.out.length ?? 0) - this.settled.size >= outRowsMax;
  }

  private stir(): void {
    if (this.running) return;
    this.running = true;
    queueMicrotask(() => void this.run().catch((thrown: unknown) => this.quarantine(thrown)));
  }

  private async run(): Promise<void> {
    if (!this.loaded && !(await this.born())) await this.load();
    while (this.mailbox.length > 0 || this.clearDue) {
      const batch = this.mailbox.splice(0, turnCommandsMax);
      await this.turn(batch);
      this.tellReaders();
    }
    this.running = false;
    this.tellReaders();
    // nobody keeps a place in memory for an id that does not exist
    if (this.doc === null) this.node.forget(this);
  }

  private tellReaders(): void {
    for (const reader of this.readers.splice(0)) reader();
  }

  private get clearDue(): boolean {
    return this.clearing.due && this.settled.size > 0;
  }

  /** A creating command needs no look first: the store refuses a second creation, and then there is a document to read.
   *  False when it must be loaded after all. */
  private async born(): Promise<boolean> {
    const first = this.mailbox[0];
    if (first === undefined || this.actor.on[first.envelope.command]?.creates === undefined) return false;
    const batch = this.mailbox.splice(0, 1);
    const result = this.execute(batch);
    const committed = result.next !== null && (await this.commit(batch, result));
    if (!committed) this.mailbox.unshift(...batch);
    if (this.doc !== null) this.loaded = true;
    return this.loaded;
  }

  private async load(): Promise<void> {
    await this.adopt(await this.readStored());
  }

  /** Asks until the store answers; meanwhile the doors that wait are told to come again. */
  private async readStored(): Promise<Doc | null> {
    for (let delay = 20; ; delay = Math.min(delay * 2, reloadDelayMsMax)) {
      try {
        return await this.node.store.read(this.actor.kind, this.id);
      } catch (thrown) {
        this.node.log.warn({ actor: this.name, err: thrown }, 'the store did not answer; the actor waits');
        this.giveBack({ is: 'not_executed', why: 'overloaded', retryAfterMs: 1000 });
        await this.node.pause(delay);
      }
    }
  }

  /** A defect of ours while this actor ran: it is set aside, its neighbours go on. */
  private quarantine(thrown: unknown): void {
    this.broken = String(thrown);
    this.running = false;
    this.node.log.error({ actor: this.name, err: thrown }, 'this actor failed; it is in quarantine');
    for (const { resolve } of this.mailbox.splice(0)) resolve({ is: 'internal' });
    this.tellReaders();
  }

  /** While the store is away doors are told so; the runtime's own commands wait. */
  private giveBack(result: AskResult): void {
    const stay = this.mailbox.filter(
      ({ envelope }) => envelope.settles !== undefined || envelope.timer !== undefined,
    );
    const leave = this.mailbox.filter((pending) => !stay.includes(pending));
    this.mailbox = stay;
    for (const { resolve } of leave) resolve(result);
  }

  private async adopt(doc: Doc | null): Promise<void> {
    this.broken = null;
    this.doc = this.upcast(doc);
    this.settled.clear();
    const rows = rowsIn(this.doc);
    if (rows.length > 0) {
      await this.node.committer.putRows(rows.map(({ row }) => row));
      for (const { q } of rows) this.settled.add(q);
    }
    this.loaded = true;
    if (this.broken === null) this.afterCommit();
  }

  private upcast(doc: Doc | null): Doc | null {
    if (doc === null) return null;
    try {
      return upcasted(this.actor, doc);
    } catch (thrown) {
      this.broken = String(thrown);
      this.node.log.error(
        { actor: this.name, err: thrown },
        'this document cannot be read; the actor is in quarantine',
      );
      return doc;
    }
  }

  private async turn(batch: Pending[]): Promise<void> {
    if (this.broken !== null) {
      for (const { resolve } of batch) resolve({ is: 'internal' });
      this.clearing.drop();
      return;
    }
    this.clearing.drop();
    for (let reruns = 0; reruns <= rerunsMax; reruns++) {
      const result = this.execute(batch);
      if (await this.commit(batch, result)) return;
    }
    for (const { resolve } of batch) resolve({ is: 'not_executed', why: 'moved', retryAfterMs: 100 });
  }

  private execute(batch: readonly Pending[]): TurnResult {
    const { node } = this;
    return runTurn(
      this.actor,
      this.id,
      this.doc,
      batch.map(({ envelope }) => envelope),
      {
        realNow: node.scheduler.now(),
        clockNow: (clock) => node.clocks.now(clock),
        epoch: node.epoch,
        tok: node.nextToken(),
        rowsInCommit: node.store.rowsInCommit,
        envelopeText: node.envelopeText,
        settled: this.settled,
        throws: (key) => {
          const count = (this.thrown.get(key) ?? 0) + 1;
          this.thrown.set(key, count);
          return count;
        },
        onThrow: ({ command }, thrown) =>
          node.log.error({ actor: this.name, command, err: thrown }, 'a transition threw'),
      },
    );
  }

  /** True when the batch is answered; false when it must run again on the document as it is now. */
  private async commit(batch: Pending[], { next, rows, answers }: TurnResult): Promise<boolean> {
    const { node } = this;
    const rest = batch.splice(answers.length);
    this.mailbox.unshift(...rest);
    if (next === null) {
      this.reply(batch, answers);
      this.clearSoon();
      return true;
    }
    if (node.faults.replyBeforeCommit === true) this.reply(batch, answers);
    await node.failpoint('before_commit', this.actor.kind);
    const doc = node.faults.noOutbox === true ? withoutOutbox(next) : next;
    const written = await node.committer.submit({
      expect: this.doc?.v ?? 0,
      doc,
      rows: node.store.rowsInCommit ? rows : [],
    });
    await node.failpoint('after_commit', this.actor.kind);
    if (written.is === 'error') {
      node.log.error(
        { actor: this.name, reason: written.reason },
        'the store refused a write; nothing of it was executed',
      );
      const result: AskResult =
        written.of === 'store'
          ? { is: 'not_executed', why: 'overloaded', retryAfterMs: 1000 }
          : { is: 'internal' };
      for (const { resolve } of batch) resolve(result);
      this.clearSoon();
      return true;
    }
    if (written.is === 'stale') {
      const stored = await this.readStored();
      if (stored?.tok !== next.tok) {
        await this.adopt(stored);
        return false;
      }
    }
    this.doc = next;
    for (const q of this.settled) if (!next.out.some((row) => row.q === q)) this.settled.delete(q);
    await this.writeRows(next);
    this.reply(batch, answers);
    this.afterCommit();
    return true;
  }

  private async writeRows(doc: Doc): Promise<void> {
    const rows = rowsIn(doc).filter(({ q }) => !this.settled.has(q));
    if (rows.length === 0) return;
    await this.node.committer.putRows(rows.map(({ row }) => row));
    for (const { q } of rows) this.settled.add(q);
  }

  private reply(batch: readonly Pending[], answers: readonly AskResult[]): void {
    for (const [at, { resolve }] of batch.entries()) resolve(answers[at] ?? { is: 'unknown' });
  }

  /** Order of release: views are written, replies are out; now the notice, then events, tells and effects. */
  private afterCommit(): void {
    const { doc, node } = this;
    if (doc === null) return;
    node.committedNow(this, doc);
    this.outbox.release(doc, this.settled);
    this.clearSoon();
  }

  private clearSoon(): void {
    if (this.settled.size === 0 || this.doc === null) return;
    const eventsAlone = this.doc.out.every((row) => row.type === 'event' || !this.settled.has(row.q));
    const delay = eventsAlone ? clearEventsDelayMs : clearTellsDelayMs;
    this.clearing.within(this.node.clocks.walking(this.doc.clock) ? 0 : delay);
  }
}

const rowsIn = (doc: Doc | null): readonly { readonly q: number; readonly row: Row }[] =>
  (doc?.out ?? []).filter((row) => row.type === 'row');
