/** The committed document as one activation holds it: read, written, stamped (engine 4, 6).
 *  1. A commit that met a newer document is judged by reading it back, never by guessing.
 *  2. Nothing here ends before every view row of the document is acknowledged.
 *  3. A newer epoch in the store ends the tenure; from there on nothing here goes on.
 *  4. A document that shows an older epoch may be answered from only after a commit under this one.
 *  5. Here the body has this build's shape, whatever schema `sv` says it is stored in. */
import { assert } from '../kernel/assert.ts';
import { Few } from '../kernel/few.ts';
import type { Doc, Row, Written } from '../store/store.ts';
import type { AnyActor } from './actor.ts';
import { addressText } from './address.ts';
import { withoutOutbox } from './broken-builds.ts';
import { deadLetterKind } from './dead-letters.ts';
import { lowered } from './downcast.ts';
import type { AskResult } from './envelope.ts';
import type { Node } from './node.ts';
import { storedDoc, type StoredDoc } from './stored-doc.ts';
import type { Tenure } from './tenure.ts';
import { SchemaUnknown } from './upcast.ts';

/** How a commit ended: it stands; the store refused it; or a newer document was there, and is held now. */
export type Committed = Extract<Written, { is: 'error' }> | { readonly is: 'applied' | 'newer' };

export class HeldDoc {
  doc: Doc | null = null;
  loaded = false;
  /** Why it is in quarantine: what it holds cannot be read, or the actor failed while it ran. */
  broken: unknown = null;
  unreadable = false;
  /** Whether `doc` may be answered from: written, or stamped, under this tenure. */
  stamped = false;
  /** Rows of `out` whose work is done; they go with the next commit. */
  readonly settled = new Few<number>();
  private readonly node: Node;
  private readonly tenure: Tenure;
  private readonly actor: AnyActor;
  private readonly id: string;
  private readonly onSilence: (thrown: unknown) => void;

  /** `onSilence` hears of each time the store did not answer. */
  constructor(node: Node, tenure: Tenure, actor: AnyActor, id: string, onSilence: (thrown: unknown) => void) {
    this.node = node;
    this.tenure = tenure;
    this.actor = actor;
    this.id = id;
    this.onSilence = onSilence;
  }

  /** What is answered while it is broken: of what a newer version wrote, another node may know more. */
  get refusal(): AskResult {
    const isNewer = this.broken instanceof SchemaUnknown && this.tenure.partition !== null;
    return isNewer ? { is: 'not_executed', why: 'moved', retryAfterMs: 100 } : { is: 'internal' };
  }

  /** It has something to send and may not, before it has said under which epoch. */
  get stampDue(): boolean {
    return !this.stamped && this.broken === null && (this.doc?.out.length ?? 0) > 0;
  }

  /** Rows of `out` whose work is not done. */
  get unsettled(): number {
    return (this.doc?.out.length ?? 0) - this.settled.size;
  }

  async load(): Promise<void> {
    await this.adopt(await this.stored());
  }

  /** Whether the store holds a newer one; null when it does not say. */
  isBehind(): Promise<boolean | null> {
    const read = this.tenure.store.read(this.actor.kind, this.id).then(
      (doc) => (doc?.v ?? 0) > (this.doc?.v ?? 0),
      () => null,
    );
    // nobody hears of a read that a tenure did not outlive, and a scan must not wait for it
    return this.tenure.whileMine(read);
  }

  /** Writes the next one; `rows` go with it where the store takes them. `unhurried`: nobody waits for it. */
  async commit(next: Doc, rows: readonly Row[], unhurried: boolean): Promise<Committed> {
    const { node, actor } = this;
    await node.failpoint('before_commit', actor.kind, this.id);
    const written = await this.whileOurs(
      await node.committer.submit(
        {
          expect: this.doc?.v ?? 0,
          doc: this.asWritten(node.faults.noOutbox === true ? withoutOutbox(next) : next),
          rows: node.store.rowsInCommit ? rows : [],
        },
        unhurried,
      ),
    );
    await node.failpoint('after_commit', actor.kind, this.id);
    if (written.is === 'error') return written;
    if (written.is === 'stale') {
      const stored = await this.stored();
      if (stored.doc?.tok !== next.tok) {
        await this.adopt(stored);
        return { is: 'newer' };
      }
    }
    this.doc = next;
    this.stamped = true;
    this.settled.keep((q) => next.out.some((row) => row.q === q));
    for (const { kind } of rows) if (kind === deadLetterKind) node.meters.parked(actor.kind);
    await this.writeRows(next);
    return { is: 'applied' };
  }

  private asWritten(next: Doc): Doc {
    const { actor } = this;
    if (next.body === null || next.sv === actor.schema) return next;
    const body = lowered(actor, next.body, next.sv);
    assert(body !== null, 'a turn chooses a schema its state can be said in');
    return { ...next, body };
  }

  private async stored(): Promise<StoredDoc> {
    const stored = await storedDoc(this.tenure, this.actor, this.id, this.onSilence);
    // somebody owns it under a newer epoch: from here on this node is silent about it
    if ((stored.doc?.e ?? 0) > this.tenure.epoch) this.node.lost(this.tenure);
    return this.whileOurs(stored);
  }

  private async adopt({ doc, unreadable }: StoredDoc): Promise<void> {
    if (unreadable !== null && !this.unreadable)
      this.node.log.error(
        { actor: addressText({ kind: this.actor.kind, id: this.id }), err: unreadable },
        unreadable instanceof SchemaUnknown
          ? 'this document is left as it is: it needs the version of the service that wrote it'
          : 'this document cannot be read; the actor is in quarantine',
      );
    this.broken = unreadable;
    this.unreadable = unreadable !== null;
    // a newer version of us wrote it: whoever runs that must have it
    if (unreadable instanceof SchemaUnknown) this.node.refuse(this.tenure);
    this.doc = doc;
    this.stamped = doc === null || doc.e >= this.tenure.epoch || this.node.faults.noStamp === true;
    this.settled.clear();
    if (doc !== null) await this.writeRows(doc);
    this.loaded = true;
  }

  private async writeRows(doc: Doc): Promise<void> {
    const rows = rowsIn(doc).filter(({ q }) => !this.settled.has(q));
    if (rows.length === 0) return;
    await this.whileOurs(await this.node.committer.putRows(rows.map(({ row }) => row)));
    for (const { q } of rows) this.settled.add(q);
  }

  /** Goes on only under a tenure that is not over, when it may speak. */
  private async whileOurs<T>(value: T): Promise<T> {
    if (!this.tenure.maySpeak) await this.tenure.toSpeak();
    return value;
  }
}

const rowsIn = (doc: Doc): readonly { readonly q: number; readonly row: Row }[] =>
  doc.out.filter((row) => row.type === 'row');
