/** Documents, rows and shorthands for the store's contract. */
import type { Scope } from '../../src/runtime/model/address.ts';
import type {
  Collection,
  Doc,
  Listed,
  ListQuery,
  Row,
  Store,
  Write,
  Written,
} from '../../src/store/store.ts';

/** What every store under contract is opened with. `colour` is kept by both but indexed by neither. */
export const collections: readonly Collection[] = [
  { kind: 'parcel', of: 'doc', indexes: ['status', 'grams', 'fragile', 'note'] },
  { kind: 'courier', of: 'doc', indexes: ['status'] },
  { kind: 'label', of: 'row', indexes: ['status', 'grams', 'fragile', 'note', 'sentAt'], orders: ['sentAt'] },
  { kind: 'timeline', of: 'row', indexes: ['about'] },
  { kind: 'journal', of: 'row', indexes: ['type', 'objectId'] },
];

let made = 0;
const serial = (): string => (++made).toString(36).padStart(6, '0');

/** A unique id; later ones sort after earlier ones. */
export const freshId = (prefix: string): string => `${prefix}_00${serial()}`;
export const freshScope = (): Scope => `prj_00${serial()}:sandbox`;
export const freshClock = (): string => `prj_00${serial()}`;

/** A parcel of version 1 in a scope of its own, by default. */
export function docOf(given: Partial<Doc> = {}): Doc {
  const id = given.id ?? freshId('pcl');
  return {
    kind: 'parcel',
    id,
    scope: freshScope(),
    clock: null,
    slot: 0,
    v: 1,
    e: 1,
    tok: `t:${id}`,
    sv: 1,
    at: 1000,
    created: 1000,
    gone: false,
    tags: [],
    body: { status: 'open' },
    seen: [],
    out: [],
    oq: 0,
    eseq: 0,
    timers: [],
    wake: null,
    busy: false,
    ...given,
  };
}

/** The next version of a document. */
export const after = (doc: Doc, changes: Partial<Doc> = {}): Doc => ({
  ...doc,
  v: doc.v + 1,
  at: doc.at + 1,
  tok: `${doc.tok}'`,
  ...changes,
});

/** A document whose only timers are at `wakes`. */
export const docDue = (wakes: readonly number[], given: Partial<Doc> = {}): Doc =>
  docOf({
    ...given,
    timers: wakes.map((at, index) => ({ name: `tick/${index}`, gen: 1, at })),
    wake: wakes.length === 0 ? null : Math.min(...wakes),
  });

/** A label of version 1 in a scope of its own, by default. */
export function rowOf(given: Partial<Row> = {}): Row {
  const id = given.id ?? freshId('lbl');
  return {
    kind: 'label',
    id,
    owner: { kind: 'parcel', id: 'pcl_owner' },
    scope: freshScope(),
    v: 1,
    once: false,
    gone: false,
    created: 1000,
    tags: [],
    body: { id, status: 'open' },
    ...given,
  };
}

/** A journal entry at `pos` of a scope's log. */
export const entryOf = (scope: Scope, pos: number, given: Partial<Row> = {}): Row =>
  rowOf({
    kind: 'journal',
    id: `parcel/pcl_owner:${scope}:${pos}`,
    scope,
    once: true,
    created: 1000 + pos,
    body: { pos, type: 'parcel.sent', objectId: 'pcl_owner' },
    ...given,
  });

/** Commits one document that must be the successor of what is stored. */
export async function save(store: Store, doc: Doc, expect = doc.v - 1): Promise<Written> {
  return first(await store.commit([{ expect, doc, rows: [] }]));
}

/** Commits one document as the runtime does: the same write again while a busy store does not say what became of it,
 *  or accepts nothing just now. True when exactly this write was applied. */
export async function saveSurely(store: Store, doc: Doc): Promise<boolean> {
  for (;;) {
    const written = await save(store, doc);
    if (written.is === 'applied') return true;
    if (written.is === 'stale') return (await store.read(doc.kind, doc.id))?.tok === doc.tok;
    if (written.is === 'error' && written.of === 'document') return false;
    await new Promise((resolve) => setTimeout(resolve, againMs));
  }
}

const againMs = 50;

export const writeOf = (doc: Doc, expect = doc.v - 1, rows: readonly Row[] = []): Write => ({
  expect,
  doc,
  rows,
});

/** Commits documents and expects every one to be applied. */
export async function saveAll(store: Store, docs: readonly Doc[]): Promise<void> {
  const results = await store.commit(docs.map((doc) => writeOf(doc)));
  const lost = results.findIndex((result) => result.is !== 'applied');
  if (lost >= 0) throw new Error(`write ${lost} was ${JSON.stringify(results[lost])}`);
}

/** Stores rows and expects an acknowledgement. */
export async function putAll(store: Store, rows: readonly Row[]): Promise<void> {
  const result = await store.putRows(rows);
  if (result !== 'applied') throw new Error(`rows were ${result}`);
}

/** A first page long enough for every test that does not page. */
export const queryOf = (given: Partial<ListQuery> & { scope: ListQuery['scope'] }): ListQuery => ({
  kind: 'parcel',
  page: 1,
  limit: 100,
  ...given,
});

export const idsOf = (listed: Listed<{ readonly id: string }>): readonly string[] =>
  listed.items.map((item) => item.id);

/** The only element, or the first; throws when there is none. */
export function first<Item>(items: readonly Item[]): Item {
  const [item] = items;
  if (item === undefined) throw new Error('at least one element');
  return item;
}
