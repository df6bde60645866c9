/** One actor in memory: its mailbox, its committed document, one turn at a time.
 *  1. Replies, query results, notices, events, tells and effects leave only after the commit and all its
 *     view rows are acknowledged. Only a read may begin before (open-turn.ts).
 *  2. Queries see committed state only.
 *  3. An activation belongs to a lease. Without a valid lease it starts nothing and sends nothing; once the
 *     lease has ended, all its work stops. */
import type { Instant } from '../../kernel/time.ts';
import type { Doc } from '../../store/store.ts';
import type { ActivationHost } from './activation-host.ts';
import type { AnyActor } from '../model/actor.ts';
import { addressText, clockOf } from '../model/address.ts';
import { underWay, type AskResult, type Envelope } from '../model/envelope.ts';
import { DueTimers } from './due-timers.ts';
import { Execution } from './execution.ts';
import { CommittedDocument } from './committed-document.ts';
import { Mailbox, reply, type Pending } from './mailbox.ts';
import { OpenTurn } from './open-turn.ts';
import { Outbox } from '../delivery/outbox.ts';
import { deliverSurely } from '../delivery/sure-delivery.ts';
import { moved, overloaded, writeRefused } from './refusals.ts';
import { Release } from './release.ts';
import { TurnThrottle } from './turn-throttle.ts';
import { LeaseOver, type PartitionLease } from '../cluster/partition-lease.ts';
import { outRowsMax, turnCommandsMax, type TurnResult } from '../turn/turn.ts';
import { WaitingReaders } from './waiting-readers.ts';

/** A turn that finds a newer document is retried this many times before its commands are returned. */
const rerunsMax = 3;

type Host = ActivationHost<Activation>;

export class Activation {
  readonly actor: AnyActor;
  readonly id: string;
  readonly lease: PartitionLease;
  readonly outbox: Outbox;
  lastUsedAt: Instant;
  private readonly host: Host;
  readonly held: CommittedDocument;
  private readonly execution: Execution;
  private readonly open: OpenTurn;
  private forgotten = false;
  private readonly mailbox: Mailbox;
  private running = false;
  private readonly due: DueTimers;
  private readonly readers = new WaitingReaders();
  private readonly release: Release;
  private readonly throttle: TurnThrottle;
  private whenDone: (() => void)[] = [];

  constructor(host: Host, lease: PartitionLease, actor: AnyActor, id: string) {
    this.host = host;
    this.lease = lease;
    this.actor = actor;
    this.id = id;
    this.lastUsedAt = host.scheduler.now();
    this.mailbox = new Mailbox(host, id);
    this.outbox = new Outbox(host, this);
    this.due = new DueTimers(host, this);
    this.held = new CommittedDocument(host, lease, actor, id, (thrown) => this.storeUnresponsive(thrown));
    this.execution = new Execution(host, lease, actor, id, this.held);
    this.open = new OpenTurn({
      actor,
      held: this.held,
      outbox: this.outbox,
      execution: this.execution,
      scheduler: lease.scheduler,
      faults: host.faults,
      wanted: () => this.mailbox.size > 0 || !this.readers.none || this.walked(this.clock),
    });
    this.release = new Release({
      held: this.held,
      outbox: this.outbox,
      scheduler: lease.scheduler,
      clearsAtOnce: (clock) => host.sharesClocks && this.walked(clock),
      committedNow: (doc, committed) => host.committedNow(this, doc, committed),
      scheduleRun: () => this.scheduleRun(),
      workEnded: () => this.workEnded(),
    });
    this.throttle = new TurnThrottle(lease.scheduler, host.store, () => host.committer.hasCompany);
  }

  get name(): string {
    return addressText({ kind: this.actor.kind, id: this.id });
  }

  /** Accepts a command, or answers OVERLOADED before any part of it is executed. */
  deliver(envelope: Envelope): Promise<AskResult> {
    // the caller may hold an older activation of this actor: forward to the current one
    const now = this.forgotten ? this.host.activation(this.actor.kind, this.id) : this;
    if (now !== this) return now?.deliver(envelope) ?? Promise.resolve({ is: 'unknown' });
    const draining = this.lease.phase === 'draining';
    const exists = this.held.doc !== null;
    if (!draining && this.mailbox.isUnderWay(envelope, exists)) return Promise.resolve(underWay);
    const outFull = this.held.unsettled >= outRowsMax;
    if (draining || this.mailbox.refuses(envelope, outFull)) return this.rejected(draining);
    this.lastUsedAt = this.host.scheduler.now();
    return new Promise((resolve) => {
      this.mailbox.push({ envelope, resolve });
      this.waitedFor();
      this.scheduleRun();
    });
  }

  /** Delivers a command of the runtime itself (a timer, a result) and repeats until it is executed or
   *  parked. */
  deliverSurely(envelope: Envelope): Promise<void> {
    return deliverSurely(() => this.deliver(envelope), this.lease, this.host.scheduler);
  }

  /** Another writer waits for this actor's deferred commit, so it is sent now. */
  private waitedFor(): void {
    this.open.close();
    if (this.running && this.actor.deferrable !== true) this.host.committer.goNow();
  }

  /** Both statuses are proof: an owner that is draining is still the only owner. Needs no space in memory. */
  private rejected(draining: boolean): Promise<AskResult> {
    if (!this.held.loaded && !this.underWay) this.host.forget(this);
    return Promise.resolve(draining ? moved : overloaded);
  }

  /** The committed document as a reader may see it. Rejects when the stored document cannot be read. */
  async shown(): Promise<Doc | null> {
    const doc = await this.committed();
    if (this.held.unreadable) throw this.held.broken;
    return doc;
  }

  /** Whether a read can be answered at once: nothing is in progress, and the document is readable. */
  get answersNow(): boolean {
    return this.held.loaded && !this.running && !this.held.unreadable;
  }

  /** The same as `shown`; call only when the actor is idle. */
  shownNow(): Doc | null {
    this.lastUsedAt = this.host.scheduler.now();
    return this.held.doc;
  }

  /** The committed document once work in progress has finished; null when there is none. Rejects with
   *  LeaseOver. */
  async committed(): Promise<Doc | null> {
    this.lastUsedAt = this.host.scheduler.now();
    if (this.lease.over) throw new LeaseOver();
    if (this.held.loaded && !this.running) return this.held.doc;
    const next = this.readers.next();
    this.waitedFor();
    this.scheduleRun();
    return next;
  }

  /** Whether a read may be answered from memory; otherwise it must go to the store. */
  get answersReads(): boolean {
    return this.held.loaded && this.held.stamped && this.lease.maySend;
  }

  /** The actor's own view of the committed state. */
  viewOf(doc: Doc): { readonly [key: string]: unknown } {
    return this.held.viewOf(doc);
  }

  /** Fires the timers that are due on the actor's clock, and says how many; `walked` when a test-clock walk requests
   *  it. */
  async fireTimers(walked: boolean): Promise<number> {
    const doc = await this.committed().catch(orNull);
    if (doc === null || this.held.unreadable) return 0;
    return this.due.fire(doc, walked);
  }

  /** Reloads the document if the store holds a newer one: a dead node's last commit may arrive at any time. */
  async refresh(): Promise<void> {
    if (!this.held.loaded) await this.committed().catch(orNull);
    this.outbox.offerEffects();
    if (this.running || this.held.unreadable) return;
    const behind = await this.held.isBehind();
    // if the store does not answer now, the next scan tries again
    if (behind === null || this.running || this.forgotten) return;
    if (!behind) return this.release.again();
    this.held.loaded = false;
    this.scheduleRun();
  }

  /** Marks rows of `out` as done; they are cleared by the next commit. */
  settle(rows: readonly number[]): void {
    this.release.settle(rows);
    this.workEnded();
  }

  /** Commits the clearing of settled rows at once, because the walk of a test clock does not wait a second
   *  for it. */
  clearNow(): void {
    if (!this.running) this.release.clearNow();
  }

  /** Commands waiting for a turn. */
  get waiting(): number {
    return this.mailbox.size;
  }

  /** Whether a turn or a commit is in progress. */
  get underWay(): boolean {
    return this.running || this.mailbox.size > 0;
  }

  /** Nothing in progress, nothing waiting, nothing left to clear. */
  get isIdle(): boolean {
    return !this.underWay && this.held.loaded && this.held.nothingLeft;
  }

  /** Whether it still has something to do or to send; rows that are done and only not yet cleared do not count. */
  get hasWork(): boolean {
    return this.underWay || !this.held.loaded || this.held.unsettled > 0;
  }

  /** Resolves when it has no work left, or has left memory. */
  untilDone(): Promise<void> {
    return this.hasWork ? new Promise((resolve) => this.whenDone.push(resolve)) : Promise.resolve();
  }

  private workEnded(): void {
    this.host.work.ended(this.clock);
    if (!this.hasWork) for (const done of this.whenDone.splice(0)) done();
  }

  /** A document that cannot be read stays in memory, so that it is not read again and again. */
  get forgettable(): boolean {
    return this.isIdle && !this.held.unreadable;
  }

  /** Whether its document is all there is to know of it: no part has anything to do, or something to remember. */
  get mayRest(): boolean {
    return (
      this.isIdle && this.held.broken === null && this.due.none && this.open.mayRest && this.readers.none
    );
  }

  /** Leaves memory when everything it has to send waits for room in a lane: the backlog is in the store.
   *  During the walk of a test clock it stays, so that the walk can see its pending work. */
  leaveIfParked(): void {
    const parked =
      !this.underWay && this.held.loaded && this.held.settled.size === 0 && this.outbox.onlyParked;
    if (parked && !this.host.clocks.walking(this.clock)) this.host.forget(this);
  }

  /** Returns gateway commands that have not started, because the store does not answer. */
  turnDoorsAway(): void {
    for (const { resolve } of this.mailbox.takeOfDoors()) resolve(overloaded);
  }

  /** The node has dropped this activation. Commands still waiting when a lease ends get no answer, because
   *  they may be in doubt. */
  leave(): void {
    this.forgotten = true;
    this.release.dropClearing();
    for (const done of this.whenDone.splice(0)) done();
    if (!this.lease.over) return;
    this.mailbox.take(Infinity);
    this.readers.end();
  }

  get clock(): string | null {
    return this.held.doc?.clock ?? null;
  }

  private scheduleRun(): void {
    if (this.running) return;
    this.running = true;
    this.host.work.begins(this);
    queueMicrotask(() => void this.run().catch((thrown: unknown) => this.quarantine(thrown)));
  }

  private async run(): Promise<void> {
    if (!this.lease.maySend) await this.lease.untilMaySend();
    if (!this.held.loaded && !(await this.createdByBatch())) {
      await this.held.load();
      this.release.afterLoad();
    }
    while (this.mailbox.size > 0 || this.release.clearDue || this.held.stampDue) {
      if (this.actor.deferrable === true && !this.walked(this.clock))
        await this.throttle.turn(this.mailbox.size);
      if (!this.lease.maySend) await this.lease.untilMaySend();
      const fresh = this.host.clocks.fresh(this.clock);
      if (fresh !== null) await fresh;
      // the session may have ended while the clock was being read
      if (!this.lease.maySend) continue;
      const batch = this.mailbox.take(turnCommandsMax);
      try {
        await this.turn(batch);
      } catch (thrown) {
        this.open.dropped(batch);
        // callers that already have an answer are not notified
        for (const { resolve } of batch) resolve({ is: 'internal' });
        throw thrown;
      }
      this.readers.resolveAll(this.held.doc);
    }
    this.running = false;
    this.readers.resolveAll(this.held.doc);
    // an id that does not exist must not occupy memory
    if (this.held.doc === null && !this.held.unreadable) this.host.forget(this);
    this.leaveIfParked();
    this.workEnded();
  }

  /** A creating command needs no read first: the store refuses a second creation, and the document is read
   *  then. Returns false when the document must be loaded after all. */
  private async createdByBatch(): Promise<boolean> {
    const { first } = this.mailbox;
    if (first === undefined || this.actor.on[first.command]?.creates === undefined) return false;
    const fresh = first.scope === null ? null : this.host.clocks.fresh(clockOf(first.scope));
    if (fresh !== null) await fresh;
    const batch = this.mailbox.take(1);
    const result = this.execution.run(batch);
    if (result.next !== null) this.host.meters.turn(this.actor.kind, 1);
    const committed = result.next !== null && (await this.commit(batch, result));
    if (!committed) this.mailbox.putBack(batch);
    if (this.held.doc !== null) this.held.loaded = true;
    return this.held.loaded;
  }

  /** Answers waiting gateways that they should retry later. */
  private storeUnresponsive(thrown: unknown): void {
    this.host.complaints.warn('the store did not answer; the actor waits', { actor: this.name, err: thrown });
    for (const { resolve } of this.mailbox.takeForeign()) resolve(overloaded);
  }

  /** A defect in our code was hit while this actor ran: the actor is quarantined, and other actors
   *  continue. */
  private quarantine(thrown: unknown): void {
    this.held.broken = thrown;
    this.running = false;
    this.host.log.error({ actor: this.name, err: thrown }, 'this actor failed and is quarantined');
    for (const { resolve } of this.mailbox.take(Infinity)) resolve({ is: 'internal' });
    this.readers.resolveAll(this.held.doc);
  }

  private async turn(batch: Pending[]): Promise<void> {
    this.release.dropClearing();
    for (let reruns = 0; reruns <= rerunsMax; reruns++) {
      if (this.held.broken !== null) {
        for (const { resolve } of batch) resolve(this.held.refusal);
        return;
      }
      const result = await this.open.run(batch);
      this.host.meters.turn(this.actor.kind, result.answers.length);
      if (await this.commit(batch, result)) return;
    }
    for (const { resolve } of batch) resolve(moved);
  }

  /** True when the batch has been answered; false when it must run again on the current document. */
  private async commit(batch: Pending[], { next, rows, answers }: TurnResult): Promise<boolean> {
    const { host } = this;
    this.mailbox.putBack(batch.splice(answers.length));
    if (next === null) {
      reply(batch, answers, this.held);
      this.release.clearSoon();
      return true;
    }
    if (host.faults.replyBeforeCommit === true) reply(batch, answers, this.held);
    const joins = batch.every(({ envelope }) => envelope.joins === true);
    const isAlone = joins && this.readers.none && this.mailbox.first === undefined;
    const deferred = isAlone ? 'next' : this.actor.deferrable === true ? 'company' : null;
    const waitsFor = this.walked(next.clock) ? null : deferred;
    const wasStamped = this.held.stamped;
    for (const { resolve } of this.mailbox.storing(batch)) resolve(underWay);
    const committed = await this.held.commit(next, rows, waitsFor);
    if (committed.is === 'applied') this.open.committed();
    else this.open.dropped(batch);
    if (committed.is === 'newer') {
      this.release.afterLoad();
      return false;
    }
    if (committed.is === 'error') {
      const result = writeRefused(this.name, committed, host);
      for (const { resolve } of batch) resolve(result);
      this.release.clearSoon();
      return true;
    }
    reply(batch, answers, this.held);
    // A commit that only clears rows shows nothing new, but after a change of owner the last commit may never have
    // been announced. When rows were sent again, the store has kept only the first copy.
    const isNews = batch.every(({ envelope }) => envelope.again !== true);
    const ofCommit = { placed: committed.placed, shows: answers.length > 0 || !wasStamped };
    this.release.afterCommit({ rows: isNews ? rows : [], ...ofCommit });
    return true;
  }

  /** A caller is moving this clock and waits for everything that follows. */
  private walked(clock: string | null): boolean {
    return this.host.clocks.walking(clock);
  }
}

/** The actor now belongs to another node, so this activation must not act. */
function orNull(thrown: unknown): null {
  if (thrown instanceof LeaseOver) return null;
  throw thrown;
}
