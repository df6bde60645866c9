/** One node: puts together the actors in its memory and what they share; each part gets the members that it names.
 *  Gateways use its client.
 *  Boundary: contains no business terms; actors, effect runners, the dispatch of events, the bus to the
 *  other nodes and the ownership are passed in. */
import { Complaints } from '../../kernel/complaints.ts';
import { seconds, type DurationMs, type Scheduler } from '../../kernel/time.ts';
import type { SlotRange, Store } from '../../store/store.ts';
import type { Activation } from '../activation/activation.ts';
import type { ActivationHost } from '../activation/activation-host.ts';
import { ActivationRegistry } from '../activation/activation-registry.ts';
import { Admission } from '../activation/admission.ts';
import { batchesAtOnceMax, Committer } from '../activation/committer.ts';
import { Settling } from '../activation/settling.ts';
import type { StoreBreaker } from '../activation/store-breaker.ts';
import { guardedScheduler, guardedStore } from '../cluster/lifetime-guard.ts';
import type { PartitionLease } from '../cluster/partition-lease.ts';
import { Effects } from '../delivery/effects.ts';
import { JournalPositions } from '../delivery/journal-positions.ts';
import { JournalPumps } from '../delivery/journal-pump.ts';
import { refill } from '../delivery/lane-refill.ts';
import { replayDead, type Replayed } from '../delivery/replay.ts';
import { Republishing } from '../delivery/republish.ts';
import type { AnyActor } from '../model/actor.ts';
import type { Address, Scope } from '../model/address.ts';
import type { BrokenBuild } from '../model/broken-builds.ts';
import type { AskUntyped } from '../model/client.ts';
import { parking, type Park } from '../model/dead-letter.ts';
import { ClockKeepers } from '../time/clock-keepers.ts';
import { ClockWalks } from '../time/clock-walk.ts';
import { Clocks } from '../time/clocks.ts';
import { DueQueue, dueAtOnceMax } from '../time/due-queue.ts';
import { Timers } from '../time/timers.ts';
import { WorkWatch } from '../time/work-watch.ts';
import { ActorsHere } from './actors-here.ts';
import { afterCommit } from './after-commit.ts';
import { AskNumbers } from './ask-numbers.ts';
import { CommandRouter } from './command-router.ts';
import { gaugesOf } from './gauges.ts';
import { NodeClient } from './node-client.ts';
import type { NodeOptions } from './node-options.ts';
import { Purger } from './purger.ts';
import { Scans } from './scans.ts';
import { WalkSteps } from './walk-steps.ts';
import { WatchLists } from './watch-lists.ts';
import { Watchers } from './watchers.ts';

export class Node {
  readonly client: NodeClient;
  /** Once the node was killed, no call of it returns. */
  readonly store: Store;
  /** Also used by the gateways: one store breaker per store. */
  readonly breaker: StoreBreaker;
  readonly actors: ActorsHere;
  readonly registry: ActivationRegistry;
  readonly admission: Admission;
  readonly committer: Committer;
  readonly purger: Purger;
  readonly republishing: Republishing;
  /** Stores a dead letter for an operator. */
  readonly park: Park;
  private readonly options: NodeOptions;
  private readonly scheduler: Scheduler;
  private readonly faults: BrokenBuild;
  private readonly kinds: ReadonlyMap<string, AnyActor>;
  /** Whether other nodes may move clocks: then clocks are read from the store before they are used. */
  private readonly sharesClocks: boolean;
  private readonly clockKeeperKind: string | null;
  private readonly eventLogKind: string | null;
  private readonly work: WorkWatch;
  private readonly clocks: Clocks;
  private readonly effects: Effects;
  private readonly timers: Timers;
  private readonly pumps: JournalPumps;
  private readonly positions: JournalPositions;
  private readonly walks: ClockWalks;
  private readonly keepers: ClockKeepers;
  private readonly watchers: Watchers;
  private readonly lists: WatchLists;
  private readonly router: CommandRouter;
  private readonly scans: Scans;
  private readonly committedNow: ReturnType<typeof afterCommit>;
  private tokens = 0;
  private dead = false;

  constructor(options: NodeOptions) {
    const { actors, bus, ownership, log, meters } = options;
    this.options = options;
    this.scheduler = guardedScheduler(options.scheduler, () => this.dead);
    this.store = guardedStore(options.store, () => this.dead);
    this.breaker = options.breaker;
    this.faults = options.faults ?? {};
    this.kinds = new Map(actors.map((actor) => [actor.kind, actor]));
    this.sharesClocks = this.slots !== undefined;
    this.clockKeeperKind = kindThat(actors, ({ clock }) => clock !== undefined);
    this.eventLogKind = kindThat(actors, ({ logCursors }) => logCursors !== undefined);
    const { scheduler, store, kinds, breaker, eventLogKind } = this;
    // a file has one writer; a database works on several batches
    this.committer = new Committer(store, scheduler, meters, store.rowsInCommit ? 1 : batchesAtOnceMax);
    this.park = parking({ meters, log, committer: this.committer, scheduler });
    this.work = new WorkWatch(scheduler);
    this.admission = new Admission(scheduler, breaker);
    this.clocks = new Clocks(scheduler, this.sharesClocks ? (clock) => this.keepers.read(clock) : null);
    this.effects = this.effectsOf();
    this.lists = this.listsOf();
    const isHere = (id: string): boolean => ownership.leaseOf(id) !== undefined;
    this.watchers = new Watchers({ bus, kinds, lists: this.lists, isHere });
    this.positions = this.positionsOf();
    this.registry = new ActivationRegistry(this.hostOfActors(), options.actorBytesMax);
    const { registry, committer, park } = this;
    const isDead = (): boolean => this.dead;
    this.actors = new ActorsHere({ kinds, registry, ownership, scheduler, isDead });
    const numbers = new AskNumbers(() => ownership.incarnation);
    const ofRouter = { kinds, scheduler, ownership, bus, registry, breaker, meters, numbers };
    this.router = new CommandRouter({ ...ofRouter, faults: this.faults });
    const { router, watchers, lists, clocks } = this;
    const writtenUpTo = (scope: Scope): number | undefined => this.pumps.writtenUpTo(scope);
    const ofReads = {
      store,
      kinds,
      registry,
      ownership,
      watchers,
      lists,
      clocks,
      meters,
      eventLogKind,
      writtenUpTo,
    };
    this.client = new NodeClient({ ...ofReads, router, bus, committer });
    this.timers = this.timersOf();
    this.pumps = this.pumpsOf();
    this.walks = this.walksOf();
    this.keepers = this.keepersOf();
    this.committedNow = this.afterCommitOf();
    this.scans = this.scansOf();
    this.purger = this.purgerOf();
    this.republishing = new Republishing({ store, scheduler, log, eventLogKind, park, ask: router.ask });
  }

  get incarnation(): string {
    return this.options.ownership.incarnation;
  }

  /** Slots this node serves; undefined = all. */
  get slots(): readonly SlotRange[] | undefined {
    return this.options.ownership.slots;
  }

  /** Starts to take ownership and to answer. */
  async start(): Promise<void> {
    const { options, store, scheduler, registry, pumps, effects, lists } = this;
    options.meters.watch(gaugesOf({ slots: () => this.slots, registry, pumps, effects }));
    this.keepers.listen();
    await options.ownership.start({
      store,
      scheduler,
      scan: (leases) => this.scans.takeOver(slotsOfAll(leases)),
      answer: (lease, envelope) => this.router.ofOthers(lease, envelope),
      underWay: (lease) => registry.underWay(lease),
      drop: (lease) => {
        registry.drop(lease);
        pumps.forget(lease);
        lists.moved();
      },
      faults: this.faults,
    });
    if (this.slots !== undefined) lists.start();
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

  /** Whether a call that is never made again is out. */
  get callsOnce(): boolean {
    return this.options.ownership.callsOnce;
  }

  /** Waits until turns and outboxes are idle (at most `waitMs`), gives away what it owns, then stops. */
  async stop(waitMs: DurationMs = seconds(5)): Promise<void> {
    this.effects.stop();
    await this.options.ownership.stop(waitMs);
    this.kill();
  }

  /** Sends a dead letter once more. Rejects when the store does not answer. */
  replayDead(id: string): Promise<Replayed> {
    const { store, committer, client } = this;
    return replayDead({ store, committer, ask: client.ask, settled: (...of) => client.settled(...of) }, id);
  }

  private hostOfActors(): ActivationHost<Activation> {
    const { options, scheduler, store, clocks, committer, admission, effects, park, work, positions } = this;
    const { ownership, log, meters, envelopeText, eras = [] } = options;
    const ofWork = { clocks, committer, positions, admission, effects, park, work };
    const named = { ...ofWork, scheduler, store, log, meters };
    return {
      ...named,
      envelopeText,
      eras,
      eventLogKind: this.eventLogKind,
      settling: new Settling(store),
      complaints: new Complaints(log, scheduler),
      faults: this.faults,
      sharesClocks: this.sharesClocks,
      get incarnationsAlive() {
        return ownership.incarnationsAlive;
      },
      ask: (...asked) => this.router.ask(...asked),
      activation: (kind, id) => this.actors.activation(kind, id),
      forget: (activation) => this.registry.forget(activation),
      committedNow: (...committed) => this.committedNow(...committed),
      nextToken: () => `${ownership.incarnation}.${++this.tokens}`,
      failpoint: async (name, kind, id) => options.failpoint?.(name, kind, id),
      lost: (lease) => ownership.lost(lease),
      refuse: (lease) => ownership.refuse(lease),
      readByAll: (kind) => ownership.readByAll(kind),
    };
  }

  private listsOf(): WatchLists {
    const { bus, ownership } = this.options;
    const { scheduler } = this;
    const incarnation = (): string => ownership.incarnation;
    return new WatchLists({ bus, scheduler, incarnation, alive: () => ownership.incarnationsAlive });
  }

  private effectsOf(): Effects {
    const { options, scheduler, store, kinds } = this;
    const onThrow = (kind: string, thrown: unknown): void =>
      options.log.error({ effect: kind, err: thrown }, 'an effect threw an error: its outcome is unknown');
    return new Effects(options.effects, scheduler, onThrow, {
      ofLane: (...lane) => {
        const inMemory = this.registry.find.bind(this.registry);
        return refill({ kinds, store, inMemory, wake: (kind, id) => this.actors.wake(kind, id) }, ...lane);
      },
      all: () => this.scans.busy(this.slots),
    });
  }

  private positionsOf(): JournalPositions {
    const { scheduler, eventLogKind } = this;
    const ask: AskUntyped = (...asked) => this.router.ask(...asked);
    const load = ({ kind, id }: Address): Promise<void> => this.actors.wake(kind, id);
    return new JournalPositions(
      { scheduler, eventLogKind, ask, load, faults: this.faults },
      (scope, upTo, entries) => {
        this.pumps.written(scope, upTo, entries);
        this.watchers.notify(scope, scope, null);
      },
    );
  }

  private pumpsOf(): JournalPumps {
    const { options, clocks, sharesClocks, scheduler, park, work, router, positions } = this;
    const { log, dispatch, publish } = options;
    const host = { clocks, sharesClocks, scheduler, log, park, work, positions, ask: router.ask };
    return new JournalPumps(host, dispatch, publish);
  }

  private walksOf(): ClockWalks {
    const { options, clocks, sharesClocks, scheduler, store, work, client, registry, pumps, actors } = this;
    const named = {
      clocks,
      sharesClocks,
      scheduler,
      store,
      work,
      registry,
      pumps,
      ask: client.ask,
      log: options.log,
    };
    return new ClockWalks({
      ...named,
      faults: this.faults,
      clockKeeperKind: this.clockKeeperKind,
      walkSteps: new WalkSteps({ ask: client.ask, activation: (kind, id) => actors.activation(kind, id) }),
      read: (to, scope) => client.read(to, scope),
      wake: (kind, id) => actors.wake(kind, id),
      scanTimers: () => this.scans.timersNow(),
    });
  }

  private keepersOf(): ClockKeepers {
    const { kinds, store, clocks, walks, sharesClocks } = this;
    const { bus, ownership } = this.options;
    const leaseOf = (id: string): PartitionLease | undefined => ownership.leaseOf(id);
    return new ClockKeepers({ kinds, store, bus, clocks, walks, leaseOf, sharesClocks: () => sharesClocks });
  }

  private afterCommitOf(): ReturnType<typeof afterCommit> {
    const { options, registry, keepers, walks, timers, pumps, watchers } = this;
    return afterCommit({ committed: options.committed, registry, keepers, walks, timers, pumps, watchers });
  }

  private scansOf(): Scans {
    const { options, scheduler, store, kinds, timers, keepers, eventLogKind, sharesClocks } = this;
    const named = { scheduler, store, kinds, timers, keepers, eventLogKind, sharesClocks, log: options.log };
    return new Scans({
      ...named,
      slots: () => this.slots,
      wake: (kind, id) => this.actors.wake(kind, id),
      sweep: () => this.registry.sweep(),
    });
  }

  private purgerOf(): Purger {
    const { options, scheduler, store, clocks, registry } = this;
    const { ownership, log, meters } = options;
    const named = { scheduler, store, clocks, log };
    return new Purger({
      ...named,
      rules: options.retention ?? [],
      projectKind: this.clockKeeperKind,
      owns: (id) => ownership.leaseOf(id)?.maySend === true,
      purged(kind, count, ids) {
        meters.purged(kind, count);
        for (const id of ids) registry.forgetIdle(kind, id);
      },
    });
  }

  private timersOf(): Timers {
    const due = new DueQueue(
      (kind, id) => this.actors.fireDue(kind, id),
      (kind) => this.kinds.get(kind)?.dueAtOnceMax ?? dueAtOnceMax,
    );
    return new Timers(this.scheduler, this.clocks, (kind, id) => due.add(kind, id));
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
