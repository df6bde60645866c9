/** Documents of one kind that matter now, scope by scope, in the memory of the process that owns every actor: it hears
 *  of each commit before anybody can see the answer.
 *  1. A scope is held completely or not at all: it is filled from the store, and what is committed meanwhile replaces
 *     what the store had.
 *  2. Memory is bounded. A scope with too many of them, or one that could not be read, is left to the store for a
 *     while; above the bound of scopes the oldest is dropped and read again when it is asked for. */
import { minutes, type DurationMs, type Instant, type Scheduler } from '../kernel/time.ts';
import type { Scope } from '../runtime/model/address.ts';
import type { Doc } from '../store/store.ts';

/** Scopes held at once. */
export const scopesMax = 1000;
/** How long a scope that could not be held is left to the store. */
export const leftToStoreMs: DurationMs = minutes(1);

export interface CommittedSetParts<Item> {
  /** All documents of a scope that may belong to the set; null: too many. */
  readonly load: (scope: Scope) => Promise<readonly Doc[] | null>;
  /** What is held of a document; null: it does not belong to the set, or does no longer. */
  readonly itemOf: (doc: Doc) => Item | null;
  /** Held of one scope. */
  readonly itemsMax: number;
  readonly scheduler: Pick<Scheduler, 'steady'>;
}

interface Known<Item> {
  readonly items: Map<string, Item>;
  /** The versions of what was committed while the store was read; null: it has been read. */
  observed: Map<string, number> | null;
  filled: Promise<void>;
  /** Until when it is left to the store; null: it is held. */
  leftUntil: Instant | null;
}

export class CommittedSet<Item> {
  private readonly parts: CommittedSetParts<Item>;
  /** The oldest first. */
  private readonly scopes = new Map<Scope, Known<Item>>();

  constructor(parts: CommittedSetParts<Item>) {
    this.parts = parts;
  }

  /** Called with each committed document of the kind, before its answer can be seen. */
  observe(doc: Doc): void {
    const known = this.scopes.get(doc.scope);
    if (known === undefined || known.leftUntil !== null) return;
    known.observed?.set(doc.id, doc.v);
    this.put(known, doc);
  }

  /** All of a scope, by id; null: the caller reads the store. */
  async of(scope: Scope): Promise<ReadonlyMap<string, Item> | null> {
    const held = this.scopes.get(scope);
    const until = held?.leftUntil ?? null;
    if (until !== null && until > this.parts.scheduler.steady()) return null;
    const known = held === undefined || until !== null ? this.begin(scope) : held;
    if (known.observed !== null) await known.filled;
    // it may have been dropped meanwhile, and commits after that are unknown
    return known.leftUntil === null && this.scopes.get(scope) === known ? known.items : null;
  }

  private begin(scope: Scope): Known<Item> {
    const known: Known<Item> = {
      items: new Map(),
      observed: new Map(),
      filled: Promise.resolve(),
      leftUntil: null,
    };
    this.scopes.delete(scope);
    this.scopes.set(scope, known);
    const [oldest] = this.scopes.keys();
    if (this.scopes.size > scopesMax && oldest !== undefined) this.scopes.delete(oldest);
    known.filled = this.fill(scope, known);
    return known;
  }

  private async fill(scope: Scope, known: Known<Item>): Promise<void> {
    // whoever reads the store instead hears why it does not answer
    const docs = await this.parts.load(scope).catch(() => null);
    const { observed } = known;
    known.observed = null;
    if (docs === null) return this.leave(known);
    for (const doc of docs) if ((observed?.get(doc.id) ?? 0) < doc.v) this.put(known, doc);
  }

  private put(known: Known<Item>, doc: Doc): void {
    const item = this.parts.itemOf(doc);
    if (item === null) known.items.delete(doc.id);
    else known.items.set(doc.id, item);
    if (known.items.size > this.parts.itemsMax) this.leave(known);
  }

  private leave(known: Known<Item>): void {
    known.items.clear();
    known.leftUntil = this.parts.scheduler.steady() + leftToStoreMs;
  }
}
