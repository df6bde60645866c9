/** What an actor is: a pure table of state x command, and the answers it may give.
 *  Boundary: types, and the builder a transition writes into; nothing here runs an actor (turn.ts does).
 *  1. A missing state x command pair does not compile.
 *  2. A refusal changes nothing; a change is committed completely or not at all. */
import type { Address, Scope } from './address.ts';
import type { Eras } from './era.ts';
import type { Instant } from '../../kernel/time.ts';

export { eraStep, ofEra, raised } from './era.ts';
export type { EraBegun, Eras } from './era.ts';
export { address, addressFrom, addressText, clockOf, isLive, projectOf, scopeOf } from './address.ts';
export type { Address, Mode, Scope } from './address.ts';

/** Anything that survives JSON unchanged. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** Additional data of an answer beside `ok`. */
export interface Detail {
  readonly [key: string]: Json;
}

/** The data of a command whose `ok` carries `Told`; this exists in types only, for the caller. */
export type Answering<Data, Answer> = Data & { readonly _answer?: Answer };

/** What the `ok` of a command with this data carries. */
export type DetailOf<Data> = Data extends { readonly _answer?: infer Answer }
  ? [Answer] extends [never]
    ? Detail
    : unknown extends Answer
      ? Detail
      : Exclude<Answer, undefined>
  : Detail;

/** Who may send a command. A merchant's envelope also carries the merchant's scope, which is checked before
 *  any transition. */
export type Sender = 'merchant' | 'buyer' | 'provider' | 'operator' | 'system';

/** The type parameters of one actor, gathered: declare one interface per actor in its messages.ts. */
export interface ActorTypes {
  /** Discriminated union on `status`. */
  state: { readonly status: string };
  /** The terminal statuses, which no ordinary command leaves; `never` when there are none. */
  terminal: string;
  /** Command name -> its data. */
  commands: object;
  /** Effect kind -> its data. */
  effects: object;
}

type State<T extends ActorTypes> = T['state'];
type Status<T extends ActorTypes> = State<T>['status'];
type Terminal<T extends ActorTypes> = Extract<Status<T>, T['terminal']>;
type In<T extends ActorTypes, St> = Extract<State<T>, { readonly status: St }>;

/** What a transition returns; made by the Turn it was given, never by hand. */
export interface Verdict {
  readonly verdict: 'changed' | 'unchanged' | 'refused';
}

/** A row of the timeline; `about` is the object whose timeline shows it. */
export interface Note {
  readonly about: string;
  readonly kind:
    | 'transition'
    | 'provider_call'
    | 'provider_callback'
    | 'provider_socket'
    | 'buyer_return'
    | 'poll'
    | 'refused'
    | 'refund'
    | 'webhook_attempt'
    | 'operator'
    | 'note';
  readonly summary: string;
  readonly from?: string | null;
  readonly to?: string | null;
  readonly cause?: string | null;
  readonly durationMs?: number | null;
  readonly detail?: { readonly [key: string]: Json };
}

/** The kinds of notes that hold the answer of a provider as it came. */
export const answerKinds: readonly Note['kind'][] = ['poll', 'refund'];

/** A field of a body that lists filter by; or one that they filter by only together with other values: `only` names
 *  the records that are ever looked for by it. */
export type IndexedField = string | { readonly field: string; readonly only: ValuesOf };

/** A text field of a body, and those of its values that count. */
export interface ValuesOf {
  readonly field: string;
  readonly values: readonly string[];
}

/** One event with its position in the log; `key` is `<actor>:<eseq>`, the row's id. */
export interface JournalEntry {
  readonly key: string;
  /** The evt_ id. */
  readonly eventId: string;
  readonly pos: number;
  /** Kind of docs/reference/events.md. */
  readonly event: string;
  readonly objectId: string;
  /** The webhook body, byte for byte. */
  readonly envelope: string;
  readonly at: Instant;
}

export interface EffectOptions {
  /** Effects of one lane run at most `n` at once (the lane's runner says how many). */
  readonly lane?: string;
  /** First in, first out among effects of one lane and key ... */
  readonly key?: string;
  /** ... in this order. */
  readonly order?: number;
}

/** A refused tell, as it is returned to its sender. */
export interface TellRefused {
  /** The target's address, `kind/id`. */
  readonly to: string;
  readonly command: string;
  readonly data: Json;
  /** Why: the target's own code, or `not_found` when this scope has no such actor. */
  readonly code: string;
  readonly detail: { readonly [key: string]: Json };
}

export interface TellOptions<T extends ActorTypes> {
  /** The command of this actor that receives a refusal; `system` must be among its senders. */
  readonly refused?: RefusedCommands<T>;
}

type RefusedCommands<T extends ActorTypes> = {
  [K in keyof T['commands'] & string]: TellRefused extends T['commands'][K] ? K : never;
}[keyof T['commands'] & string];

/** A transition in progress: the next state, and what must follow once it is committed. */
export interface Change<T extends ActorTypes> extends Verdict {
  /** An action outside, run after the commit; its result returns as the effect's result command. */
  effect<K extends keyof T['effects'] & string>(
    kind: K,
    data: T['effects'][K],
    options?: EffectOptions,
  ): this;
  /** A command to another actor, delivered at least once and executed once. A refusal counts as an answer;
   *  it is returned, exactly once, as the command named by `refused`. */
  tell<C, K extends keyof C & string>(to: Address<C>, command: K, data: C[K], options?: TellOptions<T>): this;
  /** An event of docs/reference/events.md: `object` is the complete API object as of now. */
  event(
    type: string,
    object: { readonly id: string; readonly sequence: number },
    options?: { test?: boolean },
  ): this;
  note(note: Note): this;
  /** Only for the event log: assigns an event its position. Written once per key, in order, before the
   *  log's next turn. */
  journal(entry: JournalEntry): this;
  /** Arms (or moves) the timer `name` or `name/key`; it fires the command declared for `name`. */
  timer(name: string, at: Instant): this;
  noTimer(name: string): this;
  /** Data the caller receives beside `ok`. Small: ids and codes; bodies are built from views. */
  answer(detail: { readonly [key: string]: Json }): this;
}

/** The input of a transition beside state and command. */
export interface Turn<T extends ActorTypes> {
  /** Now on the actor's own clock, never earlier than its last commit. */
  readonly now: Instant;
  readonly id: string;
  readonly scope: Scope;
  readonly by: Sender;
  /** Empty unless the service was restored: what is derived or counted must not repeat what is lost. */
  readonly eras: Eras;
  /** The complete next state. */
  become<St extends Status<T>>(status: St, data: Omit<In<T, St>, 'status'>): Change<T>;
  /** The state stays; effects, tells, notes and timers may follow. */
  stay(): Change<T>;
  /** Deletes the actor permanently: the document stays as a tombstone, and every command gets `not_found`. */
  delete(): Change<T>;
  /** Nothing changes, and the command succeeds. */
  ok(detail?: { readonly [key: string]: Json }): Verdict;
  /** An expected refusal with a public code; nothing changes. */
  refuse(code: string, detail?: { readonly [key: string]: Json }): Verdict;
}

export type Transition<T extends ActorTypes, St, C> = (state: In<T, St>, command: C, x: Turn<T>) => Verdict;

type LiveCells<T extends ActorTypes, C> = {
  readonly [St in Exclude<Status<T>, Terminal<T>>]: Transition<T, St, C>;
};
type TerminalCells<T extends ActorTypes, C> = [Terminal<T>] extends [never]
  ? { readonly _terminal?: never }
  :
      | ({ readonly _terminal: Transition<T, Terminal<T>, C> } & {
          readonly [St in Terminal<T>]?: Transition<T, St, C>;
        })
      | ({ readonly [St in Terminal<T>]: Transition<T, St, C> } & { readonly _terminal?: never });
type Cells<T extends ActorTypes, C> =
  | { readonly _any: Transition<T, Status<T>, C> }
  | (LiveCells<T, C> & TerminalCells<T, C> & { readonly _any?: never });

/** One row of an actor's table: who may send the command, and the transition for each state. */
export type CommandRow<T extends ActorTypes, C> = {
  readonly by: Sender | readonly Sender[];
  /** Present on commands that may create the actor; it must not refuse. */
  readonly creates?: (command: C, x: Turn<T>) => Verdict;
} & Cells<T, C>;

/** What every view receives beside the state. `updatedAt` belongs to the state: it changes only together
 *  with `sequence`. */
export interface ViewMeta {
  readonly id: string;
  readonly scope: Scope;
  readonly createdAt: Instant;
}

/** A thing inside the aggregate that is read, listed and routed by its own id. */
export interface ViewRow {
  /** The collection, e.g. `payment`. */
  readonly kind: string;
  readonly id: string;
  /** Rises with each change of the view; a view with an unchanged sequence is not written again. */
  readonly sequence: number;
  readonly createdAt: Instant;
  /** `k=v` texts that lists can search by. */
  readonly tags: readonly string[];
  /** The API object. */
  readonly body: { readonly id: string };
  /** It stays as it was last when the actor no longer lists it; otherwise it is removed then. */
  readonly lasting?: true;
}

/** `atLeastOnce` may run more than once; `atMostOnce` never runs twice. `read` changes nothing outside: it may run more
 *  than once, and also before the commit of the turn that asked for it, which may then never come. */
export type EffectMode = 'atLeastOnce' | 'atMostOnce' | 'read';

/** How the result of an effect returns. `result` receives what the runner returned; `unknown` builds that
 *  command's data when the outcome cannot be known (an `atMostOnce` effect found claimed, a runner that kept
 *  throwing). */
export type EffectRow<T extends ActorTypes, D> = {
  [K in keyof T['commands'] & string]: {
    readonly result: K;
    readonly mode: EffectMode;
    readonly unknown: (data: D) => T['commands'][K];
  };
}[keyof T['commands'] & string];

export interface ActorDefinition<T extends ActorTypes = ActorTypes> {
  /** Version of the state's shape. */
  readonly schema: number;
  /** Upcasts a stored body of an older schema to this one. */
  readonly upcast?: (body: Json, from: number) => State<T>;
  /** Downcasts a state to an older schema, for nodes that know no newer one; null when that is impossible.
   *  If `upcast` does not restore the same state, the state is not written in that schema and the write
   *  waits, so `downcast` need not check for losses itself. */
  readonly downcast?: (state: State<T>, to: number) => Json | null;
  /** Uses real time even in sandbox. */
  readonly realTime?: boolean;
  /** No caller waits for its commits: its writes may wait a few milliseconds to be sent with others. */
  readonly deferrable?: boolean;
  /** How many actors of this kind whose timers are due work at once on a node, each until what follows has been sent.
   *  For kinds of which thousands may fall due at one instant and send to the same few actors. */
  readonly dueAtOnceMax?: number;
  readonly on: { readonly [K in keyof T['commands']]: CommandRow<T, T['commands'][K]> };
  readonly effects: { readonly [K in keyof T['effects']]: EffectRow<T, T['effects'][K]> };
  /** Timer name -> the command it fires; its data is `{key}`, the part of the timer's name after `/`. */
  readonly timers: { readonly [name: string]: TimerCommands<T> };
  /** The state with which the actor goes on after a restore, before its first command: `eras` have begun since its last
   *  commit. What it counts for outsiders goes on where nothing that was lost is repeated. */
  readonly restored?: (state: State<T>, eras: Eras) => State<T>;
  readonly view: (state: State<T>, meta: ViewMeta) => { readonly [key: string]: unknown };
  readonly rows?: (state: State<T>, meta: ViewMeta) => readonly ViewRow[];
  readonly tags?: (state: State<T>, scope: Scope) => readonly string[];
  /** Top-level body fields that look-ups filter by (<= 4 on a hot kind). */
  readonly indexes?: readonly IndexedField[];
  /** Only for the actor that keeps a project's test clock: what the clock shows now. */
  readonly clock?: (state: State<T>) => ClockState;
  /** Only for the actor that is the event log: how far its journal has been processed. */
  readonly logCursors?: (state: State<T>) => LogCursors;
  /** Runtime work that the state still waits for (a log not yet dispatched); a starting node searches for
   *  it. */
  readonly unfinished?: (state: State<T>) => boolean;
}

/** A project's test clock as its actor holds it. */
export interface ClockState {
  readonly offsetMs: number;
  /** null: at rest. */
  readonly walk: ClockWalk | null;
}

/** A test clock while it is advanced. */
export interface ClockWalk {
  /** The instant it shows. */
  readonly standsAt: Instant;
  readonly target: Instant;
  /** It ends where it stands, before its target. */
  readonly stops?: true;
}

/** How far the journal of one scope has been processed; positions rise by one per event. */
export interface LogCursors {
  /** The highest position assigned. */
  readonly pos: number;
  readonly dispatched: number;
  readonly published: number;
  /** How often the log was rewound to be published again. */
  readonly round: number;
}

type TimerCommands<T extends ActorTypes> = {
  [K in keyof T['commands'] & string]: { key: string } extends T['commands'][K] ? K : never;
}[keyof T['commands'] & string];

/** An actor kind as the cast lists it. */
export interface Actor<T extends ActorTypes = ActorTypes> extends ActorDefinition<T> {
  readonly kind: string;
  /** Prefix of its ids; '' for ids that are scopes or bare hashes. */
  readonly prefix: string;
}

/** Any actor with its own types erased: what the cast holds and the runtime runs. */
export interface AnyActor {
  readonly kind: string;
  readonly prefix: string;
  readonly schema: number;
  readonly upcast?: (body: Json, from: number) => { readonly status: string };
  readonly downcast?: (state: never, to: number) => Json | null;
  readonly realTime?: boolean;
  readonly deferrable?: boolean;
  readonly dueAtOnceMax?: number;
  readonly on: { readonly [command: string]: AnyCommandRow };
  readonly effects: { readonly [kind: string]: AnyEffectRow };
  readonly timers: { readonly [name: string]: string };
  readonly restored?: (state: never, eras: Eras) => { readonly status: string };
  readonly view: (state: never, meta: ViewMeta) => { readonly [key: string]: unknown };
  readonly rows?: (state: never, meta: ViewMeta) => readonly ViewRow[];
  readonly tags?: (state: never, scope: Scope) => readonly string[];
  readonly indexes?: readonly IndexedField[];
  readonly clock?: (state: never) => ClockState;
  readonly logCursors?: (state: never) => LogCursors;
  readonly unfinished?: (state: never) => boolean;
}

export interface AnyCommandRow {
  readonly by: Sender | readonly Sender[];
  readonly creates?: (command: never, x: never) => Verdict;
}

export interface AnyEffectRow {
  readonly result: string;
  readonly mode: EffectMode;
  readonly unknown: (data: never) => unknown;
}

/** Defines one actor kind. Example: `actor<CheckoutSession>('checkout_session', 'cs', {...})`. */
export const actor = <T extends ActorTypes>(
  kind: string,
  prefix: string,
  definition: ActorDefinition<T>,
): Actor<T> => ({ kind, prefix, ...definition });
