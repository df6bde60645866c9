/** Keeps a turn open for what it reads outside: the read begins before the commit, and a result that comes in time is
 *  committed with the command that asked for it.
 *  1. Only a turn that sends nothing but one read (`mode: 'read'`) stays open. A read changes nothing anywhere: one
 *     whose turn is never committed has done no harm.
 *  2. Nobody is answered before the commit. The turn closes when the result is there, when another command or a reader
 *     waits for the actor, or after `readMsMax`; then the row is committed, and its result comes like any other. */
import type { DurationMs, Scheduler } from '../../kernel/time.ts';
import type { Doc } from '../../store/store.ts';
import { unplaced } from '../delivery/journal-positions.ts';
import type { EffectOutRow } from '../delivery/effect-job.ts';
import type { TakeRead } from '../delivery/out-effects.ts';
import type { Outbox } from '../delivery/outbox.ts';
import type { AnyActor } from '../model/actor.ts';
import type { BrokenBuild } from '../model/broken-builds.ts';
import type { TurnResult } from '../turn/turn.ts';
import type { CommittedDocument } from './committed-document.ts';
import type { Execution } from './execution.ts';
import type { Pending } from './mailbox.ts';

/** For how long a commit waits for a result. */
export const readMsMax: DurationMs = 25;

export interface OpenTurnParts {
  readonly actor: Pick<AnyActor, 'effects'>;
  readonly held: Pick<CommittedDocument, 'doc' | 'stamped'>;
  readonly outbox: Pick<Outbox, 'beginRead' | 'dropRead'>;
  readonly scheduler: Pick<Scheduler, 'after'>;
  readonly faults: BrokenBuild;
  readonly execution: Pick<Execution, 'run' | 'also'>;
  /** Whether somebody waits for the actor, or for everything that follows from its commands. */
  readonly wanted: () => boolean;
}

/** The read of the turn that is open, or was the last one. */
interface Reading {
  readonly row: EffectOutRow;
  isOpen: boolean;
  /** Its result, when that joined the turn. */
  joined: Pending | null;
  /** Ends the wait; with the result when it came. */
  readonly close: (result?: Pending) => void;
  /** Says how the commit ended. */
  readonly end: (isCommitted: boolean) => void;
}

export class OpenTurn {
  private readonly parts: OpenTurnParts;
  private reading: Reading | null = null;
  /** The last commit was not made: while the store has no room, each repeat of a command would call once more. */
  private lastFailed = false;

  constructor(parts: OpenTurnParts) {
    this.parts = parts;
  }

  /** Executes a turn. What is to be committed: the turn as it is, or with the result of its read, whose command then
   *  joins `batch`. */
  run(batch: Pending[]): TurnResult | Promise<TurnResult> {
    const { execution, wanted } = this.parts;
    const result = execution.run(batch);
    const row = this.readOf(batch, result);
    return row === null || result.next === null || wanted()
      ? result
      : this.completed(batch, result, this.read(result.next, row));
  }

  private async completed(
    batch: Pending[],
    result: TurnResult,
    reading: Promise<Pending | undefined>,
  ): Promise<TurnResult> {
    const answered = await reading;
    if (answered === undefined) return result;
    if (this.reading !== null) this.reading.joined = answered;
    batch.push(answered);
    return this.parts.execution.also(result, answered.envelope);
  }

  /** Whether no turn is open, and the last one was committed. */
  get mayRest(): boolean {
    return this.reading === null && !this.lastFailed;
  }

  /** Somebody waits for the actor. */
  close(): void {
    this.reading?.close();
  }

  /** The turn was committed. */
  committed(): void {
    this.lastFailed = false;
    this.reading?.end(true);
    this.reading = null;
  }

  /** The turn was not committed: the result of its read is not for the document that is held now, so it leaves
   *  `batch`. */
  dropped(batch: Pending[]): void {
    const { reading } = this;
    this.lastFailed = true;
    this.reading = null;
    if (reading === null) return;
    this.parts.outbox.dropRead(reading.row);
    if (reading.joined !== null) batch.splice(batch.indexOf(reading.joined), 1);
    reading.end(false);
  }

  /** The only thing this turn sends, when that is a read. */
  private readOf(batch: readonly Pending[], { next, rows, answers }: TurnResult): EffectOutRow | null {
    const { actor, held, faults } = this.parts;
    const { doc, stamped } = held;
    if (next === null || doc === null || !stamped || this.lastFailed) return null;
    if (answers.length < batch.length) return null;
    const [row, ...more] = next.out.filter(({ q, type }) => q > doc.oq && type !== 'row');
    if (row?.type !== 'effect' || more.length > 0 || unplaced(rows).length > 0) return null;
    const reads = actor.effects[row.kind]?.mode === 'read' || faults.callsBeforeCommit === true;
    return reads ? row : null;
  }

  /** Undefined: the turn is closed without it. */
  private read(next: Doc, row: EffectOutRow): Promise<Pending | undefined> {
    let end: Reading['end'] = () => undefined;
    const ended = new Promise<boolean>((resolve) => (end = resolve));
    return new Promise((resolve) => {
      const cancel = this.parts.scheduler.after(readMsMax, () => reading.close());
      const close = (result?: Pending): void => {
        if (!reading.isOpen) return;
        reading.isOpen = false;
        cancel();
        resolve(result);
      };
      const reading: Reading = { row, isOpen: true, joined: null, close, end };
      this.reading = reading;
      const take: TakeRead = async (envelope) => {
        const inTime = reading.isOpen;
        // its answer is how the turn ends
        reading.close({ envelope, resolve: () => undefined });
        // also a late one waits: until the commit has ended, its row may come to mean something else
        if (!(await ended)) return 'dropped';
        return inTime ? 'committed' : 'late';
      };
      this.parts.outbox.beginRead(next, row, take);
    });
  }
}
