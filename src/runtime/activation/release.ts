/** What leaves an actor after its commit, and when the rows that have been sent are cleared from its
 *  document.
 *  1. The order: view rows are written and replies are sent first; then the notice; then events, tells and
 *     effects.
 *  2. Rows of which a repeat is harmless (events, view rows) are not worth a commit: when only they are left, `busy`
 *     is taken away from the document (docs/decisions/0037-done-events-cost-no-commit.md). */
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
  /** Whether somebody waits until the store shows that all rows are done: the walk of a clock that other nodes
   *  share. */
  readonly clearsAtOnce: (clock: string | null) => boolean;
  /** Notifies the node of a commit. */
  readonly committedNow: (doc: Doc, committed: CommittedWith) => void;
  /** Called when clearing needs a commit. */
  readonly scheduleRun: () => void;
  /** Called when the store shows that nothing is left to send. */
  readonly workEnded: () => void;
}

export class Release {
  private readonly parts: ReleaseParts;
  private readonly clearing: Clearing;
  private settling = false;

  constructor(parts: ReleaseParts) {
    this.parts = parts;
    this.clearing = new Clearing(parts.scheduler, () => this.clear());
  }

  afterCommit(committed: CommittedWith): void {
    const { held, outbox, committedNow } = this.parts;
    const { doc } = held;
    if (doc === null) return;
    committedNow(doc, committed);
    outbox.release(doc, held.settled);
    this.clearSoon();
  }

  /** Continues sending from the document found in the store. */
  afterLoad(): void {
    const { held, outbox } = this.parts;
    if (held.doc !== null) outbox.found(held.doc);
    if (held.broken === null && !held.stampDue) this.afterCommit({ rows: [], placed: null, shows: true });
  }

  /** Sends again what failed on its way out: a result that could not be stored, a clearing that met a full
   *  disk. */
  again(): void {
    const { held, outbox } = this.parts;
    if (held.doc === null || held.broken !== null) return;
    outbox.release(held.doc, held.settled);
    this.clearSoon();
  }

  /** Marks rows of `out` as done; they are cleared by the next commit. */
  settle(rows: readonly number[]): void {
    for (const q of rows) this.parts.held.settled.add(q);
    this.clearSoon();
  }

  /** Whether a commit must clear rows now. */
  get clearDue(): boolean {
    return this.clearing.due && this.clears && !this.parts.held.settles;
  }

  clearSoon(): void {
    const { doc, settled } = this.parts.held;
    if (doc !== null && this.clears) this.clearing.soon(doc, settled, this.parts.clearsAtOnce(doc.clock));
  }

  clearNow(): void {
    if (this.clears && !this.settling) this.clearing.now();
  }

  /** A document that is not busy any more keeps its rows until its next turn. */
  private get clears(): boolean {
    const { doc, settled } = this.parts.held;
    return settled.size > 0 && doc?.busy === true;
  }

  private clear(): void {
    if (this.parts.held.settles) void this.settleDoc();
    else this.parts.scheduleRun();
  }

  private async settleDoc(): Promise<void> {
    this.clearing.drop();
    if (this.settling) return;
    this.settling = true;
    await this.parts.held.settle();
    this.settling = false;
    // once more if the store has not answered, or there are rows of a later commit
    this.clearSoon();
    this.parts.workEnded();
  }

  /** A turn also clears the settled rows. */
  dropClearing(): void {
    this.clearing.drop();
  }
}
