/** What leaves an actor once it is committed, and when what has left is cleared from its document.
 *  1. In this order: rows of views are written and replies are out; now the notice, then events, tells and effects. */
import type { Scheduler } from '../../kernel/time.ts';
import type { Doc } from '../../store/store.ts';
import type { Outbox } from '../delivery/outbox.ts';
import type { CommittedWith } from './activation-host.ts';
import { Clearing } from './clearing.ts';
import type { CommittedDocument } from './committed-document.ts';

export interface ReleaseParts {
  readonly held: CommittedDocument;
  readonly outbox: Pick<Outbox, 'found' | 'release'>;
  readonly scheduler: Scheduler;
  /** Whether somebody moves this clock and waits for all that follows. */
  readonly walked: (clock: string | null) => boolean;
  /** Tells the node of a commit. */
  readonly committedNow: (doc: Doc, committed: CommittedWith) => void;
  /** Called when it is time to clear. */
  readonly stir: () => void;
}

export class Release {
  private readonly parts: ReleaseParts;
  private readonly clearing: Clearing;

  constructor(parts: ReleaseParts) {
    this.parts = parts;
    this.clearing = new Clearing(parts.scheduler, parts.stir);
  }

  afterCommit(committed: CommittedWith): void {
    const { held, outbox, committedNow } = this.parts;
    const { doc } = held;
    if (doc === null) return;
    committedNow(doc, committed);
    outbox.release(doc, held.settled);
    this.clearSoon();
  }

  /** What was found in the store goes on from where it stood. */
  afterLoad(): void {
    const { held, outbox } = this.parts;
    if (held.doc !== null) outbox.found(held.doc);
    if (held.broken === null && !held.stampDue) this.afterCommit({ rows: [], shows: true });
  }

  /** What got stuck on its way out - a result nobody could store, a clearing that met a full disk - goes again. */
  again(): void {
    const { held, outbox } = this.parts;
    if (held.doc === null || held.broken !== null) return;
    outbox.release(held.doc, held.settled);
    this.clearSoon();
  }

  /** Marks rows of `out` as done; they go with the next commit. */
  settle(rows: readonly number[]): void {
    for (const q of rows) this.parts.held.settled.add(q);
    this.clearSoon();
  }

  get clearDue(): boolean {
    return this.clearing.due && this.parts.held.settled.size > 0;
  }

  clearSoon(): void {
    const { doc, settled } = this.parts.held;
    if (doc !== null) this.clearing.soon(doc, settled, this.parts.walked(doc.clock));
  }

  clearNow(): void {
    if (this.parts.held.settled.size > 0) this.clearing.now();
  }

  /** A turn takes along what is settled. */
  dropClearing(): void {
    this.clearing.drop();
  }
}
