/** Tests an actor without a runtime: given a state, when commands arrive, then check what it did.
 *  Runs the same turn as the runtime; time stands still until the test moves it.
 *  Always checked: a changed view has a higher `sequence`, and a higher sequence has a changed view. */
import { isDeepStrictEqual } from 'node:util';
import { assert } from '../../../src/kernel/assert.ts';
import type { Instant } from '../../../src/kernel/time.ts';
import type { Doc, OutRow, Row } from '../../../src/store/store.ts';
import type { Actor, ActorTypes, Json, Note, Sender, TellRefused } from '../../../src/runtime/model/actor.ts';
import type { Scope } from '../../../src/runtime/model/address.ts';
import type { Eras } from '../../../src/runtime/model/era.ts';
import { notesIn } from '../../../src/runtime/model/notes.ts';
import type { AskResult, Envelope, Identity } from '../../../src/runtime/model/envelope.ts';
import { runTurn } from '../../../src/runtime/turn/turn.ts';
import { metaOf } from '../../../src/runtime/turn/turn-rows.ts';

type EffectRow = Extract<OutRow, { type: 'effect' }>;
type TellRow = Extract<OutRow, { type: 'tell' }>;

export interface StoryEvent {
  readonly type: string;
  readonly data: { readonly id: string; readonly sequence: number; readonly [key: string]: Json };
}

export interface Given {
  readonly id: string;
  readonly scope: Scope;
  /** Default start: 2026-11-20T09:15:00.000Z. */
  readonly now?: Instant;
}

/** One actor's test run. Everything is appended to it; `last` holds what the latest command caused. */
export class Story<T extends ActorTypes> {
  readonly actor: Actor<T>;
  readonly given: Given;
  now: Instant;
  /** Set it when the service is restored. */
  eras: Eras = [];
  doc: Doc | null = null;
  /** All events, tells, effects and notes since the start. */
  readonly events: StoryEvent[] = [];
  readonly tells: TellRow[] = [];
  readonly notes: Note[] = [];
  readonly journal: Row[] = [];
  /** Effects not settled yet, oldest first. */
  pending: EffectRow[] = [];
  last: { outcome: AskResult; events: StoryEvent[]; effects: EffectRow[]; tells: TellRow[] } = {
    outcome: { is: 'ok', v: 0, detail: {} },
    events: [],
    effects: [],
    tells: [],
  };

  constructor(actor: Actor<T>, given: Given) {
    this.actor = actor;
    this.given = given;
    this.now = given.now ?? Date.parse('2026-11-20T09:15:00.000Z');
  }

  get state(): T['state'] {
    assert(this.doc !== null && this.doc.body !== null, 'the actor exists');
    return this.doc.body as unknown as T['state'];
  }

  get view(): { readonly [key: string]: unknown } {
    assert(this.doc !== null, 'the actor exists');
    return this.actor.view(this.state, metaOf(this.doc));
  }

  /** The current view rows, by kind. */
  rows(kind: string): readonly { readonly [key: string]: unknown }[] {
    assert(this.doc !== null, 'the actor exists');
    return (this.actor.rows?.(this.state, metaOf(this.doc)) ?? [])
      .filter((row) => row.kind === kind)
      .map((row) => row.body as unknown as { readonly [key: string]: unknown });
  }

  /** When the timer is due; null when it is not armed. */
  timer(name: string): Instant | null {
    return this.doc?.timers.find((t) => t.name === name)?.at ?? null;
  }

  /** Sends one command; by default from the first sender its row allows. */
  when<K extends keyof T['commands'] & string>(
    command: K,
    data: T['commands'][K],
    from: { by?: Sender; scope?: Scope | null; identity?: Identity } = {},
  ): this {
    const { by } = this.actor.on[command];
    const sender = from.by ?? (typeof by === 'string' ? by : by[0]);
    assert(sender !== undefined, 'the command has a sender');
    return this.deliver({
      to: { kind: this.actor.kind, id: this.given.id },
      command,
      data: data as Json,
      by: sender,
      scope: from.scope === undefined ? this.given.scope : from.scope,
      deadline: Infinity,
      ...(from.identity === undefined ? {} : { identity: from.identity }),
    });
  }

  /** Delivers the result of the oldest pending effect of this kind. */
  settle<K extends keyof T['effects'] & string>(kind: K, result: object): this {
    const row = this.pending.find((effect) => effect.kind === kind);
    assert(row !== undefined, `an effect ${kind} is pending`);
    this.pending = this.pending.filter((effect) => effect !== row);
    return this.deliver({
      to: { kind: this.actor.kind, id: this.given.id },
      command: this.actor.effects[kind].result,
      data: result as Json,
      by: 'system',
      scope: this.given.scope,
      deadline: Infinity,
      settles: row.q,
    });
  }

  /** Refuses the oldest tell of this command that declares a command for refusals. */
  refuse(command: string, code: string, detail: TellRefused['detail'] = {}): this {
    const row = this.doc?.out.find(
      (one): one is TellRow => one.type === 'tell' && one.command === command && one.refused !== undefined,
    );
    assert(row?.refused !== undefined, `a tell ${command} that may return is pending`);
    const { to, data, q, refused } = row;
    return this.deliver({
      to: { kind: this.actor.kind, id: this.given.id },
      command: refused,
      data: { to, command, data, code, detail },
      by: 'system',
      scope: this.given.scope,
      deadline: Infinity,
      settles: q,
    });
  }

  /** Moves time forward; due timers fire at their own instants, earliest first. */
  wait(ms: number): this {
    const until = this.now + ms;
    for (let fired = 0; fired < 10_000; fired++) {
      const next = [...(this.doc?.timers ?? [])].sort((a, b) => a.at - b.at)[0];
      if (next === undefined || next.at > until) break;
      this.now = Math.max(this.now, next.at);
      this.fire(next.name);
    }
    this.now = until;
    return this;
  }

  /** Fires an armed timer now, whatever the time. */
  fire(name: string): this {
    const timer = this.doc?.timers.find((t) => t.name === name);
    assert(timer !== undefined, `timer ${name} is armed`);
    const [base = '', ...key] = name.split('/');
    const command = this.actor.timers[base];
    assert(command !== undefined, `timer ${base} is declared`);
    return this.deliver({
      to: { kind: this.actor.kind, id: this.given.id },
      command,
      data: { key: key.join('/') },
      by: 'system',
      scope: this.given.scope,
      deadline: Infinity,
      timer: { name, gen: timer.gen },
    });
  }

  private deliver(envelope: Envelope): this {
    const before = this.doc;
    const { next, answers, rows } = runTurn(this.actor, this.given.id, before, [envelope], {
      realNow: this.now,
      clockNow: () => this.now,
      epoch: 1,
      readByAll: Infinity,
      stamp: false,
      tok: 't',
      notesTogether: true,
      placesEvents: false,
      rowsInCommit: true,
      alone: true,
      eras: this.eras,
      settled: new Set(),
      envelopeText: ({ type, object }) => JSON.stringify({ type, data: object }),
      throws: () => 1,
      onThrow: (_envelope, thrown) => {
        throw thrown;
      },
    });
    const outcome = answers[0];
    assert(outcome !== undefined, 'one command, one answer');
    const fresh = (next?.out ?? []).filter((row) => row.q > (before?.oq ?? 0));
    const events = fresh
      .filter((row) => row.type === 'event')
      .map((row) => JSON.parse(row.envelope) as StoryEvent);
    const effects = fresh.filter((row) => row.type === 'effect');
    const tells = fresh.filter((row) => row.type === 'tell');
    this.events.push(...events);
    this.tells.push(...tells);
    this.pending.push(...effects);
    this.notes.push(
      ...rows
        .filter((row) => row.kind === 'timeline')
        .flatMap(notesIn)
        .toSorted((a, b) => a.eseq - b.eseq),
    );
    this.journal.push(...rows.filter((row) => row.kind === 'journal'));
    this.last = { outcome, events, effects, tells };
    if (next !== null) {
      this.doc = JSON.parse(JSON.stringify(next)) as Doc;
      this.sequencesHold(before);
    }
    return this;
  }

  private sequencesHold(before: Doc | null): void {
    if (before === null || before.body === null || this.doc === null || this.doc.body === null) return;
    const meta = metaOf(this.doc);
    const old = this.actor.view(before.body as never, meta);
    const now = this.actor.view(this.state, meta);
    if (typeof now['sequence'] !== 'number') return;
    const grown = now['sequence'] !== old['sequence'];
    const moved = !isDeepStrictEqual({ ...old, sequence: 0 }, { ...now, sequence: 0 });
    assert(!moved || grown, `a changed view of ${this.actor.kind} has a new sequence`);
  }
}

/** Starts a test: `given(checkoutSession, {id, scope}).when('open', {...})`. */
export const given = <T extends ActorTypes>(actor: Actor<T>, who: Given): Story<T> => new Story(actor, who);
