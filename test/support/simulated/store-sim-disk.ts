/** The contents of the simulated store: applied writes and the queries over them, each at a single instant.
 *  Boundary: no time, no randomness; store-sim.ts decides what is applied and when.
 *  1. A document changes only from the version and epoch its write names.
 *  2. A row is replaced only by a higher `v`; a `once` row never.
 *  3. A tombstone is finally purged; after that nothing of it is left to compare with. */
import { assert } from '../../../src/kernel/assert.ts';
import type { Json } from '../../../src/runtime/model/actor.ts';
import type { Scope } from '../../../src/runtime/model/address.ts';
import type {
  Doc,
  Due,
  Listed,
  ListQuery,
  Purged,
  PurgeQuery,
  Row,
  SettledDoc,
  SlotRange,
  Store,
  Sum,
  SumQuery,
  Written,
  Tagged,
  TaggedQuery,
  TagQuery,
} from '../../../src/store/store.ts';

/** A change on the disk. The objects belong to the disk: read only. */
export type Landed =
  | { readonly is: 'doc'; readonly doc: Doc; readonly before: Doc | null; readonly expect: number }
  | { readonly is: 'row'; readonly row: Row; readonly before: Row | null }
  /** It is not busy any more; its version is the same. */
  | { readonly is: 'settled'; readonly doc: Doc };

/** MongoDB's limit for one document. */
const docBytesMax = 16 * 1024 * 1024;

interface Named {
  readonly kind: string;
  readonly id: string;
}

/** An object and its text as JSON. */
interface Held<Item> {
  readonly item: Item;
  readonly text: string;
}

export class Disk {
  readonly #docs = new Map<string, Map<string, Held<Doc>>>();
  readonly #rows = new Map<string, Map<string, Held<Row>>>();
  /** Tombstones that were purged; for checkers only. */
  readonly #purged = new Map<string, Doc>();
  /** The broken build: an update does not check the version it was made from. */
  noVersionFilter: boolean;
  /** The broken build: an update of a missing document inserts it. */
  upsertAfterCreation = false;
  readonly #onLanded: ((landed: Landed) => void) | undefined;

  constructor(noVersionFilter: boolean, onLanded?: (landed: Landed) => void) {
    this.noVersionFilter = noVersionFilter;
    this.#onLanded = onLanded;
  }

  /** The document as it is now, or the last of it when it was purged, the disk's own copy; for checkers. */
  doc(kind: string, id: string): Doc | null {
    return this.#held(kind, id)?.item ?? this.#purged.get(`${kind}/${id}`) ?? null;
  }

  /** As JSON; null when there is none. */
  text(kind: string, id: string): string | null {
    return this.#held(kind, id)?.text ?? null;
  }

  /** Removes a tombstone that has nothing left to send, like the database's own cleanup. False: not yet. */
  purge(kind: string, id: string): boolean {
    const held = this.#held(kind, id);
    if (held?.item.gone !== true || held.item.busy) return false;
    this.#docs.get(kind)?.delete(id);
    this.#purged.set(`${kind}/${id}`, held.item);
    return true;
  }

  /** What `Store.purge` does. */
  purgeOldest(query: PurgeQuery): Purged {
    const { kind, limit } = query;
    const ofKind = this.#docs.get(kind) ?? this.#rows.get(kind);
    const old = oldest(items<Doc | Row>(ofKind), query).slice(0, limit);
    for (const item of old) {
      if ('timers' in item) this.#purged.set(`${kind}/${item.id}`, item);
      ofKind?.delete(item.id);
    }
    return { removed: old.length, ids: old.map(({ id }) => id), more: old.length === limit };
  }

  row(kind: string, id: string): Row | null {
    return this.#rows.get(kind)?.get(id)?.item ?? null;
  }

  /** Every document of a kind, or of all, tombstones too. */
  docs(kind?: string): readonly Doc[] {
    return kind === undefined
      ? [...this.#docs.values()].flatMap((held) => items(held))
      : items(this.#docs.get(kind));
  }

  rows(kind: string): readonly Row[] {
    return items(this.#rows.get(kind));
  }

  /** Applies one document write if the stored document is as its writer expects it. */
  landWrite(expect: number, { item: doc, text }: Held<Doc>): Written {
    const there = this.#held(doc.kind, doc.id)?.item ?? null;
    if (!this.#matches(there, expect) || (there !== null && there.e > doc.e)) return { is: 'stale' };
    const before = this.doc(doc.kind, doc.id);
    if (text.length > docBytesMax)
      return { is: 'error', of: 'document', reason: 'the document is too large' };
    put(this.#docs, doc.kind, doc.id, { item: doc, text });
    this.#onLanded?.({ is: 'doc', doc, before, expect });
    return { is: 'applied' };
  }

  /** What `Store.settle` does to one document. */
  settle({ kind, id, v }: SettledDoc): void {
    const there = this.#held(kind, id)?.item;
    if (there?.v !== v || !there.busy) return;
    const doc = { ...there, busy: false };
    put(this.#docs, kind, id, { item: doc, text: JSON.stringify(doc) });
    this.#onLanded?.({ is: 'settled', doc });
  }

  #matches(there: Doc | null, expect: number): boolean {
    if (there === null) return expect === 0 || this.upsertAfterCreation;
    return expect !== 0 && (this.noVersionFilter || there.v === expect);
  }

  #held(kind: string, id: string): Held<Doc> | undefined {
    return this.#docs.get(kind)?.get(id);
  }

  /** `text` is the row as JSON. */
  landRow(row: Row, text: string): void {
    const before = this.row(row.kind, row.id);
    if (before !== null && (before.once || row.once || before.v >= row.v)) return;
    put(this.#rows, row.kind, row.id, { item: row, text });
    this.#onLanded?.({ is: 'row', row, before });
  }

  readDoc(kind: string, id: string): Doc | null {
    return copyOf(this.#docs.get(kind)?.get(id));
  }

  readRow(kind: string, id: string): Row | null {
    return copyOf(this.#rows.get(kind)?.get(id));
  }

  listDocs(query: ListQuery): Listed<Doc> {
    return list(this.#docs.get(query.kind), query);
  }

  listRows(query: ListQuery): Listed<Row> {
    return list(this.#rows.get(query.kind), query);
  }

  sumRows({ sumOf, ...query }: SumQuery): Sum {
    const { items, total } = list(this.#rows.get(query.kind), {
      ...query,
      page: 1,
      limit: Number.MAX_SAFE_INTEGER,
    });
    assert(fieldName.test(sumOf), `${JSON.stringify(sumOf)} names a field`);
    const numbers = items.map((row) => bodyField(row, sumOf)).filter((value) => typeof value === 'number');
    return { count: total, sum: numbers.reduce((sum, value) => sum + value, 0) };
  }

  newestTagged({ kind, tag, from, scopes, limit }: TagQuery): readonly Tagged[] {
    const held = [...items(this.#docs.get(kind)), ...items(this.#rows.get(kind))];
    const newest = new Map<Scope, Tagged>();
    for (const { gone, scope, id, created, tags } of held.toSorted(newestFirst)) {
      if (gone || created < from || !tags.includes(tag)) continue;
      if (scopes !== null && !scopes.includes(scope)) continue;
      const found = newest.get(scope);
      newest.set(scope, found === undefined ? { scope, id, created, only: true } : { ...found, only: false });
    }
    return [...newest.values()].slice(0, limit);
  }

  oldestTagged({ kind, scope, tag, after, limit }: TaggedQuery): readonly Pick<Doc, 'created' | 'id'>[] {
    return items(this.#docs.get(kind))
      .filter((doc) => !doc.gone && doc.scope === scope && doc.tags.includes(tag))
      .map(({ created, id }) => ({ created, id }))
      .toSorted(oldestFirst)
      .filter((place) => after === undefined || oldestFirst(place, after) > 0)
      .slice(0, limit);
  }

  journalAfter(scope: Scope, after: number, limit: number): readonly Row[] {
    return [...(this.#rows.get('journal')?.values() ?? [])]
      .filter(({ item }) => item.scope === scope && posOf(item) > after)
      .sort((a, b) => posOf(a.item) - posOf(b.item))
      .slice(0, limit)
      .map((held) => JSON.parse(held.text) as Row);
  }

  due(query: Parameters<Store['due']>[0]): readonly Due[] {
    const found: Due[] = [];
    for (const { kind, id, wake, clock } of this.docs().filter(inSlots(query.slots))) {
      if (wake === null || wake > query.until) continue;
      if (query.clock === undefined || clock === query.clock) found.push({ kind, id, wake });
    }
    return found
      .sort((a, b) => a.wake - b.wake || compare(a.id, b.id) || compare(a.kind, b.kind))
      .slice(0, query.limit);
  }

  countTimers(clock: string): number {
    return this.docs().reduce((sum, doc) => sum + (doc.clock === clock ? doc.timers.length : 0), 0);
  }

  busy(query: Parameters<Store['busy']>[0]): readonly Named[] {
    const { after, slots } = query;
    return this.docs()
      .filter((doc) => doc.busy && (query.clock === undefined || doc.clock === query.clock))
      .filter(inSlots(slots))
      .filter((doc) => after === undefined || byKindAndId(doc, after) > 0)
      .sort(byKindAndId)
      .slice(0, query.limit)
      .map(({ kind, id }) => ({ kind, id }));
  }
}

function oldest(held: readonly (Doc | Row)[], query: PurgeQuery): readonly (Doc | Row)[] {
  const { kind, scope, before, only, gone = false } = query;
  const found = held
    .filter((item) => item.scope === scope && item.gone === gone)
    .filter((item) => only === undefined || bodyField(item, only.field) === only.value)
    .sort((a, b) => newestFirst(b, a));
  if (kind === 'journal') {
    const kept = found.findIndex(({ created }) => created >= before);
    return kept < 0 ? found : found.slice(0, kept);
  }
  return found.filter((item) => {
    const atRest = !('timers' in item) || (!item.busy && item.wake === null);
    return atRest && (gone && 'at' in item ? item.at : item.created) < before;
  });
}

const inSlots =
  (slots: readonly SlotRange[] | undefined) =>
  ({ slot }: Doc): boolean =>
    slots === undefined || slots.some(({ from, to }) => slot >= from && slot < to);

function list<Item extends Doc | Row>(
  held: ReadonlyMap<string, Held<Item>> | undefined,
  query: ListQuery,
): Listed<Item> {
  for (const name of fieldsOf(query)) assert(fieldName.test(name), `${JSON.stringify(name)} names a field`);
  const found = [...(held?.values() ?? [])]
    .filter(({ item }) => matches(item, query))
    .sort((a, b) => inOrderOf(query, a.item, b.item));
  const start = (query.page - 1) * query.limit;
  return {
    items: found.slice(start, start + query.limit).map((one) => JSON.parse(one.text) as Item),
    total: found.length,
  };
}

function inOrderOf({ newestBy }: ListQuery, a: Doc | Row, b: Doc | Row): number {
  if (newestBy === undefined) return newestFirst(a, b);
  const [one, other] = [bodyField(a, newestBy), bodyField(b, newestBy)];
  assert(typeof one === 'string' && typeof other === 'string', `lists are ordered by texts in ${newestBy}`);
  return compare(other, one) || compare(b.id, a.id);
}

function matches(item: Doc | Row, query: ListQuery): boolean {
  if (item.gone || (query.scope !== null && item.scope !== query.scope)) return false;
  const field = (name: string): Json => (name === 'created' ? item.created : bodyField(item, name));
  return (
    Object.entries(query.equals ?? {}).every(([name, value]) => field(name) === value) &&
    Object.entries(query.anyOf ?? {}).every(([name, values]) => values.some((one) => field(name) === one)) &&
    (query.range ?? []).every(({ field: name, from, to }) => within(field(name), from, to)) &&
    (query.tags ?? []).every((tag) => item.tags.includes(tag)) &&
    begins(item.tags, query.tagPrefix)
  );
}

const begins = (tags: readonly string[], prefix: string | undefined): boolean =>
  prefix === undefined || tags.some((tag) => tag.startsWith(prefix));

function bodyField({ body }: Doc | Row, name: string): Json {
  return body !== null && Object.hasOwn(body, name) ? (body[name] ?? null) : null;
}

/** Plain names only: a path or a database operator is not a field name. */
const fieldName = /^[a-z][a-z0-9_]*$/i;

const fieldsOf = ({ equals, anyOf, range }: ListQuery): readonly string[] => [
  ...Object.keys(equals ?? {}),
  ...Object.keys(anyOf ?? {}),
  ...(range ?? []).map(({ field }) => field),
];

function within(value: Json, from?: number | string, to?: number | string): boolean {
  if (from === undefined && to === undefined) return true;
  if (typeof value !== 'number' && typeof value !== 'string') return false;
  const alike = (bound: number | string): boolean => typeof bound === typeof value;
  if (from !== undefined && !(alike(from) && value >= from)) return false;
  return to === undefined || (alike(to) && value < to);
}

function newestFirst(a: Doc | Row, b: Doc | Row): number {
  if (a.kind === 'journal') return numberIn(b, 'pos') - numberIn(a, 'pos');
  return b.created - a.created || compare(b.id, a.id);
}

function posOf(row: Row): number {
  return numberIn(row, 'pos');
}

function numberIn(item: Doc | Row, name: string): number {
  const value = bodyField(item, name);
  assert(typeof value === 'number', `${item.kind} has a number in ${name}`);
  return value;
}

type Place = Pick<Doc, 'created' | 'id'>;
const oldestFirst = (a: Place, b: Place): number => a.created - b.created || compare(a.id, b.id);

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const byKindAndId = (a: Named, b: Named): number => compare(a.kind, b.kind) || compare(a.id, b.id);

const items = <Item>(held: ReadonlyMap<string, Held<Item>> | undefined): Item[] =>
  [...(held?.values() ?? [])].map(({ item }) => item);

const copyOf = <Item>(held: Held<Item> | undefined): Item | null =>
  held === undefined ? null : (JSON.parse(held.text) as Item);

function put<Item>(
  kinds: Map<string, Map<string, Held<Item>>>,
  kind: string,
  id: string,
  held: Held<Item>,
): void {
  const ofKind = kinds.get(kind) ?? new Map<string, Held<Item>>();
  kinds.set(kind, ofKind);
  ofKind.set(id, held);
}
