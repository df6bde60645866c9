/** The changes of one scope, read once for all sockets of this node that follow it.
 *  Boundary: notices in, changes out; merchants.ts decides who receives them, and how.
 *  1. It watches before it reads. Each notice leads to a read that begins after it; one read of an actor at
 *     a time, and notices during it lead to one more read. So every commit is sent, in the order of
 *     `sequence`; changes that follow faster than they can be read are sent as their latest state.
 *  2. Nothing is sent twice: delivered-sequences.ts.
 *  3. A notice may be lost: every 15 s, and when the bus reconnects, the journal is read on, and objects
 *     that are still open are read again.
 *  4. At most `waitingMax` actors wait for their read. Beyond that the feed reports that it is overrun and
 *     stops, and its followers begin again with a snapshot. */
import type { Scope } from '../../src/runtime/model/address.ts';
import type { Client } from '../../src/runtime/model/client.ts';
import type { Complaints } from '../../src/kernel/complaints.ts';
import { seconds, type Cancel, type DurationMs, type Scheduler } from '../../src/kernel/time.ts';
import { todayOf, type Today } from '../http/today.ts';
import { SingleFlight } from '../../src/kernel/single-flight.ts';
import { Joining, newestOf, type InitialState } from './initial-state.ts';
import { checkoutState, isShown, paymentState, objectStatesOf } from './changes.ts';
import type { Change, ObjectState } from './changes.ts';
import { DayCounter } from './day-counter.ts';
import { JournalCheck, type JournalCheckParts } from './journal-check.ts';
import { DeliveredSequences } from './delivered-sequences.ts';

/** Actors of one scope that wait for their read. */
export const waitingMax = 10_000;
/** Reads of one scope under way at once. */
const readsAtOnceMax = 16;
export const checkEveryMs: DurationMs = seconds(15);
/** Delay before the next attempt when nothing can be read. */
const tryAgainMs: DurationMs = seconds(1);
/** Open objects checked per journal pass; the rest wait for their notice. */
const openPerCheckMax = 1_000;

export interface ChangeFeedParts extends JournalCheckParts {
  /** A client whose reads report when the store does not answer. */
  readonly client: Pick<
    Client,
    'read' | 'eventsUpTo' | 'list' | 'listRows' | 'sumRows' | 'now' | 'watchScope'
  >;
  readonly scheduler: Pick<Scheduler, 'steady' | 'after'>;
  /** Shared by all feeds of a node. */
  readonly complaints: Pick<Complaints, 'warn'>;
}

/** All followers of a scope on this node, as one. */
export interface Audience {
  changed(change: Change): void;
  counted(today: Today): void;
  /** Changes come faster than they can be read: nothing more is sent. */
  overrun(): void;
}

export class ChangeFeed {
  readonly scope: Scope;
  private readonly parts: ChangeFeedParts;
  private readonly audience: Audience;
  private readonly delivered: DeliveredSequences;
  private readonly waiting = new Set<string>();
  private readonly reading = new Set<string>();
  private readonly joining = new Set<Joining>();
  private readonly initialStates: SingleFlight<InitialState>;
  private readonly checks: SingleFlight<void>;
  private readonly journal: JournalCheck;
  private readonly day: DayCounter;
  private readonly unwatch: Cancel;
  private nextCheck: Cancel;
  private paused = false;
  private closed = false;

  constructor(scope: Scope, parts: ChangeFeedParts, audience: Audience) {
    const { client, scheduler } = parts;
    this.scope = scope;
    this.parts = parts;
    this.audience = audience;
    this.delivered = new DeliveredSequences(client.now(scope));
    this.initialStates = new SingleFlight(scope);
    this.checks = new SingleFlight(scope);
    this.journal = new JournalCheck(scope, parts);
    this.day = new DayCounter({
      read: () => todayOf(client, scope),
      delivered: (today) => this.counted(today),
      complain: (thrown) => this.complain(thrown),
      scheduler,
    });
    this.unwatch = client.watchScope(scope, (id) => this.noticed(id));
    this.nextCheck = scheduler.after(checkEveryMs, () => this.checkInTurn());
  }

  /** Actors that wait for their read or are being read, for tests and metrics. */
  get depth(): number {
    return this.waiting.size + this.reading.size;
  }

  /** Collects the changes sent from now on, until it is closed. */
  join(): Joining {
    const joining = new Joining();
    this.joining.add(joining);
    return joining;
  }

  leave(joining: Joining): void {
    this.joining.delete(joining);
  }

  /** The current state, read after this call. Rejects when it cannot be read. */
  initialState(): Promise<InitialState> {
    return this.initialStates.fresh(() => this.readInitialState());
  }

  /** Looks for changes that no notice has reported. `missed`: notices may have been lost just now. Never
   *  rejects. */
  async check(missed: boolean): Promise<void> {
    try {
      await this.checks.fresh(() => this.checkOnce());
      // its findings are sent to those who have not received them
      if (missed) await this.initialState();
    } catch (thrown) {
      this.complain(thrown);
    }
  }

  close(): void {
    this.closed = true;
    this.unwatch();
    this.nextCheck();
    this.day.close();
    this.waiting.clear();
  }

  private noticed(id: string): void {
    if (this.closed || !isShown(id)) return;
    if (this.waiting.size >= waitingMax) {
      this.parts.complaints.warn(
        'more changes than a live feed can read: its sockets begin again with a snapshot',
        { waiting: waitingMax },
      );
      this.close();
      this.audience.overrun();
      return;
    }
    this.waiting.add(id);
    this.readOn();
  }

  private readOn(): void {
    if (this.paused || this.closed) return;
    for (const id of this.waiting) {
      if (this.reading.size >= readsAtOnceMax) return;
      // the read under way may have begun before this notice
      if (this.reading.has(id)) continue;
      this.waiting.delete(id);
      void this.readOne(id);
    }
  }

  /** Never rejects. */
  private async readOne(id: string): Promise<void> {
    this.reading.add(id);
    try {
      const states = await objectStatesOf(this.parts.client, id, this.scope);
      for (const state of states) this.offer(state, id);
    } catch (thrown) {
      this.complain(thrown);
      this.waiting.add(id);
      this.pause();
    }
    this.reading.delete(id);
    this.readOn();
  }

  private pause(): void {
    if (this.paused) return;
    this.paused = true;
    this.parts.scheduler.after(tryAgainMs, () => {
      this.paused = false;
      this.readOn();
    });
  }

  private offer(state: ObjectState, actorId: string): void {
    if (this.closed || !this.delivered.take(state, actorId)) return;
    const { change } = state;
    this.audience.changed(change);
    for (const joining of this.joining) joining.changed(change);
    if (change.object === 'payment' || change.object === 'checkout') this.day.want();
  }

  private counted(today: Today): void {
    this.audience.counted(today);
    for (const joining of this.joining) joining.counted(today);
  }

  private async readInitialState(): Promise<InitialState> {
    // before the lists are read; otherwise a change in between could be missed
    await this.journal.begin();
    const { body, payments, checkouts } = await newestOf(this.parts.client, this.scope);
    // earlier followers may not have received them
    for (const row of payments) this.offer(paymentState(row.body), row.owner.id);
    for (const { view, meta } of checkouts) this.offer(checkoutState(view), meta.id);
    return body;
  }

  private checkInTurn(): void {
    if (this.closed) return;
    this.nextCheck = this.parts.scheduler.after(checkEveryMs, () => this.checkInTurn());
    // midnight changes the numbers too, without a notice
    this.day.want();
    void this.check(false);
  }

  private async checkOnce(): Promise<void> {
    let open = 0;
    for (const id of new Set(this.delivered.openActors())) if (++open <= openPerCheckMax) this.noticed(id);
    const undelivered = await this.journal.undelivered((id, sequence) => this.delivered.has(id, sequence));
    for (const id of undelivered) this.noticed(id);
  }

  private complain(thrown: unknown): void {
    this.parts.complaints.warn('a live feed could not read the store: retrying', { err: thrown });
  }
}
