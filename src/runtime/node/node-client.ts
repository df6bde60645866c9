/** The client of one node. Asks go to the router as they are. One object is read from the actor in memory here,
 *  else from the store; lists are read from the store.
 *  1. What is shown is committed, and all its pending view rows are written first.
 *  2. What this node has just begun to watch is read once the other nodes know that (watch-lists.ts).
 *  3. Of an actor on another node its owner is asked. Whatever is not sure (no answer in time, not in its memory,
 *     another schema, no such actor) is decided by a read of the store that shows the newest acknowledged version. */
import { whenThere, type MaybePromise } from '../../kernel/maybe-promise.ts';
import type {
  Doc,
  Listed,
  ListQuery,
  Row,
  Store,
  Sum,
  SumQuery,
  Tagged,
  TagQuery,
} from '../../store/store.ts';
import type { Bus } from '../../bus/bus.ts';
import type { Cancel, Instant } from '../../kernel/time.ts';
import type { Activation } from '../activation/activation.ts';
import type { ActivationRegistry } from '../activation/activation-registry.ts';
import type { Committer } from '../activation/committer.ts';
import { LeaseOver } from '../cluster/partition-lease.ts';
import type { Ownership } from '../cluster/ownership.ts';
import type { AnyActor, Json } from '../model/actor.ts';
import { clockOf, type Address, type Scope } from '../model/address.ts';
import type { AskUntyped, Client, HintOutcome, Hinting, OnNotice, Snapshot } from '../model/client.ts';
import type { AskResult, Envelope, Identity, Shown } from '../model/envelope.ts';
import type { RuntimeMeters } from '../model/meters.ts';
import { readableOnes, upcasted } from '../model/upcast.ts';
import type { Clocks } from '../time/clocks.ts';
import { metaOf } from '../turn/turn-rows.ts';
import { bareDone } from '../turn/turn.ts';
import type { CommandRouter } from './command-router.ts';
import { carryHint, hintWaitMs, isDelivered } from './hint.ts';
import type { WatchLists } from './watch-lists.ts';
import type { Watchers } from './watchers.ts';

export interface NodeClientParts {
  readonly router: Pick<CommandRouter, 'ask' | 'ended' | 'shownElsewhere'>;
  readonly bus: Pick<Bus, 'post'>;
  readonly store: Store;
  readonly committer: Pick<Committer, 'putRows'>;
  readonly kinds: ReadonlyMap<string, AnyActor>;
  readonly registry: Pick<ActivationRegistry, 'inMemory'>;
  readonly ownership: Pick<Ownership, 'incarnation' | 'incarnationsAlive' | 'leaseOf'>;
  readonly watchers: Pick<Watchers, 'watch' | 'watchScope'>;
  readonly lists: Pick<WatchLists, 'told'>;
  readonly clocks: Pick<Clocks, 'now'>;
  readonly meters: Pick<RuntimeMeters, 'read'>;
  readonly eventLogKind: string | null;
  /** Up to which position a log here may be read; undefined: as its document says. */
  readonly writtenUpTo: (scope: Scope) => number | undefined;
}

export class NodeClient implements Client {
  readonly ask: AskUntyped & Client['ask'];
  private readonly parts: NodeClientParts;

  constructor(parts: NodeClientParts) {
    this.parts = parts;
    // the types of a command and of its answer are those of its actor, which has checked them
    this.ask = parts.router.ask as AskUntyped & Client['ask'];
  }

  get incarnation(): string {
    return this.parts.ownership.incarnation;
  }

  get incarnationsAlive(): readonly string[] {
    return this.parts.ownership.incarnationsAlive;
  }

  hint(to: Address, command: string, data: unknown, asking: Hinting): Promise<HintOutcome> {
    const { bus, router } = this.parts;
    const { by, scope, waitMs = hintWaitMs } = asking;
    const envelope: Envelope = { to, command, data: data as Json, by, scope, deadline: Infinity };
    const ask = (): Promise<AskResult> =>
      router.ask(to, command, data as object, { by, scope, waitMs, idempotent: true });
    return router.ended ? Promise.resolve('lost') : carryHint(ask, bus, envelope);
  }

  /** A hint from MAILBOX; returns whether it was delivered or is no longer needed. */
  async deliverHint({ to, command, data, by, scope }: Envelope): Promise<boolean> {
    // a node of another version may know the kind
    if (!this.parts.kinds.has(to.kind)) return false;
    return isDelivered(await this.ask(to, command, data as object, { by, scope, idempotent: true }));
  }

  settled(to: Address, { from, seq }: Identity): void {
    void this.ask(to, bareDone, {}, { by: 'system', scope: null, identity: { from, seq, done: seq } });
  }

  watch(id: string, onNotice: OnNotice): Cancel {
    return this.parts.watchers.watch(id, onNotice);
  }

  watchScope(scope: Scope, onNotice: (id: string) => void): Cancel {
    return this.parts.watchers.watchScope(scope, onNotice);
  }

  now(scope: Scope): Instant {
    return this.parts.clocks.now(clockOf(scope));
  }

  eventsUpTo(scope: Scope): MaybePromise<number> {
    const { eventLogKind, kinds, writtenUpTo } = this.parts;
    const log = eventLogKind === null ? undefined : kinds.get(eventLogKind);
    if (log === undefined) return 0;
    return whenThere(this.read({ kind: log.kind, id: scope }, scope), (found) => {
      const logged = found === null ? undefined : log.logCursors?.(found.state as never).pos;
      return writtenUpTo(scope) ?? logged ?? 0;
    });
  }

  /** Returns the value instead of a promise when the actor is in memory and idle. */
  read<State>(to: Address, scope: Scope | null): MaybePromise<Snapshot<State> | null> {
    const actor = this.parts.kinds.get(to.kind);
    if (actor === undefined) return null;
    const activation = this.answering(to);
    if (activation === undefined)
      return this.parts.ownership.leaseOf(to.id) === undefined
        ? this.elsewhere(to, scope, actor)
        : this.stored(actor, to).then((doc) => seenFrom<State>(scope, actor, doc, undefined));
    const doc = activation.answersNow ? activation.shownNow() : this.shownOrStored(activation, actor);
    return whenThere(doc, (found) => seenFrom<State>(scope, actor, found, activation));
  }

  async readStored<State>(
    kind: string,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, Snapshot<State>>> {
    const actor = this.parts.kinds.get(kind);
    const elsewhere = ids.filter((id) => this.answering({ kind, id }) === undefined);
    if (actor === undefined || elsewhere.length === 0) return new Map();
    await Promise.all(elsewhere.map(async (id) => this.parts.lists.told(id)));
    const docs = readableOnes(actor, await this.parts.store.readMany(kind, elsewhere));
    await this.writeRowsOf(docs);
    const shown = docs.filter(({ gone }) => !gone);
    return new Map(shown.map((doc) => [doc.id, snapshot(actor, doc) as Snapshot<State>]));
  }

  async readRow(kind: string, id: string, scope: Scope | null): Promise<Row | null> {
    const row = await this.parts.store.readRow(kind, id);
    return row === null || row.gone || (scope !== null && row.scope !== scope) ? null : row;
  }

  async list(query: ListQuery): Promise<Listed<Snapshot>> {
    const actor = this.parts.kinds.get(query.kind);
    if (actor === undefined) return { items: [], total: 0 };
    if (query.scope !== null) await this.parts.lists.told(query.scope);
    const { items: stored, total } = await this.parts.store.listDocs(query);
    const items = readableOnes(actor, stored);
    await this.writeRowsOf(items);
    return { items: items.map((doc) => snapshot(actor, doc)), total };
  }

  async listRows(query: ListQuery): Promise<Listed<Row>> {
    if (query.scope !== null) await this.parts.lists.told(query.scope);
    return this.parts.store.listRows(query);
  }

  sumRows(query: SumQuery): Promise<Sum> {
    return this.parts.store.sumRows(query);
  }

  newestTagged(query: TagQuery): Promise<readonly Tagged[]> {
    return this.parts.store.newestTagged(query);
  }

  /** The actor in memory, if it may answer here and now. */
  private answering({ kind, id }: Address): Activation | undefined {
    const { kinds, registry } = this.parts;
    const actor = kinds.get(kind);
    const known = actor === undefined ? undefined : registry.inMemory(actor, id);
    return known?.answersReads === true ? known : undefined;
  }

  /** The owner answers, or else the store. */
  private async elsewhere<State>(
    to: Address,
    scope: Scope | null,
    actor: AnyActor,
  ): Promise<Snapshot<State> | null> {
    const { router, meters, lists } = this.parts;
    await lists.told(to.id);
    const shown = await router.shownElsewhere(to);
    meters.read(shown === null ? 'store' : 'owner');
    if (shown === null) return seenFrom(scope, actor, await this.stored(actor, to), undefined);
    if (scope !== null && shown.meta.scope !== scope) return null;
    // the state of its kind, as the store has it
    return shown as Shown & Snapshot as unknown as Snapshot<State>;
  }

  /** If it is given away at this moment, the store answers. */
  private shownOrStored(activation: Activation, actor: AnyActor): Promise<Doc | null> {
    return activation.shown().catch((thrown: unknown) => {
      if (thrown instanceof LeaseOver) return this.stored(actor, { kind: actor.kind, id: activation.id });
      throw thrown;
    });
  }

  private async stored(actor: AnyActor, { kind, id }: Address): Promise<Doc | null> {
    const doc = await this.parts.store.read(kind, id);
    if (doc === null) return null;
    await this.writeRowsOf([doc]);
    return upcasted(actor, doc);
  }

  /** Pending view rows of a document are written before it is shown: any node may do that, a repeat is
   *  harmless. */
  private async writeRowsOf(docs: readonly Doc[]): Promise<void> {
    const rows = docs.flatMap(({ busy, out }) =>
      busy ? out.flatMap((row) => (row.type === 'row' ? [row.row] : [])) : [],
    );
    if (rows.length > 0) await this.parts.committer.putRows(rows);
  }
}

/** null when this scope may see nothing. */
const seenFrom = <State>(
  scope: Scope | null,
  actor: AnyActor,
  doc: Doc | null,
  activation: Activation | undefined,
): Snapshot<State> | null =>
  doc === null || doc.gone || (scope !== null && doc.scope !== scope)
    ? null
    : (snapshot(actor, doc, activation?.viewOf(doc)) as Snapshot<State>);

const snapshot = (
  actor: AnyActor,
  doc: Doc,
  view = actor.view(doc.body as never, metaOf(doc)),
): Snapshot => ({
  state: doc.body ?? {},
  meta: metaOf(doc),
  view,
  v: doc.v,
});
