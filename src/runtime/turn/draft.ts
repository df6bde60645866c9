/** The builder a transition writes into. It only collects; turn.ts applies everything it collected, or
 *  nothing. */
import type {
  ActorTypes,
  Address,
  Change,
  EffectOptions,
  Eras,
  JournalEntry,
  Json,
  Note,
  Sender,
  Scope,
  Turn,
  Verdict,
} from '../model/actor.ts';
import type { Instant } from '../../kernel/time.ts';

type Detail = { readonly [key: string]: Json };

export interface GatheredEvent {
  readonly type: string;
  readonly object: { readonly id: string; readonly sequence: number };
  readonly test: boolean;
}
export interface GatheredEffect {
  readonly kind: string;
  readonly data: Json;
  readonly options: EffectOptions;
}
export interface GatheredTell {
  readonly to: Address;
  readonly command: string;
  readonly data: Json;
  readonly options: { readonly refused?: string };
}

export class Unchanged implements Verdict {
  readonly verdict = 'unchanged';
  readonly detail: Detail;
  constructor(detail: Detail) {
    this.detail = detail;
  }
}

export class Refused implements Verdict {
  readonly verdict = 'refused';
  readonly code: string;
  readonly detail: Detail;
  constructor(code: string, detail: Detail) {
    this.code = code;
    this.detail = detail;
  }
}

/** What one transition changes and causes. */
export class Draft implements Change<ActorTypes> {
  readonly verdict = 'changed';
  /** The next state; `null` deletes the actor, undefined keeps the state. */
  readonly next: { readonly status: string } | null | undefined;
  detail: Detail = {};
  readonly effects: GatheredEffect[] = [];
  readonly tells: GatheredTell[] = [];
  readonly events: GatheredEvent[] = [];
  readonly notes: Note[] = [];
  readonly journals: JournalEntry[] = [];
  /** Timer name -> when, null = disarm. */
  readonly timers = new Map<string, Instant | null>();

  constructor(next: { readonly status: string } | null | undefined) {
    this.next = next;
  }
  effect(kind: string, data: unknown, options: EffectOptions = {}): this {
    this.effects.push({ kind, data: data as Json, options });
    return this;
  }
  tell(to: Address, command: string, data: unknown, options: { refused?: string } = {}): this {
    this.tells.push({ to, command, data: data as Json, options });
    return this;
  }
  event(
    type: string,
    object: { readonly id: string; readonly sequence: number },
    options: { test?: boolean } = {},
  ): this {
    this.events.push({ type, object, test: options.test === true });
    return this;
  }
  note(note: Note): this {
    this.notes.push(note);
    return this;
  }
  journal(entry: JournalEntry): this {
    this.journals.push(entry);
    return this;
  }
  timer(name: string, at: Instant): this {
    this.timers.set(name, at);
    return this;
  }
  noTimer(name: string): this {
    this.timers.set(name, null);
    return this;
  }
  answer(detail: Detail): this {
    this.detail = detail;
    return this;
  }
  /** Whether it changes anything at all. */
  get empty(): boolean {
    return (
      this.next === undefined &&
      this.effects.length +
        this.tells.length +
        this.events.length +
        this.notes.length +
        this.journals.length +
        this.timers.size ===
        0
    );
  }
}

/** The `x` of a transition. */
export class TurnOf implements Turn<ActorTypes> {
  readonly now: Instant;
  readonly id: string;
  readonly scope: Scope;
  readonly by: Sender;
  readonly eras: Eras;
  constructor(now: Instant, id: string, scope: Scope, by: Sender, eras: Eras) {
    this.now = now;
    this.id = id;
    this.scope = scope;
    this.by = by;
    this.eras = eras;
  }
  become(status: string, data: object): Change<ActorTypes> {
    return new Draft({ ...data, status });
  }
  stay(): Change<ActorTypes> {
    return new Draft(undefined);
  }
  delete(): Change<ActorTypes> {
    return new Draft(null);
  }
  ok(detail: Detail = {}): Verdict {
    return new Unchanged(detail);
  }
  refuse(code: string, detail: Detail = {}): Verdict {
    return new Refused(code, detail);
  }
}
