/** The committed document as one activation holds it: reading, writing and stamping it with an epoch.
 *  1. When a commit finds a newer document, its outcome is determined by reading that document back, never
 *     by guessing.
 *  2. No operation completes before every view row of the document is acknowledged.
 *  3. A newer epoch in the store ends the lease; after that, all work stops.
 *  4. A document with an older epoch is used for answers only after a commit under the current epoch.
 *  5. In memory the body has this build's shape, whatever schema `sv` it is stored in. */
import { assert } from '../../kernel/assert.ts';
import { SmallSet } from '../../kernel/small-set.ts';
import type { Doc, Row, Store, Written } from '../../store/store.ts';
import type { AnyActor } from '../model/actor.ts';
import { addressText } from '../model/address.ts';
import { withoutEvents, withoutOutbox, type BrokenBuild } from '../model/broken-builds.ts';
import { deadLetterKind } from '../model/dead-letter.ts';
import { formats } from '../model/formats.ts';
import { lowered } from '../model/downcast.ts';
import type { AskResult, Shown } from '../model/envelope.ts';
import type { Committer, WaitsFor } from './committer.ts';
import type { AtFailpoint } from '../model/failpoint.ts';
import type { RuntimeMeters } from '../model/meters.ts';
import type { RuntimeLog } from '../model/runtime-log.ts';
import { storedDoc, type StoredDoc } from './stored-doc.ts';
import { leftToOutbox, unplaced, type JournalPositions, type Placed } from '../delivery/journal-positions.ts';
import type { Settling } from './settling.ts';
import type { PartitionLease } from '../cluster/partition-lease.ts';
import { SchemaUnknown } from '../model/upcast.ts';
import { metaOf } from '../turn/turn-rows.ts';

/** How a commit ended: it was applied; the store refused it; or a newer document was found, which is held
 *  now. */
export type Committed =
  | Extract<Written, { is: 'error' }>
  /** `placed`: the events that were written with it. */
  | { readonly is: 'applied'; readonly placed: Placed | null }
  | { readonly is: 'newer' };

/** What reading and writing one document needs from the node. */
export interface DocumentHost {
  readonly store: Pick<Store, 'rowsInCommit'>;
  readonly committer: Pick<Committer, 'submit' | 'putRows'>;
  readonly settling: Pick<Settling, 'settle'>;
  readonly positions: Pick<JournalPositions, 'hasRoom' | 'placed' | 'logged'>;
  /** The newest form that every node can read. */
  readByAll(format: string): number;
  readonly log: RuntimeLog;
  readonly meters: Pick<RuntimeMeters, 'parked'>;
  readonly faults: BrokenBuild;
  readonly failpoint: AtFailpoint;
  /** Another node owns the partition under a newer epoch. */
  lost(lease: PartitionLease): void;
  /** A document of this partition needs a newer version of the service. */
  refuse(lease: PartitionLease): void;
}

export class CommittedDocument {
  doc: Doc | null = null;
  loaded = false;
  /** Why it is in quarantine: the document cannot be read, or the actor failed while it ran. */
  broken: unknown = null;
  unreadable = false;
  /** Whether `doc` may be used for answers: it was written or stamped under this lease. */
  stamped = false;
  /** Rows of `out` whose work is done; they are cleared by the next commit. */
  readonly settled = new SmallSet<number>();
  private readonly host: DocumentHost;
  private readonly lease: PartitionLease;
  private readonly actor: AnyActor;
  private readonly id: string;
  private view: { readonly v: number; readonly body: { readonly [key: string]: unknown } } | null = null;
  private readonly onNoAnswer: (thrown: unknown) => void;

  /** `onNoAnswer` is called each time the store did not answer. */
  constructor(
    host: DocumentHost,
    lease: PartitionLease,
    actor: AnyActor,
    id: string,
    onNoAnswer: (thrown: unknown) => void,
  ) {
    this.host = host;
    this.lease = lease;
    this.actor = actor;
    this.id = id;
    this.onNoAnswer = onNoAnswer;
  }

  /** The answer while the document is broken. If a newer version wrote it, another node may be able to read
   *  it. */
  get refusal(): AskResult {
    const isNewer = this.broken instanceof SchemaUnknown && this.lease.partition !== null;
    return isNewer ? { is: 'not_executed', why: 'moved', retryAfterMs: 100 } : { is: 'internal' };
  }

  /** It has something to send, but must first commit under its own epoch. */
  get stampDue(): boolean {
    return !this.stamped && this.broken === null && this.unsettled > 0;
  }

  /** The stored document shows nothing left to send. */
  get nothingLeft(): boolean {
    return (this.doc?.out.length ?? 0) === 0 || this.doc?.busy === false;
  }

  /** Rows of `out` whose work is not done. */
  get unsettled(): number {
    return (this.doc?.out.length ?? 0) - this.settled.size;
  }

  /** Everything in `out` is done, and none of it has an answer that somebody waits for: `busy` can be taken away
   *  without writing the document again. */
  get settles(): boolean {
    const { doc, actor, host } = this;
    if (doc === null || !doc.busy || doc.out.length === 0 || actor.unfinished !== undefined) return false;
    if (host.readByAll('out') < formats.out) return false;
    return doc.out.every(({ q, type }) => this.settled.has(q) && (type === 'event' || type === 'row'));
  }

  /** Takes `busy` away from the document as it is now. */
  async settle(): Promise<void> {
    const { doc } = this;
    if (doc === null || !(await this.host.settling.settle(doc))) return;
    if (this.doc === doc) this.doc = { ...doc, busy: false };
  }

  /** The actor's own view of the committed state, built once per version. */
  viewOf(doc: Doc): { readonly [key: string]: unknown } {
    if (this.view?.v !== doc.v)
      this.view = { v: doc.v, body: this.actor.view(doc.body as never, metaOf(doc)) };
    return this.view.body;
  }

  /** What goes with an answer to a caller that asks for it; null: nothing, also of a tombstone. Never throws: its
   *  command is committed, and a view that fails is the failure of a read. */
  shown(doc: Doc | null = this.doc): Shown | null {
    const { actor } = this;
    if (doc === null || doc.gone || doc.body === null || !this.stamped) return null;
    try {
      return { state: doc.body, meta: metaOf(doc), v: doc.v, schema: actor.schema, view: this.viewOf(doc) };
    } catch (thrown) {
      this.host.log.error({ actor: addressText({ kind: actor.kind, id: this.id }), err: thrown }, viewFailed);
      return null;
    }
  }

  /** Holds what was held before the actor went to rest. */
  wakeUp(doc: Doc, stamped: boolean): void {
    this.doc = doc;
    this.stamped = stamped;
    this.loaded = true;
  }

  async load(): Promise<void> {
    await this.adopt(await this.stored());
  }

  /** Whether the store holds a newer document; null when the store does not answer. */
  isBehind(): Promise<boolean | null> {
    const read = this.lease.store.read(this.actor.kind, this.id).then(
      (doc) => (doc?.v ?? 0) > (this.doc?.v ?? 0),
      () => null,
    );
    // the result of a read is dropped if the lease ended meanwhile, and a scan must not wait for it
    return this.lease.whileMine(read);
  }

  /** Writes the next document; `rows` go in the same commit where the store supports it. */
  async commit(next: Doc, rows: readonly Row[], waitsFor: WaitsFor): Promise<Committed> {
    const { host, actor } = this;
    await host.failpoint('before_commit', actor.kind, this.id);
    const events = unplaced(rows);
    let placed: Placed | null = null;
    while (placed === null && events.length > 0) {
      if (!(await host.positions.hasRoom(next.scope, events.length)))
        return this.commit(
          leftToOutbox(next, events),
          rows.filter((row) => !events.includes(row)),
          waitsFor,
        );
      placed = host.positions.placed(next.scope, rows);
    }
    let committed: Committed | null = null;
    try {
      committed = await this.written(next, placed?.rows ?? rows, waitsFor);
    } catch (thrown) {
      // the events of others wait for these positions
      placed?.ended(null);
      throw thrown;
    }
    if (committed !== null) {
      placed?.ended(null);
      return committed;
    }
    this.doc = next;
    this.stamped = true;
    this.settled.keep((q) => next.out.some((row) => row.q === q));
    for (const { kind } of rows) if (kind === deadLetterKind) host.meters.parked(actor.kind);
    await this.writeRows(next);
    return { is: 'applied', placed };
  }

  /** null: it is written. */
  private async written(next: Doc, rows: readonly Row[], waitsFor: WaitsFor): Promise<Committed | null> {
    const { host, actor } = this;
    if (next.body !== null && actor.logCursors !== undefined)
      host.positions.logged(next.scope, actor.logCursors(next.body as never).pos);
    const noOutbox = host.faults.noOutbox === true;
    const inCommit = host.store.rowsInCommit ? rows : [];
    const written = await this.whileOurs(
      await host.committer.submit(
        {
          expect: this.doc?.v ?? 0,
          doc: this.asWritten(noOutbox ? withoutOutbox(next) : next),
          rows: noOutbox ? withoutEvents(inCommit) : inCommit,
        },
        waitsFor,
      ),
    );
    await host.failpoint('after_commit', actor.kind, this.id);
    if (written.is === 'error') return written;
    if (written.is !== 'stale') return null;
    const stored = await this.stored();
    if (stored.doc?.tok === next.tok) return null;
    await this.adopt(stored);
    return { is: 'newer' };
  }

  private asWritten(next: Doc): Doc {
    const { actor } = this;
    if (next.body === null || next.sv === actor.schema) return next;
    const body = lowered(actor, next.body, next.sv);
    assert(body !== null, 'a turn chooses a schema its state can be said in');
    return { ...next, body };
  }

  private async stored(): Promise<StoredDoc> {
    const stored = await storedDoc(this.lease, this.actor, this.id, this.onNoAnswer);
    // another node owns it under a newer epoch: from here on this node sends nothing for it
    if ((stored.doc?.e ?? 0) > this.lease.epoch) this.host.lost(this.lease);
    return this.whileOurs(stored);
  }

  private async adopt({ doc, unreadable }: StoredDoc): Promise<void> {
    if (unreadable !== null && !this.unreadable)
      this.host.log.error(
        { actor: addressText({ kind: this.actor.kind, id: this.id }), err: unreadable },
        unreadable instanceof SchemaUnknown
          ? 'this document was written by a newer version and is not changed: start a node of that version'
          : 'this document cannot be read: the actor is quarantined',
      );
    this.broken = unreadable;
    this.unreadable = unreadable !== null;
    // a newer version of the service wrote it: a node of that version must own it
    if (unreadable instanceof SchemaUnknown) this.host.refuse(this.lease);
    this.doc = doc;
    this.stamped = doc === null || doc.e >= this.lease.epoch || this.host.faults.noStamp === true;
    this.settled.clear();
    if (doc?.busy === false) for (const { q } of doc.out) this.settled.add(q);
    if (doc !== null) await this.writeRows(doc);
    this.loaded = true;
  }

  private async writeRows(doc: Doc): Promise<void> {
    const rows = rowsIn(doc).filter(({ q }) => !this.settled.has(q));
    if (rows.length === 0) return;
    await this.whileOurs(await this.host.committer.putRows(rows.map(({ row }) => row)));
    for (const { q } of rows) this.settled.add(q);
  }

  /** Continues only under a valid lease, once that lease may send. */
  private async whileOurs<T>(value: T): Promise<T> {
    if (!this.lease.maySend) await this.lease.untilMaySend();
    return value;
  }
}

const viewFailed = 'the view of an actor threw an error: its answer does not show it';

const rowsIn = (doc: Doc): readonly { readonly q: number; readonly row: Row }[] =>
  doc.out.filter((row) => row.type === 'row');
