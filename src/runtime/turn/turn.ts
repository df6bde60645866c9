/** One turn of one actor, as a pure function: takes a document and some commands, returns the next document
 *  and the answers.
 *  1. A command with an identity changes the document at most once; a repeat of one that did gets its stored
 *     outcome.
 *  2. Scope and sender are checked before any transition.
 *  3. A transition that throws is rolled back alone. */
import { seconds, type Instant } from '../../kernel/time.ts';
import type { Doc, Row } from '../../store/store.ts';
import type { ActorTypes, AnyActor, AnyCommandRow, Json, Sender, Turn, Verdict } from '../model/actor.ts';
import { clockOf } from '../model/address.ts';
import { markOf, movedOn } from '../model/dead-letter.ts';
import type { Eras } from '../model/era.ts';
import { Draft, Refused, TurnOf, Unchanged } from './draft.ts';
import type { AskResult, Envelope } from '../model/envelope.ts';
import { inEra } from './in-era.ts';
import { forgetting, knownOutcome, outcomeOf, remembering } from './seen.ts';
import { emptyDoc, WorkingDoc, type EnvelopeText, type Settled } from './working-doc.ts';

/** The maximum number of commands in one turn. */
export const turnCommandsMax = 64;
/** The number of unsettled rows in `out` at which a turn stops and new asks are refused. */
export const outRowsMax = 64;
/** Bytes of the events and rows one turn adds, at which it stops: where rows are part of the document, it
 *  must remain small enough to store. */
export const outBytesMax = 1024 * 1024;
/** How often a command of the runtime itself may throw before it is parked as a dead letter. */
export const throwsMax = 5;
/** The retry delay for a command that not every node understands yet. */
const notYetRetryMs = seconds(5);
/** The command that only reports that everything up to `done` is settled. */
export const bareDone = '_done';
/** The command with which a runner claims an `atMostOnce` effect: only an unclaimed row can be claimed. */
export const beginOnce = '_begin';

export interface TurnContext {
  readonly realNow: Instant;
  /** That instant on a clock (null = real time): one reading serves the whole turn. */
  readonly clockNow: (clock: string | null) => Instant;
  readonly epoch: number;
  /** The newest schema of this kind that every living node reads. */
  readonly readByAll: number;
  /** Whether every living node reads rows with several notes. */
  readonly notesTogether: boolean;
  /** Whether events are rows of the commit, which gives them their positions (journal-positions.ts). */
  readonly placesEvents: boolean;
  /** The document shows an older epoch: a commit under the current epoch must precede any answer. */
  readonly stamp: boolean;
  /** Unique per commit attempt. */
  readonly tok: string;
  readonly rowsInCommit: boolean;
  /** There is no other node. */
  readonly alone: boolean;
  readonly envelopeText: EnvelopeText;
  readonly eras: Eras;
  /** Rows of `out` whose work is done since the last commit. */
  readonly settled: Settled;
  /** How often this timer or row has thrown, this time included. */
  readonly throws: (key: string) => number;
  /** Called when a handler threw an error. */
  readonly onThrow: (envelope: Envelope, thrown: unknown) => void;
}

export interface TurnResult {
  /** The document to commit; null when nothing changed. */
  readonly next: Doc | null;
  /** Rows to write with it (rowsInCommit) or after it (they are part of `out`). */
  readonly rows: readonly Row[];
  /** One per executed command, same order; fewer than given when the turn stopped early. */
  readonly answers: readonly AskResult[];
  /** The same turn with one command more, executed now. */
  readonly also: (envelope: Envelope, context: TurnContext) => TurnResult;
}

/** Runs up to 64 commands against a document; no commands at all to clear settled rows. Never throws
 *  because of a transition. */
export function runTurn(
  actor: AnyActor,
  id: string,
  base: Doc | null,
  batch: readonly Envelope[],
  context: TurnContext,
): TurnResult {
  const turn = new TurnRun(actor, id, base, context);
  const answers: AskResult[] = [];
  for (const envelope of batch.slice(0, turnCommandsMax)) {
    if (answers.length > 0 && turn.full) break;
    answers.push(turn.answer(envelope));
  }
  const clears = batch.length === 0 && context.settled.size > 0;
  return resultOf(turn, answers, clears || context.stamp);
}

function resultOf(turn: TurnRun, answers: readonly AskResult[], clears: boolean): TurnResult {
  const { next, rows } = turn.finish(clears);
  return {
    next,
    rows,
    answers,
    also: (envelope, context) => {
      turn.continues(context);
      return resultOf(turn, [...answers, turn.answer(envelope)], clears);
    },
  };
}

type Detail = { readonly [key: string]: Json };
type AnyCell = (state: unknown, command: unknown, x: Turn<ActorTypes>) => Verdict;

class TurnRun {
  private readonly actor: AnyActor;
  private readonly id: string;
  private context: TurnContext;
  /** As it is stored, also before this turn has taken it into a new era. */
  private readonly stored: Doc | null;
  /** null: the actor does not exist yet. */
  private work: WorkingDoc | null;
  private changed = false;
  /** Rows of `out` cleared by this turn's commit: they do not count towards the bound. */
  private readonly done: number;

  constructor(actor: AnyActor, id: string, base: Doc | null, context: TurnContext) {
    this.actor = actor;
    this.id = id;
    this.context = context;
    this.stored = base;
    this.work = base === null ? null : new WorkingDoc(actor, inEra(actor, base, context.eras));
    this.done = doneRows(base, context.settled);
  }

  continues(context: TurnContext): void {
    this.context = context;
  }

  get full(): boolean {
    if (this.work === null) return false;
    return this.work.outRows - this.done >= outRowsMax || this.work.addedBytes >= outBytesMax;
  }

  answer(envelope: Envelope): AskResult {
    const { work } = this;
    if (this.context.realNow > envelope.deadline)
      return { is: 'not_executed', why: 'expired', retryAfterMs: 0 };
    if (envelope.command === bareDone) return this.forget(envelope);
    if (envelope.command === beginOnce) return this.begin(envelope);
    const row = this.rowOf(envelope.command);
    if (this.foreign(envelope)) return notFound;
    // only our own builds name commands, so a newer version sent it
    if (row === undefined) return notYet;
    if (!sends(row, envelope.by)) return notFound;
    if (work === null) return this.create(row, envelope);
    if (work.gone) return this.tooLate(envelope, work);
    const known = envelope.identity === undefined ? null : knownOutcome(work.seen, envelope.identity);
    if (known !== null) return known;
    if (superseded(work, envelope)) return this.ok({});
    if (envelope.ifState !== undefined && envelope.ifState !== this.mark(work)) return movedOn;
    return this.execute(envelope, work, (x) => cellOf(row, work.state)(work.state, envelope.data, x));
  }

  finish(clears: boolean): { next: Doc | null; rows: readonly Row[] } {
    if ((!this.changed && !clears) || this.work === null) return { next: null, rows: [] };
    return this.work.finish(this.context);
  }

  private mark({ state }: WorkingDoc): string {
    return markOf(this.changed ? state : (this.stored?.body ?? state));
  }

  private rowOf(command: string): AnyCommandRow | undefined {
    return Object.hasOwn(this.actor.on, command) ? this.actor.on[command] : undefined;
  }

  /** An object of another scope does not exist for the sender; the service's own objects are visible to all
   *  actors. */
  private foreign({ scope, by }: Envelope): boolean {
    if (this.work === null) return scope === null;
    if (by === 'system' && this.work.scope === 'system') return false;
    return scope !== null && scope !== this.work.scope;
  }

  private create(row: AnyCommandRow, envelope: Envelope): AskResult {
    const { creates } = row;
    const { scope } = envelope;
    if (creates === undefined || scope === null) return notFound;
    const clock = this.actor.realTime === true ? null : clockOf(scope);
    const empty = emptyDoc(this.actor, this.id, scope, this.context.clockNow(clock));
    const fresh = new WorkingDoc(this.actor, inEra(this.actor, empty, this.context.eras));
    return this.execute(envelope, fresh, (x) => creates(envelope.data as never, x as never));
  }

  private execute(envelope: Envelope, work: WorkingDoc, transition: (x: TurnOf) => Verdict): AskResult {
    const { timer } = envelope;
    // a wall clock that was set back meanwhile must not make the timer count as early
    const due = timer === undefined ? 0 : (work.timerAt(timer.name, timer.gen) ?? 0);
    const now = Math.max(this.context.clockNow(work.clock), work.lastAt, due);
    const next = work.copy();
    const before = { work: this.work, changed: this.changed };
    try {
      const verdict = transition(new TurnOf(now, this.id, work.scope, envelope.by, this.context.eras));
      const gathered = verdict instanceof Draft && !verdict.empty;
      if (gathered && !next.canBecome(verdict.next, this.context.readByAll)) return notYet;
      if (envelope.timer !== undefined || envelope.settles !== undefined) {
        next.consume(envelope, now);
        this.take(next);
      }
      if (verdict instanceof Refused) return this.refused(envelope, verdict);
      if (verdict instanceof Unchanged) return this.unchanged(envelope, verdict);
      if (!(verdict instanceof Draft)) throw new Error('a transition returned no verdict');
      if (gathered) {
        next.apply(verdict, now, this.context);
        this.take(next);
      }
      if (this.changed || isKept(envelope)) this.remember(envelope, 'ok', verdict.detail);
      return this.ok(verdict.detail);
    } catch (thrown) {
      this.work = before.work;
      this.changed = before.changed;
      return this.threw(envelope, thrown, now);
    }
  }

  /** A result for a deleted actor is discarded and leaves nothing in its `out`. */
  private tooLate(envelope: Envelope, work: WorkingDoc): AskResult {
    const { settles } = envelope;
    if (settles === undefined || !work.hasRow(settles)) return notFound;
    const next = work.copy();
    next.consume(envelope, work.lastAt);
    this.take(next);
    return notFound;
  }

  private take(next: WorkingDoc): void {
    this.work = next;
    this.changed = true;
  }

  private refused(envelope: Envelope, { code, detail }: Refused): AskResult {
    if (isKept(envelope)) this.remember(envelope, code, detail);
    return { is: 'refused', code, detail };
  }

  private unchanged(envelope: Envelope, { detail }: Unchanged): AskResult {
    if (isKept(envelope)) this.remember(envelope, 'ok', detail);
    return this.ok(detail);
  }

  private ok(detail: Detail): AskResult {
    const v = this.work?.v ?? 1;
    return { is: 'ok', v: this.changed ? v : v - 1, detail };
  }

  private threw(envelope: Envelope, thrown: unknown, now: Instant): AskResult {
    this.context.onThrow(envelope, thrown);
    const { settles, timer } = envelope;
    if (this.work === null || (settles === undefined && timer === undefined)) return { is: 'internal' };
    const key = settles === undefined ? `timer:${timer?.gen ?? 0}` : `row:${settles}`;
    if (this.context.throws(key) < throwsMax) return { is: 'internal' };
    const next = this.work.copy();
    next.park(envelope, String(thrown), now);
    next.consume(envelope, now);
    this.take(next);
    return { is: 'internal' };
  }

  /** Stores the outcome under the sender's identity. */
  private remember({ identity }: Envelope, code: string, detail: Detail): void {
    if (identity === undefined || this.work === null) return;
    this.changed = true;
    this.work.seen = remembering(
      this.work.seen,
      identity,
      outcomeOf(identity.seq, code, this.work.v, detail),
      this.context.realNow,
    );
  }

  private forget({ identity }: Envelope): AskResult {
    if (identity !== undefined && this.work !== null) {
      const seen = forgetting(this.work.seen, identity.from, identity.done, this.context.realNow);
      if (seen !== this.work.seen) this.changed = true;
      this.work.seen = seen;
    }
    return this.ok({});
  }

  private begin({ settles }: Envelope): AskResult {
    if (this.work?.begin(settles) !== true) return { is: 'refused', code: 'already_begun', detail: {} };
    this.changed = true;
    return this.ok({});
  }
}

function doneRows(base: Doc | null, settled: Settled): number {
  if (base === null || settled.size === 0) return 0;
  return base.out.reduce((done, { q }) => done + (settled.has(q) ? 1 : 0), 0);
}

/** Whether its outcome is stored even if nothing changed, so that every later copy gets the same outcome. */
const isKept = ({ identity, again }: Envelope): boolean =>
  again === true || identity?.from.startsWith('k:') === true;

const notFound: AskResult = { is: 'refused', code: 'not_found', detail: {} };

/** Refuses until the nodes of another version are gone. */
const notYet: AskResult = { is: 'not_executed', why: 'overloaded', retryAfterMs: notYetRetryMs };

const sends = (row: AnyCommandRow, by: Sender): boolean =>
  typeof row.by === 'string' ? row.by === by : row.by.includes(by);

/** The timer was moved, or the effect's row is already settled: nothing to do. */
function superseded(work: WorkingDoc, { timer, settles }: Envelope): boolean {
  if (timer !== undefined) return work.timerAt(timer.name, timer.gen) === null;
  return settles !== undefined && !work.hasRow(settles);
}

function cellOf(row: AnyCommandRow, state: { readonly status: string }): AnyCell {
  const cells = row as unknown as { readonly [status: string]: AnyCell | undefined };
  const cell =
    cells['_any'] ??
    (Object.hasOwn(cells, state.status) ? cells[state.status] : undefined) ??
    cells['_terminal'];
  if (cell === undefined) throw new Error(`no cell for status ${state.status}`);
  return cell;
}
