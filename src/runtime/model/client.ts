/** The doors' way to actors: ask, read, list, watch. The same whether the actor lives here or on another node. */
import type { DetailOf, Detail, Json, Sender, ViewMeta } from './actor.ts';
import type { Address, Scope } from './address.ts';
import type { AskResult, Identity } from './envelope.ts';
import type { Listed, ListQuery, Row, Sum, SumQuery } from '../../store/store.ts';
import type { MaybePromise } from '../../kernel/maybe-promise.ts';
import type { Cancel, DurationMs, Instant } from '../../kernel/time.ts';

export interface Asking<Told = Detail> {
  readonly by: Sender;
  /** The asker's scope; null for who has none (a buyer, a provider: the id is the token). */
  readonly scope: Scope | null;
  /** Of a keyed request; other doors leave it out, and the node gives one to what leaves it. */
  readonly identity?: Identity;
  /** Executed twice it comes to the same, at any later time too: it needs no identity, and nothing of it is stored. */
  readonly idempotent?: boolean;
  /** A copy of something asked before under the same identity. */
  readonly again?: boolean;
  /** Of what is sent again out of `dead`: the only state in which it may be executed. */
  readonly ifState?: string;
  /** How long the answer is waited for; 10 s unless told, at most 30 s. */
  readonly waitMs?: DurationMs;
  /** Told what it came to when the asker was told `unknown` before, because the store fell silent. */
  readonly onLate?: (result: AskResult<Told>) => void;
}

/** A hint has no identity: nobody asks what its first copy came to. */
export type Hinting = Pick<Asking, 'by' | 'scope' | 'waitMs'>;

/** What became of a hint: its actor has heard it; the durable road holds it for him; nobody has it. */
export type HintFate = 'arrived' | 'stored' | 'lost';

/** An actor's committed state, as of one version. */
export interface Snapshot<State = { readonly [key: string]: Json }> {
  readonly state: State;
  readonly meta: ViewMeta;
  /** The actor's own view of it: the API object. */
  readonly view: { readonly [key: string]: unknown };
  readonly v: number;
}

/** A command whose target's commands are not known by type: the runtime carries what actors told it to. */
export type AskUntyped = (to: Address, command: string, data: object, asking: Asking) => Promise<AskResult>;

export interface Client {
  /** Sends one command and waits for its committed outcome. Never rejects. */
  ask<C, K extends keyof C & string>(
    to: Address<C>,
    command: K,
    data: C[K],
    asking: Asking<DetailOf<C[K]>>,
  ): Promise<AskResult<DetailOf<C[K]>>>;
  /** Tells an actor what it would find out by itself, only later, and what may come twice. Waits 2 s for its owner
   *  unless told, then the durable road of the same address takes it. Never rejects. */
  hint<C, K extends keyof C & string>(
    to: Address<C>,
    command: K,
    data: C[K],
    asking: Hinting,
  ): Promise<HintFate>;
  /** Tells an actor that nothing more will come under this identity, so that it may forget it. May be lost. */
  settled(to: Address, identity: Identity): void;
  /** The committed state; null when there is none, it is buried, or `scope` (unless null) is another's. No promise
   *  when the actor is in this node's memory and nothing of it is under way. */
  read<State>(to: Address, scope: Scope | null): MaybePromise<Snapshot<State> | null>;
  /** For who shows many: those of these actors that the store has and that do not speak for themselves on this node,
   *  by id; the others are for `read`, also to know that there is none. When the store changes hands, a commit may be
   *  seen late. At most `readManyMax` ids, each once. Rejects when the store cannot answer. */
  readStored<State>(kind: string, ids: readonly string[]): Promise<ReadonlyMap<string, Snapshot<State>>>;
  /** A view row by id, e.g. `payment`; null as for read. */
  readRow(kind: string, id: string, scope: Scope | null): Promise<Row | null>;
  list(query: ListQuery): Promise<Listed<Snapshot>>;
  listRows(query: ListQuery): Promise<Listed<Row>>;
  sumRows(query: SumQuery): Promise<Sum>;
  /** Calls `onNotice` after each commit of the actor with this id, on any node; a notice may be lost. */
  watch(id: string, onNotice: (id: string) => void): Cancel;
  /** The same of every actor of a scope; the prefix of the id tells its kind. */
  watchScope(scope: Scope, onNotice: (id: string) => void): Cancel;
  /** Now on the clock things of this scope live on. */
  now(scope: Scope): Instant;
  /** This process; named in idempotency records. */
  readonly incarnation: string;
  /** Processes whose requests may still be under way, this one among them. */
  readonly incarnationsAlive: readonly string[];
}
