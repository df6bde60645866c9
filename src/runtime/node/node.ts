/** One node: the actors in its memory and what they share. Gateways use it as a Client (client.ts).
 *  Boundary: contains no business terms; actors, effect runners, the dispatch of events, the bus to the
 *  other nodes and the ownership are passed in. */
import { Complaints } from '../../kernel/complaints.ts';
import type { MaybePromise } from '../../kernel/maybe-promise.ts';
import {
  pause,
  seconds,
  type Cancel,
  type DurationMs,
  type Instant,
  type Scheduler,
} from '../../kernel/time.ts';
import type { Doc, Row, SlotRange, Store } from '../../store/store.ts';
import type { Activation } from '../activation/activation.ts';
import type { ActivationHost, CommittedWith } from '../activation/activation-host.ts';
import type { AnyActor, DetailOf, Json } from '../model/actor.ts';
import { addressText, clockOf, type Address, type Scope } from '../model/address.ts';
import { Admission } from '../activation/admission.ts';
import { CommandDispatcher } from './command-dispatcher.ts';
import { AskNumbers } from './ask-numbers.ts';
import { CommandRouter } from './command-router.ts';
import type { BrokenBuild } from '../model/broken-builds.ts';
import type { Asking, Client, HintOutcome, Hinting, Snapshot } from '../model/client.ts';
import { ClockKeepers } from '../time/clock-keepers.ts';
import { ClockWalks, type ClockHost } from '../time/clock-walk.ts';
import { Clocks } from '../time/clocks.ts';
import { Committer } from '../activation/committer.ts';
import { deadLetterRow } from '../model/dead-letter.ts';
import { DueQueue, dueAtOnceMax, dueHeldMsMax } from '../time/due-queue.ts';
import { Effects } from '../delivery/effects.ts';
import type { AskResult, Envelope, Identity } from '../model/envelope.ts';
import { JournalPumps, type PumpHost } from '../delivery/journal-pump.ts';
import { refill } from '../delivery/lane-refill.ts';
import type { Failpoint } from '../model/failpoint.ts';
import { gaugesOf } from './gauges.ts';
import { ActivationRegistry } from '../activation/activation-registry.ts';
import type { RuntimeMeters } from '../model/meters.ts';
import { guardedScheduler, guardedStore } from '../cluster/lifetime-guard.ts';
import type { NodeOptions } from './node-options.ts';
import { Purger } from './purger.ts';
import { Questions } from './questions.ts';
import { Reader } from './reader.ts';
import type { RepublishHost } from '../delivery/republish.ts';
import type { RuntimeLog } from '../model/runtime-log.ts';
import { Scans, type ScanHost } from './scans.ts';
import { Settling } from '../activation/settling.ts';
import type { StoreBreaker } from '../activation/store-breaker.ts';
import type { PartitionLease } from '../cluster/partition-lease.ts';
import { Timers } from '../time/timers.ts';
import { WalkSteps } from './walk-steps.ts';
import { Watchers } from './watchers.ts';
import { WorkWatch } from '../time/work-watch.ts';
import type { EnvelopeText } from '../turn/working-doc.ts';

export class Node
  implements Client, ActivationHost<Activation>, ClockHost, ScanHost, PumpHost, RepublishHost
{
  readonly store: Store;
  readonly scheduler: Scheduler;
  readonly clocks: Clocks;
  readonly committer: Committer;
  readonly settling: Settling;
  readonly work: WorkWatch;
  readonly admission: Admission;
  /** Also used by the gateways: one store breaker per store. */
  readonly breaker: StoreBreaker;
  readonly effects: Effects;
  readonly timers: Timers;
  private readonly due: DueQueue;
  readonly log: RuntimeLog;
  readonly complaints: Complaints;
  readonly envelopeText: EnvelopeText;
  readonly faults: BrokenBuild;
  readonly meters: RuntimeMeters;
  readonly kinds: ReadonlyMap<string, AnyActor>;
  readonly clockKeeperKind: string | null;
  readonly eventLogKind: string | null;
  private readonly options: NodeOptions;
  readonly registry: ActivationRegistry;
  private readonly dispatcher: CommandDispatcher;
  private readonly watchers: Watchers;
  private readonly router: CommandRouter;
  private readonly questions: Questions;
  private readonly reader: Reader;
  private readonly scans: Scans;
  readonly purger: Purger;
  readonly pumps: JournalPumps;
  readonly walkSteps: WalkSteps;
  readonly walks: ClockWalks;
  readonly keepers: ClockKeepers;
  private tokens = 0;
  private dead = false;

  constructor(options: NodeOptions) {
    this.options = options;
    this.scheduler = guardedScheduler(options.scheduler, () => this.dead);
    this.store = guardedStore(options.store, () => this.dead);
    this.log = options.log;
    this.complaints = new Complaints(this.log, this.scheduler);
    this.envelopeText = options.envelopeText;
    this.faults = options.faults ?? {};
    this.meters = options.meters;
    this.kinds = new Map(options.actors.map((actor) => [actor.kind, actor]));
    this.clockKeeperKind = kindThat(options.actors, ({ clock }) => clock !== undefined);
    this.eventLogKind = kindThat(options.actors, ({ logCursors }) => logCursors !== undefined);
    this.registry = new ActivationRegistry(this, options.actorBytesMax);
    this.committer = new Committer(this.store, this.scheduler, this.meters);
    this.settling = new Settling(this.store);
    this.work = new WorkWatch(this.scheduler);
    this.breaker = options.breaker;
    this.admission = new Admission(this.scheduler, this.breaker);
    this.clocks = new Clocks(this.scheduler, this.sharesClocks ? (clock) => this.keepers.read(clock) : null);
    this.effects = new Effects(
      options.effects,
      this.scheduler,
      (kind, thrown) =>
        this.log.error({ effect: kind, err: thrown }, 'an effect threw an error: its outcome is unknown'),
      { ofLane: (...lane) => refill(this, ...lane), all: () => this.scans.busy(this.slots) },
    );
    this.due = new DueQueue(
      (kind, id) => this.fireDue(kind, id),
      (kind) => this.kinds.get(kind)?.dueAtOnceMax ?? dueAtOnceMax,
    );
    this.timers = new Timers(this.scheduler, this.clocks, (kind, id) => this.due.add(kind, id));
    this.pumps = new JournalPumps(this, options.dispatch, options.publish);
    this.walkSteps = new WalkSteps(this);
    this.walks = new ClockWalks(this);
    this.keepers = new ClockKeepers({
      kinds: this.kinds,
      store: this.store,
      bus: options.bus,
      clocks: this.clocks,
      walks: this.walks,
      sharesClocks: () => this.sharesClocks,
      leaseOf: (id) => options.ownership.leaseOf(id),
    });
    this.scans = new Scans(this);
    const { ownership, bus } = options;
    const { scheduler, store, committer, kinds, registry, breaker } = this;
    this.purger = new Purger({
      rules: options.retention ?? [],
      store,
      scheduler,
      clocks: this.clocks,
      projectKind: this.clockKeeperKind,
      owns: (id) => ownership.leaseOf(id)?.maySend === true,
      log: this.log,
      purged: (kind, count) => this.meters.purged(kind, count),
    });
    this.dispatcher = new CommandDispatcher({ kinds, registry, breaker });
    this.watchers = new Watchers(bus);
    this.router = new CommandRouter({
      scheduler,
      ownership,
      bus,
      numbers: new AskNumbers(() => ownership.incarnation),
      deliver: (lease, it) => this.dispatcher.toUs(lease, it),
      faults: this.faults,
      meters: this.meters,
    });
    this.questions = new Questions({ kinds, scheduler, bus, router: this.router, isDead: () => this.dead });
    this.reader = new Reader({ store, committer, kinds, answering: (to) => this.answering(to) });
  }

  get incarnation(): string {
    return this.options.ownership.incarnation;
  }

  get incarnationsAlive(): readonly string[] {
    return this.options.ownership.incarnationsAlive;
  }

  /** Whether other nodes may move clocks: then clocks are read from the store before they are used. */
  get sharesClocks(): boolean {
    return this.slots !== undefined;
  }

  /** Slots this node serves; undefined = all. */
  get slots(): readonly SlotRange[] | undefined {
    return this.options.ownership.slots;
  }

  /** Starts to take ownership and to answer. */
  async start(): Promise<void> {
    const { registry, pumps, effects } = this;
    this.meters.watch(gaugesOf({ slots: () => this.slots, registry, pumps, effects }));
    this.keepers.listen();
    await this.options.ownership.start({
      store: this.store,
      scheduler: this.scheduler,
      scan: (leases) => this.scans.takeOver(slotsOfAll(leases)),
      answer: (lease, envelope) => this.dispatcher.toOthers(lease, envelope),
      underWay: (lease) => this.registry.underWay(lease),
      drop: (lease) => this.drop(lease),
      faults: this.faults,
    });
    this.scans.begin();
  }

  /** Starts to run effects and to continue what the last node left. Call it when the gateways are
   *  listening, because effects may call them. */
  open(): void {
    this.effects.begin();
    this.scans.goOn();
    this.purger.begin();
  }

  /** Stops at once, like a killed process: nothing more is sent, open asks end as unknown. */
  kill(): void {
    this.dead = true;
    this.options.ownership.kill();
    this.router.endAll();
  }

  /** Gives away what other nodes can take, for at most `waitMs`, while this node can still ask: from then
   *  on the other nodes execute the commands. Call before `stop`. */
  handOver(waitMs: DurationMs): Promise<void> {
    return this.options.ownership.handOver(waitMs);
  }

  /** Waits until turns and outboxes are idle (at most `waitMs`), gives away what it owns, then stops. */
  async stop(waitMs: DurationMs = seconds(5)): Promise<void> {
    this.effects.stop();
    await this.options.ownership.stop(waitMs);
    this.kill();
  }

  ask<C, K extends keyof C & string>(
    to: Address<C>,
    command: K,
    data: C[K],
    asking: Asking<DetailOf<C[K]>>,
  ): Promise<AskResult<DetailOf<C[K]>>>;
  ask(to: Address, command: string, data: object, asking: Asking): Promise<AskResult>;
  ask(to: Address, command: string, data: unknown, asking: Asking): Promise<AskResult> {
    return this.questions.ask(to, command, data, asking);
  }

  hint(to: Address, command: string, data: unknown, asking: Hinting): Promise<HintOutcome> {
    return this.questions.hint(to, command, data, asking);
  }

  /** A hint from MAILBOX; returns whether it was delivered or is no longer needed. */
  deliverHint(envelope: Envelope): Promise<boolean> {
    return this.questions.deliverHint(envelope);
  }

  settled(to: Address, identity: Identity): void {
    this.questions.settled(to, identity);
  }

  read<State>(to: Address, scope: Scope | null): MaybePromise<Snapshot<State> | null> {
    return this.reader.read(to, scope);
  }

  readStored<State>(kind: string, ids: readonly string[]): Promise<ReadonlyMap<string, Snapshot<State>>> {
    return this.reader.readStored(kind, ids);
  }

  readRow(kind: string, id: string, scope: Scope | null): Promise<Row | null> {
    return this.reader.readRow(kind, id, scope);
  }

  readonly list: Client['list'] = (query) => this.reader.list(query);
  readonly listRows: Client['listRows'] = (query) => this.reader.listRows(query);
  readonly sumRows: Client['sumRows'] = (query) => this.reader.sumRows(query);
  readonly newestTagged: Client['newestTagged'] = (query) => this.reader.newestTagged(query);

  watch(id: string, onNotice: (id: string) => void): Cancel {
    return this.watchers.watch(id, onNotice);
  }

  watchScope(scope: Scope, onNotice: (id: string) => void): Cancel {
    return this.watchers.watchScope(scope, onNotice);
  }

  now(scope: Scope): Instant {
    return this.clocks.now(clockOf(scope));
  }

  /** Returns the actor in memory and loads it if necessary; undefined for an unknown kind or one served
   *  elsewhere. */
  activation(kind: string, id: string): Activation | undefined {
    const known = this.registry.find(kind, id);
    if (known !== undefined) return known;
    const lease = this.dead ? undefined : this.options.ownership.leaseOf(id);
    return lease === undefined ? undefined : this.dispatcher.activation(lease, kind, id);
  }

  private answering({ kind, id }: Address): Activation | undefined {
    const actor = this.kinds.get(kind);
    const known = actor === undefined ? undefined : this.registry.inMemory(actor, id);
    return known?.answersReads === true ? known : undefined;
  }

  /** Drops an actor from memory; its complete state is in the store. */
  forget(activation: Activation): void {
    this.registry.forget(activation);
  }

  private drop(lease: PartitionLease): void {
    this.registry.drop(lease);
    this.pumps.forget(lease);
  }

  /** Called by activations after each commit, once everything of it may leave the node. */
  committedNow(activation: Activation, doc: Doc, { rows, shows }: CommittedWith): void {
    const { actor, lease } = activation;
    this.options.committed?.(doc);
    this.keepers.committed(actor, doc);
    this.walks.committed(doc);
    this.registry.livesOn(activation, doc.clock);
    if (doc.wake !== null) this.timers.note({ kind: doc.kind, id: doc.id, wake: doc.wake }, doc.clock);
    if (actor.logCursors !== undefined && doc.body !== null)
      this.pumps.observe(doc, actor.logCursors(doc.body as never), lease, rows);
    if (shows) this.watchers.notify(activation.id, doc.scope);
  }

  /** Fires what is due of one actor. If its kind limits how many work at once, waits until everything that follows has
   *  been sent, but not for targets that do not answer. */
  private async fireDue(kind: string, id: string): Promise<void> {
    const due = this.activation(kind, id);
    if (due === undefined) return;
    await due.lease.whileMine(due.fireTimers(false));
    if (due.actor.dueAtOnceMax === undefined) return;
    await due.lease.whileMine(Promise.race([due.untilDone(), pause(this.scheduler, dueHeldMsMax)]));
  }

  /** If the store does not answer a scan, the next scan makes up for it. */
  async scanTimers(): Promise<void> {
    await this.timers
      .scan(this.store, this.slots)
      .catch((thrown: unknown) =>
        this.log.warn({ err: thrown }, 'timers could not be read from the store: retrying'),
      );
  }

  nextToken(): string {
    return `${this.incarnation}.${++this.tokens}`;
  }

  async failpoint(name: Failpoint, kind: string, id: string): Promise<void> {
    this.options.failpoint?.(name, kind, id);
  }

  lost(lease: PartitionLease): void {
    this.options.ownership.lost(lease);
  }

  refuse(lease: PartitionLease): void {
    this.options.ownership.refuse(lease);
  }

  readByAll(kind: string): number {
    return this.options.ownership.readByAll(kind);
  }

  /** Stores a dead letter for an operator. */
  async park(
    owner: Address,
    scope: Scope,
    id: string,
    body: { readonly [key: string]: Json },
  ): Promise<void> {
    this.meters.parked(owner.kind);
    this.log.error({ actor: addressText(owner), id }, 'stored as a dead letter');
    await this.committer.putRows([deadLetterRow({ owner, scope, id, body }, this.scheduler.now())]);
  }

  inMemory(kind: string, id: string): Activation | undefined {
    return this.registry.find(kind, id);
  }

  /** Loads an actor that has something left to send. */
  async wake(kind: string, id: string): Promise<void> {
    const known = this.registry.find(kind, id);
    if (known !== undefined) return known.refresh();
    this.registry.forgetResting(kind, id);
    const fresh = this.activation(kind, id);
    await fresh?.committed().catch(() => null);
    // effects that only wait for room in a lane stay in the store
    fresh?.leaveIfParked();
  }

  /** Puts actors to rest that have been idle for a while. */
  sweep(): void {
    this.registry.sweep();
  }
}

/** What these leases own together; undefined: everything. */
function slotsOfAll(leases: readonly PartitionLease[]): readonly SlotRange[] | undefined {
  const slots = leases.map((lease) => lease.slots);
  return slots.includes(null) ? undefined : slots.flatMap((one) => (one === null ? [] : [one]));
}

/** Each role the runtime has for an actor is filled by exactly one kind. */
const kindThat = (actors: readonly AnyActor[], has: (actor: AnyActor) => boolean): string | null =>
  actors.find(has)?.kind ?? null;
