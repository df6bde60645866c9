/** One turn of one actor, as a pure function: a document and some commands in, the next document and answers out.
 *  1. A command is executed once per identity; a repeat meets its stored outcome (engine 5).
 *  2. Scope and sender are checked before any transition.
 *  3. A transition that throws rolls back alone. */
import { assert } from '../kernel/assert.ts';
import { sha256Base32 } from '../kernel/hash.ts';
import { placedBeside } from '../kernel/id.ts';
import { minutes, hours, type Instant } from '../kernel/time.ts';
import type { Doc, OutRow, Row, Seen, TimerEntry } from '../store/store.ts';
import type { ActorTypes, AnyActor, AnyCommandRow, Json, Sender, Turn, Verdict, ViewMeta } from './actor.ts';
import { addressText, clockOf, slotOfActor, type Scope } from './address.ts';
import { Draft, Refused, TurnOf, Unchanged, type GatheredEvent } from './draft.ts';
import type { AskResult, Envelope, Outcome } from './envelope.ts';

/** Commands one turn takes at most. */
export const turnCommandsMax = 64;
/** Rows in `out` above which a turn stops and new asks are refused. */
export const outRowsMax = 64;
export const sendersMax = 1000;
export const seqsAboveDoneMax = 64;
export const timersMax = 32;
/** How often a command of the runtime's own may throw before it is parked as dead. */
export const throwsMax = 5;

const seenLifeOfNodes = minutes(10);
const seenLifeOfOthers = hours(25);
const seenLifeEmpty = minutes(1);

/** An event as the outside world will read it, byte for byte. */
export type EnvelopeText = (event: {
  readonly id: string;
  readonly type: string;
  readonly at: Instant;
  readonly scope: Scope;
  readonly object: GatheredEvent['object'];
  readonly test: boolean;
}) => string;

export interface TurnContext {
  readonly realNow: Instant;
  /** Now on a clock (null = real time). */
  readonly clockNow: (clock: string | null) => Instant;
  readonly epoch: number;
  /** Unique per commit attempt. */
  readonly tok: string;
  readonly rowsInCommit: boolean;
  readonly envelopeText: EnvelopeText;
  /** Rows of `out` whose work is done since the last commit. */
  readonly settled: ReadonlySet<number>;
  /** How often this timer or row has thrown already, this time included. */
  readonly throws: (key: string) => number;
  /** Told when a transition threw. */
  readonly onThrow: (envelope: Envelope, thrown: unknown) => void;
}

export interface TurnResult {
  /** The document to commit; null when nothing changed. */
  readonly next: Doc | null;
  /** Rows to write with it (rowsInCommit) or after it (they ride in `out`). */
  readonly rows: readonly Row[];
  /** One per executed command, same order; fewer than given when the turn stopped early. */
  readonly answers: readonly AskResult[];
}

/** The command that only says: everything up to `done` is settled. */
export const bareDone = '_done';

/** The command by which a runner claims a `once` effect: only a row nobody has claimed is claimed. */
export const beginOnce = '_begin';

/** The evt_ id of an event, the same whoever derives it. */
export const eventIdOf = (scope: Scope, key: string): string => placedBeside('evt', scope, sha256Base32([key], 24));

interface Working extends Omit<Doc, 'seen' | 'out' | 'timers' | 'body' | 'v' | 'tags'> {
  body: Doc['body'];
  seen: { [from: string]: Seen };
  out: OutRow[];
  timers: TimerEntry[];
  oq: number;
  eseq: number;
  at: Instant;
  gone: boolean;
}

type AnyCell = (state: unknown, command: unknown, x: Turn<ActorTypes>) => Verdict;

/** Runs up to 64 commands against a document; none at all to clear settled rows. Never throws for what a transition does. */
export function runTurn(actor: AnyActor, id: string, base: Doc | null, batch: readonly Envelope[], context: TurnContext): TurnResult {
  const turn = new TurnRun(actor, id, base, context);
  const answers: AskResult[] = [];
  for (const envelope of batch.slice(0, turnCommandsMax)) {
    if (answers.length > 0 && turn.full) break;
    answers.push(turn.answer(envelope));
  }
  const finished = turn.finish();
  return { ...finished, answers };
}

class TurnRun {
  private readonly actor: AnyActor;
  private readonly id: string;
  private readonly base: Doc | null;
  private readonly context: TurnContext;
  private readonly v: number;
  private work: Working | null;
  private changed = false;
  private executed = 0;
  private readonly rows: Row[] = [];

  constructor(actor: AnyActor, id: string, base: Doc | null, context: TurnContext) {
    this.actor = actor;
    this.id = id;
    this.base = base;
    this.context = context;
    this.v = (base?.v ?? 0) + 1;
    this.work = copyOf(base);
  }

  get full(): boolean {
    return (this.work?.out.length ?? 0) >= outRowsMax;
  }

  answer(envelope: Envelope): AskResult {
    this.executed++;
    if (this.context.realNow > envelope.deadline) return { is: 'not_executed', why: 'expired', retryAfterMs: 0 };
    if (envelope.command === bareDone) return this.forgetUpTo(envelope);
    if (envelope.command === beginOnce) return this.begin(envelope);
    const row = this.rowOf(envelope.command);
    if (row === undefined || this.foreign(envelope) || !sends(row, envelope.by)) return notFound;
    if (this.work?.gone === true) return notFound;
    if (this.work === null && row.creates === undefined) return notFound;
    const known = this.known(envelope);
    if (known !== null) return known;
    if (this.superseded(envelope)) return this.done(envelope, 'ok', {});
    return this.execute(row, envelope);
  }

  private rowOf(command: string): AnyCommandRow | undefined {
    return Object.hasOwn(this.actor.on, command) ? this.actor.on[command] : undefined;
  }

  /** An object of another scope does not exist for the sender; the service's own are everybody's among actors. */
  private foreign(envelope: Envelope): boolean {
    if (this.work === null) return envelope.scope === null;
    if (envelope.by === 'system' && this.work.scope === 'system') return false;
    return envelope.scope !== null && envelope.scope !== this.work.scope;
  }

  /** The stored outcome of a repeat, a bound reached, or null: go on. */
  private known(envelope: Envelope): AskResult | null {
    const identity = envelope.identity;
    if (identity === undefined || this.work === null) return null;
    const seen = this.work.seen[identity.from];
    if (seen === undefined) {
      return this.sendersHeld >= sendersMax ? overloaded : null;
    }
    if (identity.seq <= seen.done) return { is: 'unknown' };
    const outcome = seen.r[identity.seq];
    if (outcome !== undefined) return resultOf(outcome);
    return identity.seq > Math.max(seen.done, identity.done) + seqsAboveDoneMax ? overloaded : null;
  }

  private get sendersHeld(): number {
    const all = Object.values(this.work?.seen ?? {});
    return all.length < sendersMax ? all.length : all.filter((entry) => Object.keys(entry.r).length > 0).length;
  }

  private forgetUpTo({ identity }: Envelope): AskResult {
    const seen = identity === undefined ? undefined : this.work?.seen[identity.from];
    if (this.work !== null && identity !== undefined && seen !== undefined && seen.done < identity.done) {
      const r = Object.fromEntries(Object.entries(seen.r).filter(([seq]) => Number(seq) > identity.done));
      this.work.seen[identity.from] = { done: identity.done, at: this.context.realNow, r };
      this.changed = true;
    }
    return { is: 'ok', v: this.v, detail: {} };
  }

  private begin({ settles }: Envelope): AskResult {
    const at = this.work?.out.findIndex((row) => row.q === settles && row.type === 'effect' && row.tries === 0) ?? -1;
    const row = this.work?.out[at];
    if (this.work === null || row?.type !== 'effect') return { is: 'refused', code: 'already_begun', detail: {} };
    this.work.out[at] = { ...row, tries: 1 };
    this.changed = true;
    return { is: 'ok', v: this.v, detail: {} };
  }

  /** A timer moved since, or an effect's row settled already: nothing to do. */
  private superseded({ timer, settles }: Envelope): boolean {
    if (timer !== undefined) {
      return this.work?.timers.some((t) => t.name === timer.name && t.gen === timer.gen) !== true;
    }
    return settles !== undefined && this.work?.out.some((row) => row.q === settles) !== true;
  }

  private execute(row: AnyCommandRow, envelope: Envelope): AskResult {
    const scope = this.work?.scope ?? envelope.scope;
    if (scope === null) return notFound;
    const clock = this.work === null ? this.clockOfNew(scope) : this.work.clock;
    const now = Math.max(this.context.clockNow(clock), this.work?.at ?? 0);
    const x = new TurnOf(now, this.id, scope, envelope.by);
    let verdict: Verdict;
    try {
      verdict = this.work === null && row.creates !== undefined
        ? row.creates(envelope.data as never, x as never)
        : cellOf(row, this.state())(this.state(), envelope.data, x);
    } catch (thrown) {
      return this.threw(envelope, thrown, now);
    }
    if (verdict instanceof Refused) return this.refused(envelope, verdict, now);
    if (verdict instanceof Unchanged) return this.unchanged(envelope, verdict, now);
    if (!(verdict instanceof Draft)) return this.threw(envelope, new Error('a transition returned no verdict'), now);
    const [saved, rows] = [copyOf(this.work), [...this.rows]];
    const wasChanged = this.changed;
    try {
      this.apply(envelope, verdict, now, scope, clock);
    } catch (thrown) {
      this.work = saved;
      this.rows.splice(0, Infinity, ...rows);
      this.changed = wasChanged;
      return this.threw(envelope, thrown, now);
    }
    return this.done(envelope, 'ok', verdict.detail);
  }

  private state(): { readonly status: string } {
    return this.work?.body as unknown as { readonly status: string };
  }

  private clockOfNew(scope: Scope): string | null {
    return this.actor.realTime === true ? null : clockOf(scope);
  }

  private refused(envelope: Envelope, verdict: Refused, now: Instant): AskResult {
    this.consume(envelope, now);
    const keep = envelope.identity !== undefined && (envelope.identity.from.startsWith('k:') || envelope.again === true);
    if (keep && this.work !== null) this.remember(envelope, verdict.code, verdict.detail);
    return { is: 'refused', code: verdict.code, detail: verdict.detail };
  }

  private unchanged(envelope: Envelope, verdict: Unchanged, now: Instant): AskResult {
    this.consume(envelope, now);
    if (envelope.identity?.from.startsWith('k:') === true) this.remember(envelope, 'ok', verdict.detail);
    return { is: 'ok', v: this.changed ? this.v : this.v - 1, detail: verdict.detail };
  }

  private threw(envelope: Envelope, thrown: unknown, now: Instant): AskResult {
    this.context.onThrow(envelope, thrown);
    const key = envelope.settles !== undefined ? `row:${envelope.settles}` : `timer:${envelope.timer?.name ?? ''}`;
    const ours = envelope.settles !== undefined || envelope.timer !== undefined;
    if (ours && this.context.throws(key) >= throwsMax) {
      this.park(envelope, String(thrown), now);
      this.consume(envelope, now);
    }
    return { is: 'internal' };
  }

  /** What keeps throwing goes to `dead`, where an operator finds it. */
  private park(envelope: Envelope, reason: string, now: Instant): void {
    if (this.work === null) return;
    const q = ++this.work.oq;
    this.addRow({
      kind: 'dead', id: `${addressText(envelope.to)}:${q}`, once: true, gone: false, created: now, tags: [],
      body: { command: envelope.command, data: envelope.data, reason: reason.slice(0, 500) },
    });
  }

  /** The timer or effect row a command came from is used up by any verdict. */
  private consume({ timer, settles }: Envelope, now: Instant): void {
    if (this.work === null || (timer === undefined && settles === undefined)) return;
    if (timer !== undefined) this.work.timers = this.work.timers.filter((t) => t.gen !== timer.gen);
    if (settles !== undefined) this.work.out = this.work.out.filter((row) => row.q !== settles);
    this.work.at = now;
    this.changed = true;
  }

  private apply(envelope: Envelope, draft: Draft, now: Instant, scope: Scope, clock: string | null): void {
    this.consume(envelope, now);
    if (draft.empty) return;
    const before = this.work?.body ?? null;
    this.work ??= this.born(scope, clock, now);
    const work = this.work;
    this.changed = true;
    work.at = now;
    if (draft.next !== undefined) work.body = draft.next as Doc['body'];
    this.viewRows(before, work);
    for (const [name, at] of draft.timers) {
      work.timers = work.timers.filter((t) => t.name !== name);
      assert(at === null || Number.isFinite(at), `timer ${name} has an instant`);
      if (at !== null) work.timers.push({ name, gen: ++work.oq, at });
    }
    assert(work.timers.length <= timersMax, `at most ${timersMax} timers on ${addressText(envelope.to)}`);
    for (const note of draft.notes) this.addNote(note, now);
    for (const entry of draft.journals) this.addJournal(entry, scope);
    for (const event of draft.events) this.addEvent(event, now, scope);
    for (const { to, command, data } of draft.tells) {
      work.out.push({ q: ++work.oq, type: 'tell', to: addressText(to), command, data, at: this.context.realNow });
    }
    for (const { kind, data, options } of draft.effects) {
      work.out.push({ q: ++work.oq, type: 'effect', kind, data, tries: 0, at: this.context.realNow, ...options });
    }
    if (draft.next === null) {
      work.gone = true;
      work.timers = [];
    }
  }

  private born(scope: Scope, clock: string | null, now: Instant): Working {
    return {
      kind: this.actor.kind, id: this.id, scope, clock, slot: slotOfActor(this.id), e: this.context.epoch, tok: '',
      sv: this.actor.schema, at: now, created: now, gone: false, body: null, seen: {}, out: [], oq: 0, eseq: 0,
      timers: [], wake: null, busy: false,
    };
  }

  /** Rows of the things inside, those whose sequence moved. */
  private viewRows(before: Doc['body'], work: Working): void {
    if (this.actor.rows === undefined) return;
    const meta = metaOf(work);
    const old = new Map<string, number>();
    if (before !== null) {
      for (const row of this.actor.rows(before as never, meta)) old.set(`${row.kind}/${row.id}`, row.sequence);
    }
    const rows = work.body === null ? [] : this.actor.rows(work.body as never, meta);
    for (const row of rows) {
      if (old.get(`${row.kind}/${row.id}`) === row.sequence) continue;
      this.addRow({
        kind: row.kind, id: row.id, once: false, gone: false, created: row.createdAt, tags: row.tags,
        body: row.body as unknown as Row['body'],
      });
    }
  }

  private addNote(note: Draft['notes'][number], now: Instant): void {
    if (this.work === null) return;
    const eseq = ++this.work.eseq;
    const { about, kind, summary, from = null, to = null, cause = null, durationMs = null, detail = {} } = note;
    this.addRow({
      kind: 'timeline', id: `${this.actor.kind}/${this.id}:${eseq}`, once: true, gone: false, created: now, tags: [],
      body: { about, eseq, kind, summary, from, to, cause, durationMs, detail },
    });
  }

  private addJournal(entry: Draft['journals'][number], scope: Scope): void {
    const { key, pos, event, objectId, envelope, at } = entry;
    const eventId = eventIdOf(scope, key);
    this.addRow({
      kind: 'journal', id: key, once: true, gone: false, created: at, tags: [],
      body: { pos, eventId, event, objectId, envelope, at },
    });
  }

  private addEvent(event: GatheredEvent, now: Instant, scope: Scope): void {
    if (this.work === null) return;
    const eseq = ++this.work.eseq;
    const id = eventIdOf(scope, `${this.actor.kind}/${this.id}:${eseq}`);
    const envelope = this.context.envelopeText({ id, type: event.type, at: now, scope, object: event.object, test: event.test });
    this.work.out.push({
      q: ++this.work.oq, type: 'event', eseq, event: event.type, objectId: event.object.id, envelope, at: now,
    });
  }

  private addRow(row: Omit<Row, 'owner' | 'scope' | 'v'>): void {
    if (this.work === null) return;
    const whole: Row = { ...row, owner: { kind: this.actor.kind, id: this.id }, scope: this.work.scope, v: this.v };
    const twin = this.rows.findIndex((r) => r.kind === row.kind && r.id === row.id);
    if (twin >= 0) this.rows.splice(twin, 1);
    this.rows.push(whole);
  }

  private done(envelope: Envelope, code: string, detail: Outcome['detail'] & object): AskResult {
    if (this.changed) this.remember(envelope, code, detail);
    return { is: 'ok', v: this.changed ? this.v : this.v - 1, detail };
  }

  /** Stores the outcome under the sender's identity. */
  private remember(envelope: Envelope, code: string, detail: { readonly [key: string]: Json }): void {
    const { identity } = envelope;
    if (identity === undefined || this.work === null) return;
    this.changed = true;
    const before = this.work.seen[identity.from];
    const done = Math.max(before?.done ?? 0, identity.done);
    const r = Object.fromEntries(Object.entries(before?.r ?? {}).filter(([seq]) => Number(seq) > done));
    const outcome: Outcome = { code, v: this.v, ...(Object.keys(detail).length > 0 ? { detail } : {}) };
    this.work.seen[identity.from] = { done, at: this.context.realNow, r: { ...r, [identity.seq]: outcome } };
  }

  finish(): { next: Doc | null; rows: readonly Row[] } {
    const clears = this.executed === 0 && this.context.settled.size > 0;
    if ((!this.changed && !clears) || this.work === null) return { next: null, rows: [] };
    const { work, context } = this;
    prune(work.seen, context.realNow);
    let out = work.out.filter((row) => !context.settled.has(row.q));
    if (!context.rowsInCommit) out = withRows(out, this.rows, () => ++work.oq);
    const tags = work.body === null ? [] : tagsOf(this.actor, work.body);
    const wake = work.timers.length === 0 ? null : Math.min(...work.timers.map((t) => t.at));
    const unfinished = work.body !== null && this.actor.unfinished?.(work.body as never) === true;
    const next: Doc = {
      ...work, v: this.v, e: context.epoch, tok: context.tok, sv: this.actor.schema, out, tags, wake, busy: out.length > 0 || unfinished,
    };
    return { next, rows: this.rows };
  }
}

/** By this tag a starting node finds the clocks that differ from real time. */
export const movedClockTag = 'clock=moved';

function tagsOf(actor: AnyActor, body: NonNullable<Doc['body']>): readonly string[] {
  const tags = actor.tags?.(body as never) ?? [];
  const clock = actor.clock?.(body as never);
  return clock !== undefined && (clock.offsetMs > 0 || clock.walk !== null) ? [...tags, movedClockTag] : tags;
}

const copyOf = (doc: Doc | Working | null): Working | null =>
  doc === null ? null : { ...doc, seen: { ...doc.seen }, out: [...doc.out], timers: [...doc.timers] };

/** Rows that must be written after the document ride in it; a newer row of one id replaces the older. */
function withRows(out: readonly OutRow[], rows: readonly Row[], nextQ: () => number): OutRow[] {
  const fresh = new Set(rows.map((row) => `${row.kind}/${row.id}`));
  const kept = out.filter((o) => o.type !== 'row' || !fresh.has(`${o.row.kind}/${o.row.id}`));
  return [...kept, ...rows.map((row): OutRow => ({ q: nextQ(), type: 'row', row }))];
}

/** Forgets senders who have been silent for their life (engine 5). */
function prune(seen: { [from: string]: Seen }, realNow: Instant): void {
  for (const [from, entry] of Object.entries(seen)) {
    const empty = Object.keys(entry.r).length === 0;
    const life = empty ? seenLifeEmpty : from.startsWith('n:') ? seenLifeOfNodes : seenLifeOfOthers;
    if (realNow - entry.at > life) delete seen[from];
  }
}

const notFound: AskResult = { is: 'refused', code: 'not_found', detail: {} };
const overloaded: AskResult = { is: 'not_executed', why: 'overloaded', retryAfterMs: 1000 };

const sends = (row: AnyCommandRow, by: Sender): boolean =>
  typeof row.by === 'string' ? row.by === by : row.by.includes(by);

function cellOf(row: AnyCommandRow, state: { readonly status: string }): AnyCell {
  const cells = row as unknown as { readonly [status: string]: AnyCell | undefined };
  const cell = cells['_any'] ?? (Object.hasOwn(cells, state.status) ? cells[state.status] : undefined) ?? cells['_terminal'];
  if (cell === undefined) throw new Error(`no cell for status ${state.status}`);
  return cell;
}

const resultOf = ({ code, v, detail = {} }: Outcome): AskResult =>
  code === 'ok' ? { is: 'ok', v, detail } : { is: 'refused', code, detail };

/** What a view is told beside the state. */
export const metaOf = (doc: Pick<Doc, 'id' | 'scope' | 'created'>): ViewMeta => ({
  id: doc.id, scope: doc.scope, createdAt: doc.created,
});
