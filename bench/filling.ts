/** Many stored sessions in little time: copies of one that has ended, in large batches. SQLite is written by the store
 *  itself; MongoDB by its driver, each record as the store would write it, and before its indexes are there: the store
 *  makes them when it is opened, which takes much less than keeping them at each of a million writes. */
import { MongoClient } from 'mongodb';
import { cast, rowKinds } from '../actors/cast.ts';
import type { Api } from '../src/testing/demo/api.ts';
import { mintId } from '../src/kernel/id.ts';
import { slotOfActor } from '../src/runtime/model/address.ts';
import { storedDoc } from '../src/store/mongo-record.ts';
import type { Collection, Doc, Store, Write } from '../src/store/store.ts';
import { order } from './service.ts';

const batch = 1000;
/** Of one scope a session a second, back into the past. */
const apartMs = 1000;
const sampled = 1000;
/** What is not written by then is left out; the table says how many there are. */
const fillMsMax = 200_000;
/** By then nothing of an ended session is on its way any more. */
const restMs = 7000;

/** Every kind the service stores. */
export const collections: readonly Collection[] = [
  ...cast.map(({ kind, indexes = [] }): Collection => ({ kind, of: 'doc', indexes })),
  ...rowKinds.map(({ kind, indexes }): Collection => ({ kind, of: 'row', indexes })),
];

/** Makes the session all others are copies of, through the API, and waits until it rests; its id. */
export async function endedSession(api: Api): Promise<string> {
  const metadata = { orderId: 'o-1' };
  const { body } = await api.must('POST', '/v1/checkout', { ...order, metadata });
  const id = body.text('id');
  await api.must('POST', `/v1/checkout/${id}/expire`);
  await new Promise((resolve) => setTimeout(resolve, restMs));
  return id;
}

export interface Filled {
  readonly count: number;
  /** Ids spread over all of them. */
  readonly ids: readonly string[];
  readonly perSecond: number;
}

/** The session to copy; throws when it is not at rest. */
export async function templateIn(store: Store, id: string): Promise<Doc> {
  const template = await store.read('checkout_session', id);
  if (template === null || template.out.length > 0) throw new Error('the session to copy is not at rest');
  return template;
}

/** Writes `most` copies of a session through the store, or as many as there is time for. */
export const fill = (store: Store, template: Doc, most: number): Promise<Filled> =>
  filled(template, most, (docs) => written(store, docs));

/** The same past the store, into the database a URL names, whose indexes it takes away: the next store that opens it
 *  makes them again. */
export async function fillMongo(url: string, template: Doc, most: number): Promise<Filled> {
  const client = await new MongoClient(url).connect();
  try {
    const shelf = client.db().collection<{ readonly _id: string }>('checkout_session');
    await shelf.dropIndexes();
    return await filled(template, most, async (docs) => {
      await shelf.insertMany(
        docs.map((doc) => storedDoc(doc).stored),
        { ordered: false },
      );
    });
  } finally {
    await client.close();
  }
}

async function filled(
  template: Doc,
  most: number,
  write: (docs: readonly Doc[]) => Promise<void>,
): Promise<Filled> {
  const text = JSON.stringify(template);
  const ids: string[] = [];
  const from = performance.now();
  let pending: Promise<void> = Promise.resolve();
  let count = 0;
  while (count < most && performance.now() - from < fillMsMax) {
    const made = count;
    const docs = Array.from({ length: Math.min(batch, most - made) }, (_, n) =>
      copyOf(template, text, made + n),
    );
    const every = Math.max(1, Math.floor(most / sampled));
    docs.forEach(({ id }, n) => void ((made + n) % every === 0 && ids.push(id)));
    // the next batch is made while this one is written
    await pending;
    pending = write(docs);
    count += docs.length;
  }
  await pending;
  return { count, ids, perSecond: count / ((performance.now() - from) / 1000) };
}

async function written(store: Store, docs: readonly Doc[]): Promise<void> {
  const writes = docs.map((doc): Write => ({ expect: 0, doc, rows: [] }));
  const results = await store.commit(writes);
  const bad = results.find(({ is }) => is !== 'applied');
  if (bad !== undefined) throw new Error(`a copy was not stored: ${JSON.stringify(bad)}`);
}

function copyOf(template: Doc, text: string, n: number): Doc {
  const id = mintId('cs');
  const created = template.created - (n + 1) * apartMs;
  const doc = JSON.parse(text.replaceAll(template.id, id)) as Doc;
  return { ...doc, id, slot: slotOfActor(id), tok: id, e: 1, created, at: created, tags: [`orderId=o-${n}`] };
}
