/** Many stored sessions in little time: copies of one that has ended, in large batches. SQLite is written by the
 *  store's own writer; MongoDB by its driver, each record as the store would write it, and before its indexes are
 *  there: the store makes them when it is opened, which takes much less than keeping them at each of a million writes. */
import { MongoClient } from 'mongodb';
import { cast, rowKinds } from '../actors/cast.ts';
import type { Api } from '../src/cli/demo/api.ts';
import { mintId } from '../src/kernel/id.ts';
import { slotOfActor } from '../src/runtime/model/address.ts';
import { openConnection } from '../src/store/sqlite-bind.ts';
import { databaseFile } from '../src/store/sqlite-schema.ts';
import { storedDoc, storedRow } from '../src/store/mongo-record.ts';
import type { Collection, Doc, Row, Store, Write } from '../src/store/store.ts';
import { tableWriter } from './table-writer.ts';
import { order } from './service.ts';

const batch = 1000;
/** Of one scope a session a second, back into the past. */
const apartMs = 1000;
const fillCacheKib = 1024 * 1024;
const busyMs = 5000;
/** What is not written by then is left out; the table says how many there are. */
const fillMsMax = 200_000;
/** By then nothing of an ended session is on its way any more. */
const restMs = 7000;
/** The order id of the session that is copied; each copy has its own in its place. */
const orderId = 'order-of-template';

/** Every kind the service stores. */
export const collections: readonly Collection[] = [
  ...cast.map(({ kind, indexes = [] }): Collection => ({ kind, of: 'doc', indexes })),
  ...rowKinds.map(({ kind, indexes, orders = [] }): Collection => ({ kind, of: 'row', indexes, orders })),
];

/** Makes the session all others are copies of, through the API, and waits until it rests; its id. */
export async function endedSession(api: Api, how: 'expired' | 'paid' = 'expired'): Promise<string> {
  const { body } = await api.must('POST', '/v1/checkout', { ...order, metadata: { orderId } });
  const id = body.text('id');
  const paid = { outcome: 'success', provider: 'wallet_b' };
  if (how === 'paid') await api.must('POST', `/v1/test/checkout/${id}/simulate`, paid);
  else await api.must('POST', `/v1/checkout/${id}/expire`);
  await new Promise((resolve) => setTimeout(resolve, restMs));
  return id;
}

/** A reference of a copy. */
export interface Sample {
  readonly id: string;
  readonly orderId: string;
  /** Of its payment; null for a session that nobody has paid. */
  readonly providerRef: string | null;
}

export interface Filled {
  readonly count: number;
  /** Spread over all of them. */
  readonly samples: readonly Sample[];
  readonly perSecond: number;
}

/** A session to copy, with the row of its payment. */
export interface Template {
  readonly doc: Doc;
  readonly payment: Row | null;
}

/** Throws when it is not at rest. */
export async function templateIn(store: Store, id: string): Promise<Template> {
  const doc = await store.read('checkout_session', id);
  if (doc === null || doc.busy) throw new Error('the session to copy is not at rest');
  const { items } = await store.listRows({
    kind: 'payment',
    scope: doc.scope,
    equals: { sessionId: id },
    page: 1,
    limit: 1,
  });
  // rows of `out` that are done stay until the next commit
  return { doc: { ...doc, out: [] }, payment: items[0] ?? null };
}

export interface Amount {
  readonly most: number;
  /** References to give back. */
  readonly samples?: number;
  readonly msMax?: number;
}

/** Writes copies of a session into the database of a folder that nobody has open, as many as there is time for: by the
 *  store's own writer, with more memory and without waiting for the disk. */
export async function fillSqlite(dataDir: string, template: Template, amount: Amount): Promise<Filled> {
  const connection = openConnection(databaseFile(dataDir), busyMs);
  const put = tableWriter(connection);
  try {
    // the store that opens it next turns its log on again
    connection.pragma('journal_mode = OFF');
    connection.exec('PRAGMA synchronous = OFF');
    connection.exec(`PRAGMA cache_size = -${fillCacheKib}`);
    return await filled(template, amount, async (copies) => {
      const writes = copies.map(({ doc, payment }): Write => ({
        expect: 0,
        doc,
        rows: payment === null ? [] : [payment],
      }));
      put(writes);
    });
  } finally {
    connection.close();
  }
}

/** The same into the MongoDB database a URL names, whose indexes it takes away: the next store that opens it
 *  makes them again. */
export async function fillMongo(url: string, template: Template, amount: Amount): Promise<Filled> {
  const client = await new MongoClient(url).connect();
  try {
    const shelf = (kind: string) => client.db().collection<{ readonly _id: string }>(kind);
    await Promise.all(['checkout_session', 'payment'].map((kind) => shelf(kind).dropIndexes()));
    return await filled(template, amount, async (copies) => {
      const rows = copies.flatMap(({ payment }) => payment ?? []);
      await shelf('checkout_session').insertMany(
        copies.map(({ doc }) => storedDoc(doc).stored),
        { ordered: false },
      );
      if (rows.length > 0)
        await shelf('payment').insertMany(
          rows.map((row) => storedRow(row).stored),
          { ordered: false },
        );
    });
  } finally {
    await client.close();
  }
}

interface Copy extends Template {
  readonly sample: Sample;
}

async function filled(
  template: Template,
  { most, samples: wanted = 1000, msMax = fillMsMax }: Amount,
  write: (copies: readonly Copy[]) => Promise<void>,
): Promise<Filled> {
  const make = copier(template);
  const samples: Sample[] = [];
  const every = Math.max(1, Math.floor(most / wanted));
  const from = performance.now();
  let pending: Promise<void> = Promise.resolve();
  let count = 0;
  while (count < most && performance.now() - from < msMax) {
    const made = count;
    const copies = Array.from({ length: Math.min(batch, most - made) }, (_, n) => make(made + n));
    copies.forEach(({ sample }, n) => void ((made + n) % every === 0 && samples.push(sample)));
    // the next batch is made while this one is written
    await pending;
    pending = write(copies);
    count += copies.length;
  }
  await pending;
  return { count, samples, perSecond: count / ((performance.now() - from) / 1000) };
}

/** Makes the nth copy: its ids and references are its own, wherever they stand, so its tags are as well. */
function copier({ doc, payment }: Template): (n: number) => Copy {
  const [docText, rowText] = [JSON.stringify(doc), payment === null ? null : JSON.stringify(payment)];
  const ref = payment?.body['providerRef'];
  return (n) => {
    const id = mintId('cs');
    const paymentId = mintId('pay', id);
    const sample: Sample = {
      id,
      orderId: `o-${n}`,
      providerRef: payment === null ? null : `TX${paymentId.slice('pay_'.length).toUpperCase()}`,
    };
    const own = (text: string): string => {
      const named = text.replaceAll(doc.id, id).replaceAll(orderId, sample.orderId);
      if (payment === null || sample.providerRef === null || typeof ref !== 'string') return named;
      return (
        named
          .replaceAll(payment.id, paymentId)
          .replaceAll(ref, sample.providerRef)
          // as a word of a search
          .replaceAll(ref.toLowerCase(), sample.providerRef.toLowerCase())
      );
    };
    const created = doc.created - (n + 1) * apartMs;
    const copy = JSON.parse(own(docText)) as Doc;
    const row = rowText === null ? null : (JSON.parse(own(rowText)) as Row);
    return {
      sample,
      doc: { ...copy, slot: slotOfActor(id), tok: id, e: 1, created, at: created },
      payment: row === null ? null : { ...row, created },
    };
  };
}
