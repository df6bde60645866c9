/** Which partitions of the cluster this node owns: takes those it should own, gives away those another node
 *  should own. There is no leader: all nodes see the same rows and compute the same assignment.
 *  1. A partition is taken by a compare-and-set that raises the epoch; only after that is any of it read,
 *     served or announced.
 *  2. A partition is given away only after no work on it is in progress and no copy can arrive any more.
 *  3. A read of the directory that no longer shows a lease ends it. */
import { slotCount } from '../../kernel/id.ts';
import { seconds, type Cancel, type DurationMs, type Scheduler } from '../../kernel/time.ts';
import type { Bus } from '../../bus/bus.ts';
import type { Directory, NodeRow, PartitionRow } from '../../store/directory.ts';
import type { SlotRange } from '../../store/store.ts';
import { slotOfActor } from '../model/address.ts';
import { BaseUrlCheck } from './base-url-check.ts';
import { BusBeats } from './bus-beats.ts';
import { withReach } from './bus-groups.ts';
import { BusLoss } from './bus-loss.ts';
import type { AskResult, Envelope } from '../model/envelope.ts';
import { HandOff, partitionsMoved } from './hand-off.ts';
import { Leaving } from './leaving.ts';
import { Membership, type DirectoryRead, type MembershipOptions } from './membership.ts';
import { UnresponsiveOwners } from './unresponsive-owners.ts';
import { slotsOf, type Ownership, type OwnershipParts } from './ownership.ts';
import type { RuntimeLog } from '../model/runtime-log.ts';
import { SchemasRead, type Schemas } from './schemas-read.ts';
import { TakeoverScans } from './takeover-scans.ts';
import { PartitionLease } from './partition-lease.ts';
import { WantedOwners } from './wanted-owners.ts';

/** Partitions whose rows move from one owner to another at the same time. */
export const movesMax = 16;
/** A partition this node could not serve is not taken again for this long. */
const refusedForMs = seconds(60);
export interface PartitionsOptions {
  readonly directory: Directory;
  readonly bus: Bus;
  readonly count: number;
  readonly log: RuntimeLog;
  /** Kind -> newest schema this node reads. */
  readonly schemas: Schemas;
  readonly membership: Omit<MembershipOptions, 'onRead' | 'onDeposed' | 'info' | 'directory' | 'log'> & {
    readonly info: (state: {
      leaving: boolean;
      bus: boolean;
      unheard: readonly string[];
      refuses: readonly number[];
    }) => Omit<ReturnType<MembershipOptions['info']>, 'schemas'>;
  };
}

interface Holding {
  readonly lease: PartitionLease;
  /** Steady time since when the directory has shown it as ours. */
  readonly since: DurationMs;
  readonly stop: Promise<() => Promise<void>>;
}

export class Partitions implements Ownership {
  private readonly options: PartitionsOptions;
  private readonly membership: Membership;
  private readonly scheduler: Scheduler;
  private readonly schemas: SchemasRead;
  private readonly baseUrls: BaseUrlCheck;
  private parts: OwnershipParts | null = null;
  private scans: TakeoverScans | null = null;
  private readonly holdings = new Map<number, Holding>();
  private readonly moving = new Set<number>();
  /** How many of these are being taken. */
  private taking = 0;
  /** Moves already started since this read. */
  private readonly tried = new Set<number>();
  private readonly refused = new Map<number, DurationMs>();
  private directoryRead: DirectoryRead = { nodes: [], partitions: [], askedAt: -Infinity };
  private seenWhole = false;
  private readonly wanted: WantedOwners;
  private readonly owners: UnresponsiveOwners;
  private readonly busLoss: BusLoss;
  private readonly beats: BusBeats;
  private readonly handOff: HandOff;
  private readonly leaving: Leaving;

  constructor(options: PartitionsOptions) {
    this.options = options;
    const { directory, log, membership, schemas } = options;
    this.scheduler = membership.scheduler;
    this.schemas = new SchemasRead(schemas, log);
    this.baseUrls = new BaseUrlCheck(log);
    this.wanted = new WantedOwners(options.count);
    this.busLoss = new BusLoss(options.bus, membership.scheduler);
    this.membership = new Membership({
      ...membership,
      directory,
      log,
      info: () => ({
        schemas,
        ...membership.info({
          leaving: this.leaving.begun,
          bus: options.bus.connected,
          unheard: this.beats.unheard,
          refuses: this.refuses,
        }),
      }),
      onRead: (directoryRead) => this.compare(directoryRead),
      onDeposed: () => this.dropAll(),
    });
    const { membership: known, scheduler } = this;
    const { bus } = options;
    this.handOff = new HandOff({
      directory,
      bus,
      scheduler,
      underWay: (lease) => this.parts?.underWay(lease) === true,
      end: (lease) => this.end(lease),
    });
    this.leaving = new Leaving({
      membership: known,
      bus,
      scheduler,
      held: () => [...this.holdings.keys()],
      wantedOwner: (p) => this.wanted.of(this.directoryRead.nodes)[p] ?? null,
      giveAll: (until) => this.giveAll(until),
      callsOnce: () => this.callsOnce,
    });
    const unseenMs = (inc: string): DurationMs => known.unseenMs(inc);
    this.owners = new UnresponsiveOwners({ scheduler, unseenMs });
    this.beats = new BusBeats({
      bus,
      scheduler,
      log,
      unseenMs,
      incarnation: () => known.incarnation,
      serving: () => [...this.holdings.keys()],
      onChange: () => void known.announce(),
    });
  }

  get incarnation(): string {
    return this.membership.incarnation;
  }

  get incarnationsAlive(): readonly string[] {
    return this.membership.nodes.filter(({ state }) => state === 'live').map(({ inc }) => inc);
  }

  get valid(): boolean {
    return this.membership.valid;
  }

  /** Whether this node has ever seen every partition owned by a living node: from then on it can reach any
   *  actor. */
  get ready(): boolean {
    return this.seenWhole;
  }

  /** Whether this node has no bus although others have theirs: they can serve what it cannot. */
  get cutOff(): boolean {
    const { isUnreachable, isLost } = this.busLoss;
    return isUnreachable || (isLost && this.directoryRead.nodes.some((node) => this.hasBus(node)));
  }

  get callsOnce(): boolean {
    return [...this.holdings.values()].some(({ lease }) => lease.callsOnce);
  }

  /** Live nodes that this one does not hear over the bus. */
  get unheard(): readonly string[] {
    return this.beats.unheard;
  }

  private hasBus({ inc, state, info }: NodeRow): boolean {
    return inc !== this.incarnation && state === 'live' && info.bus;
  }

  /** Partitions this node serves now. */
  get serving(): readonly number[] {
    return [...this.holdings]
      .filter(([, { lease }]) => lease.phase === 'serving')
      .map(([p]) => p)
      .sort((a, b) => a - b);
  }

  get slots(): readonly SlotRange[] {
    return slotsOf(this.serving, this.options.count);
  }

  partitionOf(actorId: string): number {
    return Math.floor((slotOfActor(actorId) * this.options.count) / slotCount);
  }

  leaseOf(actorId: string): PartitionLease | undefined {
    return this.holdings.get(this.partitionOf(actorId))?.lease;
  }

  maySend(partition: number): boolean {
    return this.owners.maySend(partition);
  }

  whenUnresponsive(partition: number, giveUp: () => void): Cancel {
    return this.owners.whenUnresponsive(partition, giveUp);
  }

  async start(parts: OwnershipParts): Promise<void> {
    this.parts = parts;
    const { log } = this.options;
    this.scans = new TakeoverScans({
      scan: parts.scan,
      more: () => this.taking > 0,
      served: () => this.options.bus.broadcast(partitionsMoved, ''),
      scheduler: this.scheduler,
      log,
    });
    this.options.bus.onBroadcast(partitionsMoved, () => void this.membership.read());
    this.beats.start();
    await this.membership.join();
  }

  handOver(waitMs: DurationMs): Promise<void> {
    return this.leaving.handOver(waitMs);
  }

  async stop(waitMs: DurationMs): Promise<void> {
    await this.leaving.stop(waitMs);
    this.beats.stop();
    this.dropAll();
  }

  /** A partition just taken is scanned first and served then. */
  private giveAll(until: DurationMs): void {
    for (const [p, holding] of this.holdings) {
      if (holding.lease.phase === 'opening' || this.moving.has(p)) continue;
      if (this.moving.size < movesMax) this.begin(p, this.give(p, holding, until));
    }
  }

  kill(): void {
    this.membership.kill();
    this.beats.stop();
    this.dropAll();
  }

  /** This node cannot read a document in a partition (a newer schema): another node must own it. */
  refuse(lease: PartitionLease): void {
    const { partition } = lease;
    if (partition === null || lease.over) return;
    this.refused.set(partition, this.scheduler.steady() + refusedForMs);
    void this.membership.announce().then(() => this.membership.read());
  }

  readByAll(kind: string): number {
    return this.schemas.byAll(kind);
  }

  /** A newer epoch was found: this lease belongs to another node, whatever we believe. */
  lost(lease: PartitionLease): void {
    this.options.log.warn(
      { partition: lease.partition, epoch: lease.epoch },
      'another node owns this partition',
    );
    this.end(lease);
    void this.membership.read();
  }

  private get refuses(): readonly number[] {
    const now = this.scheduler.steady();
    for (const [p, until] of this.refused) if (until <= now) this.refused.delete(p);
    return [...this.refused.keys()];
  }

  private compare(read: DirectoryRead): void {
    const directoryRead = { ...read, nodes: withReach(read.nodes) };
    this.directoryRead = directoryRead;
    this.beats.observe(read.nodes);
    this.busLoss.observe(this.hasOwnBus(read) && !this.hasOwnBus(directoryRead));
    this.schemas.observe(directoryRead.nodes);
    this.baseUrls.observe(directoryRead.nodes, this.incarnation);
    this.owners.observe(directoryRead);
    this.tried.clear();
    this.endWhatIsAnothers(directoryRead);
    this.seenWhole ||= this.isWhole(directoryRead);
    this.move();
  }

  private hasOwnBus({ nodes }: DirectoryRead): boolean {
    return nodes.find(({ inc }) => inc === this.incarnation)?.info.bus === true;
  }

  private isWhole({ nodes, partitions }: DirectoryRead): boolean {
    const alive = new Set(nodes.filter(({ state }) => state === 'live').map(({ inc }) => inc));
    const owned = partitions.filter(({ owner }) => owner !== null && alive.has(owner));
    return owned.length === this.options.count;
  }

  /** Starts as many moves as may run at once; the next ones start when these have ended. */
  private move(): void {
    if (!this.membership.valid || this.parts === null) return;
    const { nodes, partitions } = this.directoryRead;
    const rows = new Map(partitions.map((row) => [row.p, row]));
    const owners = this.wanted.of(nodes);
    const alive = new Set(nodes.filter(({ state }) => state === 'live').map(({ inc }) => inc));
    for (let p = 0; p < this.options.count && this.moving.size < movesMax; p++) {
      if (this.moving.has(p) || this.tried.has(p)) continue;
      const row = rows.get(p) ?? { p, epoch: 0, owner: null };
      const holding = this.holdings.get(p);
      const lease = holding?.lease;
      const mine = owners[p] === this.incarnation && !this.leaving.begun;
      // a row that names us for a partition we do not hold: the answer to our take was lost
      const free = row.owner === null || row.owner === this.incarnation || !alive.has(row.owner);
      if (lease === undefined && mine && free) this.begin(p, this.taken(row));
      else if (lease === undefined && row.owner === this.incarnation)
        this.begin(p, this.handOff.returnPartition(row, this.incarnation));
      else if (holding?.lease.phase === 'serving' && this.leaving.hasNextOwner(p) && this.busLoss.mayGive)
        this.begin(p, this.give(p, holding, Infinity));
    }
  }

  private begin(p: number, work: Promise<void>): void {
    this.moving.add(p);
    this.tried.add(p);
    void work
      .catch((thrown: unknown) =>
        this.options.log.warn({ partition: p, err: thrown }, 'a partition could not be moved: retrying'),
      )
      .finally(() => {
        this.moving.delete(p);
        if (!this.leaving.stopping) this.move();
      });
  }

  private endWhatIsAnothers({ partitions, askedAt }: DirectoryRead): void {
    const rows = new Map(partitions.map((row) => [row.p, row]));
    for (const [p, { lease, since }] of this.holdings) {
      const row = rows.get(p);
      // a read requested before the row was ours cannot show it
      if (this.moving.has(p) || since >= askedAt) continue;
      if (row?.owner === this.incarnation && row.epoch === lease.epoch) continue;
      this.lost(lease);
    }
  }

  private async taken(row: PartitionRow): Promise<void> {
    this.taking++;
    await this.take(row).finally(() => {
      this.taking--;
    });
  }

  private async take(row: PartitionRow): Promise<void> {
    const { directory } = this.options;
    const { parts, incarnation } = this;
    if (parts === null || !(await directory.take(row, incarnation))) return;
    // declared dead meanwhile: what was taken belongs to an old incarnation, and another node will take it
    // over
    if (incarnation !== this.incarnation) return;
    const { store, scheduler } = parts;
    const epoch = row.epoch + 1;
    const [slots = null] = slotsOf([row.p], this.options.count);
    const lease = new PartitionLease({
      partition: row.p,
      slots,
      epoch,
      session: this.membership,
      scheduler,
      store,
      sendsAnyway: parts.faults.answerAfterHandOff === true,
    });
    const stop = this.subscribe(lease, row.p);
    this.holdings.set(row.p, { lease, since: scheduler.steady(), stop });
    await this.handOff.whileOnBus(stop);
    void this.scans?.scanned(lease).then(() => lease.serve());
  }

  private subscribe(lease: PartitionLease, p: number): Promise<() => Promise<void>> {
    return this.options.bus.serve(p, (envelope) => this.heard(lease, envelope));
  }

  /** A copy from another node. Without a session, and after the end of the lease, nothing is answered. */
  private async heard(lease: PartitionLease, envelope: Envelope): Promise<AskResult | null> {
    if (!lease.stands) return null;
    const answer = this.parts?.answer(lease, envelope);
    const result = answer === undefined ? null : await lease.whileMine(answer);
    return lease.stands ? result : null;
  }

  private give(p: number, { lease, stop }: Holding, until: DurationMs): Promise<void> {
    return this.handOff.give(p, { lease, stop, until, incarnation: this.incarnation });
  }

  private end(lease: PartitionLease): void {
    if (lease.over || lease.partition === null) return;
    const { stop } = this.holdings.get(lease.partition) ?? {};
    this.holdings.delete(lease.partition);
    lease.end();
    this.parts?.drop(lease);
    void stop?.then((unsubscribe) => unsubscribe()).catch(() => undefined);
  }

  private dropAll(): void {
    for (const { lease } of this.holdings.values()) this.end(lease);
  }
}
