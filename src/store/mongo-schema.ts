/** The collections and indexes of the store, created and checked when it is opened.
 *  Boundary: names and keys of indexes; a comment at each index names the queries that use it.
 *  1. One collection per kind; a kind is used only as the name of a collection.
 *  2. Every query of lists, timers and scans can start with a prefix of an index: none needs a full
 *     collection scan.
 *  3. An index under one of our names with another shape stops the start; unknown indexes stay. */
import { MongoServerError, type Db, type IndexDescription } from 'mongodb';
import { assert } from '../kernel/assert.ts';
import { isFieldName, pathOf } from './mongo-fields.ts';
import { fieldNameOf, type Collection } from './store.ts';

/** Names the store reserves for itself, beside those of kinds. */
export const reserved = { nodes: 'nodes', partitions: 'partitions', cluster: 'cluster' } as const;

/** Declared fields of one kind: each is another index that every write of it may update. */
export const fieldsMax = 12;

/** Index names that queries use in `hint`. */
export const indexNames = {
  list: 'list',
  tags: 'tags',
  due: 'due',
  onClock: 'on_clock',
  busy: 'busy',
  gone: 'gone',
} as const;

interface Index extends IndexDescription {
  readonly name: string;
  readonly key: { readonly [path: string]: 1 };
  readonly partialFilterExpression?: { readonly [path: string]: unknown };
}

/** Lists newest first, through a whole scope. */
const list: Index = { name: indexNames.list, key: { shelf: 1, ord: 1, _id: 1 } };
/** Lists by a tag. The tag comes first, so that it can also be searched in all scopes. */
const tagged: Index = {
  name: indexNames.tags,
  key: { tags: 1, shelf: 1, ord: 1, _id: 1 },
  partialFilterExpression: { tags: { $exists: true } },
};
/** What is due on any clock. */
const due: Index = {
  name: indexNames.due,
  key: { wake: 1, _id: 1, slot: 1 },
  partialFilterExpression: { wake: { $exists: true } },
};
/** What is due on one test clock, and how many timers it has. */
const onClock: Index = {
  name: indexNames.onClock,
  key: { clock: 1, wake: 1, _id: 1, slot: 1, timers: 1 },
  partialFilterExpression: { clock: { $exists: true } },
};
const busy: Index = {
  name: indexNames.busy,
  key: { busy: 1, _id: 1, slot: 1, clock: 1 },
  partialFilterExpression: { busy: true },
};

/** Tombstones, by their age. */
const gone: Index = {
  name: indexNames.gone,
  key: { goneIn: 1, goneAt: 1 },
  partialFilterExpression: { goneIn: { $exists: true } },
};

/** Every index of a collection, each with all of its records; throws BrokenInvariant for a declaration that cannot
 *  become an index. */
export function indexesOf({ kind, of, indexes, orders = [] }: Collection): readonly Index[] {
  assert(isFieldName(kind) && !Object.hasOwn(reserved, kind), `${kind} can name a collection`);
  const names = indexes.map(fieldNameOf);
  const fields = [...new Set(kind === 'journal' ? [...names, 'created'] : names)];
  assert(fields.length <= fieldsMax, `${kind}: at most ${fieldsMax} indexes`);
  const byField = fields
    .map((field): readonly [string, string] => [field, pathOf(kind, field)])
    .filter(([, path]) => path !== 'ord')
    .map(([field, path]): Index =>
      orders.includes(field)
        ? // lists ordered by this field, and by nothing else before the id
          { name: `newest_${field}`, key: { shelf: 1, [path]: 1, _id: 1 } }
        : { name: `by_${field}`, key: { shelf: 1, [path]: 1, ord: 1, _id: 1 } },
    );
  return [list, tagged, ...byField, ...(of === 'doc' ? [due, onClock, busy, gone] : [])];
}

/** Other nodes may open the same empty database at the same moment. */
const triesMax = 5;
const namespaceExists = 48;
const namespaceNotFound = 26;
const passing: ReadonlySet<unknown> = new Set([namespaceExists, 12586, 12587, 112, 117]);

/** Creates what is missing, then checks that everything exists. Rejects with one line. */
export async function prepareCollections(db: Db, collections: readonly Collection[]): Promise<void> {
  await Promise.all(collections.map((collection) => prepare(db, collection)));
}

async function prepare(db: Db, collection: Collection): Promise<void> {
  const wanted = indexesOf(collection);
  for (let tries = 1; ; tries++) {
    try {
      const there = await known(db, collection.kind);
      const missing = wanted.filter(({ name }) => !there.has(name));
      if (missing.length === 0) return check(collection.kind, wanted, there);
      await db.collection(collection.kind).createIndexes(missing.map((index) => ({ ...index })));
      return check(collection.kind, wanted, await known(db, collection.kind));
    } catch (error) {
      if (tries >= triesMax || !(error instanceof MongoServerError) || !passing.has(error.code)) throw error;
    }
  }
}

async function known(db: Db, kind: string): Promise<ReadonlyMap<string, string>> {
  try {
    const found: readonly { readonly [name: string]: unknown }[] = await db.collection(kind).indexes();
    return new Map(found.map((index) => [String(index['name']), shapeOf(index)]));
  } catch (error) {
    if (error instanceof MongoServerError && error.code === namespaceNotFound) return new Map();
    throw error;
  }
}

function check(kind: string, wanted: readonly Index[], there: ReadonlyMap<string, string>): void {
  const wrong = wanted.find((index) => there.get(index.name) !== shapeOf({ ...index }));
  if (wrong === undefined) return;
  const is = there.get(wrong.name) ?? 'missing';
  throw new Error(
    `the index ${wrong.name} of collection ${kind} is ${is}, not ${shapeOf({ ...wrong })}: drop it and start again`,
  );
}

const shapeOf = (index: { readonly [name: string]: unknown }): string =>
  JSON.stringify({ key: index['key'], partial: index['partialFilterExpression'] ?? null });
