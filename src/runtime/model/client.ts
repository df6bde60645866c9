/** The gateways' interface to actors: ask, read, list, watch. It is the same whether the actor lives here
 *  or on another node. */
import type { DetailOf, Detail, Json, Sender, ViewMeta } from './actor.ts';
import type { Address, Scope } from './address.ts';
import type { AskResult, Identity, Shown, Sole } from './envelope.ts';
import type { Listed, ListQuery, Row, Sum, SumQuery, Tagged, TagQuery } from '../../store/store.ts';
import type { MaybePromise } from '../../kernel/maybe-promise.ts';
import type { Cancel, DurationMs, Instant } from '../../kernel/time.ts';

export interface Asking<Answer = Detail> {
  readonly by: Sender;
  /** The caller's scope; null for a caller without one (a buyer, a provider: the id is the token). */
  readonly scope: Scope | null;
  /** Set for requests with an idempotency key. Other gateways omit it, and the node then assigns one. */
  readonly identity?: Identity;
  /** Executing it twice has the same effect as once, at any later time too: it needs no identity, and
   *  nothing about it is stored. */
  readonly idempotent?: boolean;
  /** While a command of another request waits or runs at this actor, this one is refused with `under_way` at
   *  once. */
  readonly sole?: Sole;
  /** A repeated copy of an earlier command with the same identity. */
  readonly again?: boolean;
  /** Set when sent again from `dead`: the only state in which it may be executed. */
  readonly ifState?: string;
  /** The answer carries what the actor has committed, where it can: a door then shows it without a read. */
  readonly shows?: boolean;
  /** How long to wait for the answer; default 10 s, at most 30 s. */
  readonly waitMs?: DurationMs;
  /** Receives the real outcome if the caller was answered `unknown` earlier because the store did not
   *  answer. */
  readonly onLate?: (result: AskResult<Answer>) => void;
}

/** A hint has no identity: its sender never asks for the outcome of an earlier copy. */
export type Hinting = Pick<Asking, 'by' | 'scope' | 'waitMs'>;

/** The result of a hint: its actor has received it; it is stored in MAILBOX for the actor; or it was not
 *  accepted anywhere. */
export type HintOutcome = 'arrived' | 'stored' | 'lost';

/** An actor's committed state at one version. */
export interface Snapshot<State = { readonly [key: string]: Json }> {
  readonly state: State;
  readonly meta: ViewMeta;
  /** The actor's own view of it: the API object. */
  readonly view: { readonly [key: string]: unknown };
  readonly v: number;
}

/** Receives the id of an actor that has committed. `seen` returns what the notice of another node carries: what was
 *  committed then, maybe not the newest any more. Absent or null: read it. */
export type OnNotice = (id: string, seen?: () => Snapshot | null) => void;

/** A command whose target type is not known statically: the runtime carries the tells of actors this way. */
export type AskUntyped = (to: Address, command: string, data: object, asking: Asking) => Promise<AskResult>;

export interface Client {
  /** Sends one command and waits for its committed outcome. Never rejects. */
  ask<C, K extends keyof C & string>(
    to: Address<C>,
    command: K,
    data: C[K],
    asking: Asking<DetailOf<C[K]>>,
  ): Promise<AskResult<DetailOf<C[K]>, Shown & Snapshot>>;
  /** Sends a hint: information the actor would otherwise find out later by itself, and that may arrive
   *  twice. Waits for its owner, 2 s by default, then uses the mailbox of the same address. Never rejects. */
  hint<C, K extends keyof C & string>(
    to: Address<C>,
    command: K,
    data: C[K],
    asking: Hinting,
  ): Promise<HintOutcome>;
  /** Notifies an actor that no more copies will come under this identity, so that it may forget it. May be
   *  lost. */
  settled(to: Address, identity: Identity): void;
  /** The committed state; null when there is none, it was deleted, or it belongs to another scope than
   *  `scope` (unless null). Returns the value instead of a promise when the actor is in this node's memory
   *  and idle. */
  read<State>(to: Address, scope: Scope | null): MaybePromise<Snapshot<State> | null>;
  /** The position in a scope's journal up to which every entry is written and none will change; 0: it is empty. Rejects
   *  when the store does not answer. */
  eventsUpTo(scope: Scope): MaybePromise<number>;
  /** For lists of actors: returns, by id, those of these actors that are in the store and that this node
   *  cannot answer from memory. Use `read` for the others, also to find out that one does not exist. While
   *  the store changes its primary, a commit may be seen late. At most `readManyMax` ids, each once.
   *  Rejects when the store cannot answer. */
  readStored<State>(kind: string, ids: readonly string[]): Promise<ReadonlyMap<string, Snapshot<State>>>;
  /** A view row by id, e.g. `payment`; null as for `read`. */
  readRow(kind: string, id: string, scope: Scope | null): Promise<Row | null>;
  list(query: ListQuery): Promise<Listed<Snapshot>>;
  listRows(query: ListQuery): Promise<Listed<Row>>;
  sumRows(query: SumQuery): Promise<Sum>;
  /** Who carries a tag, in any scope: for doors whose caller has none. */
  newestTagged(query: TagQuery): Promise<readonly Tagged[]>;
  /** Calls `onNotice` after each commit of the actor with this id, on any node; a notice may be lost. A read that
   *  begins after this call misses no commit that is not told: it waits until the other nodes know of the watch. */
  watch(id: string, onNotice: OnNotice): Cancel;
  /** The same for every actor of a scope; the prefix of the id shows its kind. */
  watchScope(scope: Scope, onNotice: (id: string) => void): Cancel;
  /** Now on the clock of this scope. */
  now(scope: Scope): Instant;
  /** This process; named in idempotency records. */
  readonly incarnation: string;
  /** Processes whose requests may still be in progress, this one included. */
  readonly incarnationsAlive: readonly string[];
}
