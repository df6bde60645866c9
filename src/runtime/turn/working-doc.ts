/** A document during a turn: applies what transitions collected and becomes the next version.
 *  Boundary: knows documents and rows; permissions were checked before (turn.ts).
 *  1. A change is applied completely or, when it throws, not at all: the caller keeps the copy from before. */
import { assert } from '../../kernel/assert.ts';
import { sha256Base32 } from '../../kernel/hash.ts';
import { placedBeside } from '../../kernel/id.ts';
import type { Instant } from '../../kernel/time.ts';
import type { Doc, OutRow, Row, TimerEntry } from '../../store/store.ts';
import type { AnyActor } from '../model/actor.ts';
import { addressText, clockOf, slotOfActor, type Scope } from '../model/address.ts';
import { schemaFor } from '../model/downcast.ts';
import { laneTags } from '../model/lane-tags.ts';
import { storedNote } from '../model/notes.ts';
import type { Draft, GatheredEvent } from './draft.ts';
import { deadLetterKind, markOf } from '../model/dead-letter.ts';
import type { Envelope } from '../model/envelope.ts';
import { pruned } from './seen.ts';
import { nameOf, TurnRows } from './turn-rows.ts';

const timersMax = 32;
/** The tag by which a starting node finds the clocks that differ from real time. */
export const movedClockTag = 'clock=moved';

/** An event as other systems read it, byte for byte. */
export type EnvelopeText = (event: {
  readonly id: string;
  readonly type: string;
  readonly at: Instant;
  readonly scope: Scope;
  readonly object: GatheredEvent['object'];
  readonly test: boolean;
}) => string;

/** The evt_ id of an event; every derivation gives the same id. */
export const eventIdOf = (scope: Scope, key: string): string =>
  placedBeside('evt', scope, sha256Base32([key], 24));

/** A document that is not committed yet. */
export const emptyDoc = (actor: AnyActor, id: string, scope: Scope, now: Instant): Doc => ({
  kind: actor.kind,
  id,
  scope,
  clock: actor.realTime === true ? null : clockOf(scope),
  slot: slotOfActor(id),
  v: 0,
  e: 0,
  tok: '',
  sv: actor.schema,
  at: now,
  created: now,
  gone: false,
  tags: [],
  body: null,
  seen: [],
  out: [],
  oq: 0,
  eseq: 0,
  timers: [],
  wake: null,
  busy: false,
});

/** Rows of `out` whose work is done. */
export type Settled = Pick<ReadonlySet<number>, 'has' | 'size'>;

interface Stamp {
  readonly epoch: number;
  readonly readByAll: number;
  readonly tok: string;
  readonly realNow: Instant;
  readonly rowsInCommit: boolean;
  readonly alone: boolean;
  readonly settled: Settled;
}

/** What applying a transition needs beside it. */
interface Applying {
  readonly realNow: Instant;
  readonly envelopeText: EnvelopeText;
  /** Whether every node reads rows with several notes. */
  readonly notesTogether: boolean;
  /** Whether events are rows of this commit, which gives them their positions. */
  readonly placesEvents: boolean;
  readonly settled: Settled;
}

export class WorkingDoc {
  seen: Doc['seen'];
  private readonly actor: AnyActor;
  private readonly base: Doc;
  private body: Doc['body'];
  private out: readonly OutRow[];
  private timers: readonly TimerEntry[];
  private oq: number;
  private eseq: number;
  private at: Instant;
  private isGone: boolean;
  private rows: TurnRows;
  private eventBytes = 0;

  constructor(actor: AnyActor, base: Doc) {
    this.actor = actor;
    this.base = base;
    this.seen = base.seen;
    this.body = base.body;
    this.out = base.out;
    this.timers = base.timers;
    this.oq = base.oq;
    this.eseq = base.eseq;
    this.at = base.at;
    this.isGone = base.gone;
    this.rows = new TurnRows(base);
  }

  /** Fields are replaced, never changed in place, so a copy is cheap. */
  copy(): WorkingDoc {
    const copy = new WorkingDoc(this.actor, this.base);
    copy.seen = this.seen;
    copy.body = this.body;
    copy.out = this.out;
    copy.timers = this.timers;
    copy.oq = this.oq;
    copy.eseq = this.eseq;
    copy.at = this.at;
    copy.isGone = this.isGone;
    copy.rows = this.rows.copy();
    copy.eventBytes = this.eventBytes;
    return copy;
  }

  get scope(): Scope {
    return this.base.scope;
  }
  get clock(): string | null {
    return this.base.clock;
  }
  get gone(): boolean {
    return this.isGone;
  }
  get lastAt(): Instant {
    return this.at;
  }
  /** The version this document will have. */
  get v(): number {
    return this.base.v + 1;
  }
  get outRows(): number {
    return this.out.length;
  }
  /** An estimate of the size of the events and rows this turn has added. */
  get addedBytes(): number {
    return this.eventBytes + this.rows.bytes;
  }
  get state(): { readonly status: string } {
    assert(this.body !== null, 'a living actor has a state');
    return this.body as unknown as { readonly status: string };
  }

  hasRow(q: number): boolean {
    return this.out.some((row) => row.q === q);
  }

  /** The instant an armed timer was set for; null when it is no longer armed. */
  timerAt(name: string, gen: number): Instant | null {
    return this.timers.find((timer) => timer.name === name && timer.gen === gen)?.at ?? null;
  }

  /** Whether a transition's state can be written so that every node can read it; null: deleted, undefined:
   *  unchanged. */
  canBecome(next: Draft['next'], readByAll: number): boolean {
    const body = (next ?? null) as Doc['body'];
    return body === null || this.schemaFor(body, readByAll) !== null;
  }

  /** Claims a `once` effect; false when it was already claimed or is settled. */
  begin(q: number | undefined): boolean {
    const free = this.out.some((row) => row.q === q && row.type === 'effect' && row.tries === 0);
    if (free)
      this.out = this.out.map((row) => (row.q === q && row.type === 'effect' ? { ...row, tries: 1 } : row));
    return free;
  }

  /** The timer or effect row that a command came from is used up. */
  consume({ timer, settles }: Envelope, now: Instant): void {
    if (timer !== undefined) this.timers = this.timers.filter((t) => t.gen !== timer.gen);
    if (settles !== undefined) this.out = this.out.filter((row) => row.q !== settles);
    this.at = now;
  }

  /** A command that keeps throwing becomes a dead letter for an operator. */
  park({ to, command, data }: Envelope, reason: string, now: Instant): void {
    this.rows.add({
      kind: deadLetterKind,
      id: `${addressText(to)}:${++this.oq}`,
      once: false,
      gone: false,
      created: now,
      tags: [],
      body: { command, data, reason: reason.slice(0, 500), state: markOf(this.body) },
    });
  }

  /** Applies everything a transition collected. */
  apply(draft: Draft, now: Instant, applying: Applying): void {
    const { realNow, notesTogether } = applying;
    const before = this.body;
    this.at = now;
    if (draft.next !== undefined) this.body = draft.next as Doc['body'];
    this.rows.addViews(this.actor, { before, after: this.body, now });
    this.setTimers(draft.timers);
    const notes = draft.notes.map((note) => storedNote(note, ++this.eseq));
    this.rows.addNotes(notes, now, notesTogether);
    for (const entry of draft.journals) this.rows.addJournal(entry);
    for (const event of draft.events) this.addEvent(event, now, applying);
    for (const { to, command, data, options } of draft.tells) {
      this.send({ q: ++this.oq, type: 'tell', to: addressText(to), command, data, at: realNow, ...options });
    }
    for (const { kind, data, options } of draft.effects) {
      this.send({ q: ++this.oq, type: 'effect', kind, data, tries: 0, at: realNow, ...options });
    }
    if (draft.next !== null) return;
    this.isGone = true;
    this.timers = [];
  }

  /** The next version, and the rows that go with it (rowsInCommit) or are part of its `out`. */
  finish({ epoch, readByAll, tok, realNow, rowsInCommit, settled, alone }: Stamp): {
    next: Doc;
    rows: readonly Row[];
  } {
    const { body, base, actor, at, eseq, timers } = this;
    const kept = settled.size === 0 ? this.out : this.out.filter((row) => !settled.has(row.q));
    const out = rowsInCommit ? kept : this.carrying(kept);
    const wake = timers.length === 0 ? null : Math.min(...timers.map((timer) => timer.at));
    const unfinished = body !== null && actor.unfinished?.(body as never) === true;
    // fields are listed one by one: a spread that is then overwritten costs several times as much
    const next: Doc = {
      kind: base.kind,
      id: base.id,
      scope: base.scope,
      clock: base.clock,
      slot: base.slot,
      v: this.v,
      e: epoch,
      tok,
      // a document not changed here may be written in the schema it was read in
      sv: (body === null ? null : this.schemaFor(body, readByAll)) ?? actor.schema,
      at,
      created: base.created,
      gone: this.isGone,
      tags: body === null ? [] : tagsOf(actor, body, base.scope, out),
      body,
      seen: pruned(this.seen, realNow, alone),
      out,
      oq: this.oq,
      eseq,
      timers,
      wake,
      busy: out.length > 0 || unfinished,
    };
    return { next, rows: this.rows.all };
  }

  private schemaFor(body: NonNullable<Doc['body']>, readByAll: number): number | null {
    const storedIn = this.base.v === 0 ? 0 : this.base.sv;
    return schemaFor(this.actor, body, { readByAll, storedIn });
  }

  /** Rows written after the document are carried in it; a newer row of one id replaces the older. */
  private carrying(out: readonly OutRow[]): readonly OutRow[] {
    const { all } = this.rows;
    const fresh = new Set(all.map(nameOf));
    const kept = out.filter((row) => row.type !== 'row' || !fresh.has(nameOf(row.row)));
    return [...kept, ...all.map((row): OutRow => ({ q: ++this.oq, type: 'row', row }))];
  }

  private send(row: OutRow): void {
    this.out = [...this.out, row];
  }

  private setTimers(timers: Draft['timers']): void {
    for (const [name, at] of timers) {
      assert(at === null || Number.isFinite(at), `timer ${name} has an instant`);
      this.timers = this.timers.filter((timer) => timer.name !== name);
      if (at !== null) this.timers = [...this.timers, { name, gen: ++this.oq, at }];
    }
    assert(this.timers.length <= timersMax, `at most ${timersMax} timers`);
  }

  private addEvent({ type, object, test }: GatheredEvent, now: Instant, applying: Applying): void {
    const eseq = ++this.eseq;
    const key = this.keyOf(eseq);
    const eventId = eventIdOf(this.scope, key);
    const envelope = applying.envelopeText({ id: eventId, type, at: now, scope: this.scope, object, test });
    const entry = { eventId, event: type, objectId: object.id, envelope, at: now };
    if (applying.placesEvents && !this.hasEvents(applying.settled))
      return this.rows.addJournal({ key, pos: 0, ...entry });
    this.eventBytes += Buffer.byteLength(envelope);
    this.send({ q: ++this.oq, type: 'event', eseq, ...entry });
  }

  /** Whether earlier events are still to be sent: those of one actor stay in their order. */
  private hasEvents(settled: Settled): boolean {
    return this.out.some(({ type, q }) => type === 'event' && !settled.has(q));
  }

  private keyOf(eseq: number): string {
    return `${nameOf(this.base)}:${eseq}`;
  }
}

function tagsOf(
  actor: AnyActor,
  body: NonNullable<Doc['body']>,
  scope: Scope,
  out: readonly OutRow[],
): readonly string[] {
  const own = actor.tags?.(body as never, scope) ?? [];
  const tags = out.length === 0 ? own : [...own, ...laneTags(out)];
  const clock = actor.clock?.(body as never);
  return clock !== undefined && (clock.offsetMs > 0 || clock.walk !== null) ? [...tags, movedClockTag] : tags;
}
