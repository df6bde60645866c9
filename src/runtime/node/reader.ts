/** Reads for gateways: one object from the actor in memory here, else from the store; lists from the store.
 *  1. What is shown is committed, and all its pending view rows are written first. */
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
import type { Activation } from '../activation/activation.ts';
import type { AnyActor } from '../model/actor.ts';
import type { Address, Scope } from '../model/address.ts';
import type { Snapshot } from '../model/client.ts';
import type { Committer } from '../activation/committer.ts';
import { LeaseOver } from '../cluster/partition-lease.ts';
import { readableOnes, upcasted } from '../model/upcast.ts';
import { metaOf } from '../turn/turn-rows.ts';

export interface ReaderParts {
  readonly store: Store;
  readonly committer: Committer;
  readonly kinds: ReadonlyMap<string, AnyActor>;
  /** The actor in memory, if it may answer here and now. */
  readonly answering: (to: Address) => Activation | undefined;
}

export class Reader {
  private readonly parts: ReaderParts;

  constructor(parts: ReaderParts) {
    this.parts = parts;
  }

  /** Returns the value instead of a promise when the actor is in memory and idle. */
  read<State>(to: Address, scope: Scope | null): MaybePromise<Snapshot<State> | null> {
    const actor = this.parts.kinds.get(to.kind);
    if (actor === undefined) return null;
    const activation = this.parts.answering(to);
    const doc =
      activation === undefined
        ? this.stored(actor, to)
        : activation.atRest
          ? activation.shownNow()
          : this.shownOrStored(activation, actor);
    return whenThere(doc, (found) => seenFrom<State>(scope, actor, found, activation));
  }

  async readStored<State>(
    kind: string,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, Snapshot<State>>> {
    const actor = this.parts.kinds.get(kind);
    const elsewhere = ids.filter((id) => this.parts.answering({ kind, id }) === undefined);
    if (actor === undefined || elsewhere.length === 0) return new Map();
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
    const { items: stored, total } = await this.parts.store.listDocs(query);
    const items = readableOnes(actor, stored);
    await this.writeRowsOf(items);
    return { items: items.map((doc) => snapshot(actor, doc)), total };
  }

  listRows(query: ListQuery): Promise<Listed<Row>> {
    return this.parts.store.listRows(query);
  }

  sumRows(query: SumQuery): Promise<Sum> {
    return this.parts.store.sumRows(query);
  }

  newestTagged(query: TagQuery): Promise<readonly Tagged[]> {
    return this.parts.store.newestTagged(query);
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
