/** The same create on node:http and MongoDB, as its best user would write it: one awaited insertOne (w: majority, j) per
 *  request, from a pool as large as its callers are many, the answer stored with the session, an index to list by. An Idempotency-Key
 *  lies in the session's own document under a unique index, so that it costs no second write; a repeat meets the
 *  duplicate and reads it. It makes no events, no view rows and no timers: all it does is insert. */
import { hash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { MongoClient, MongoServerError } from 'mongodb';
import { answer, serve, sessionOf, type Creation } from './order.ts';

interface Stored {
  readonly _id: string;
  readonly scope: string;
  readonly created: number;
  readonly body: string;
  readonly key?: string;
  readonly hash?: string;
}

const client = await new MongoClient(process.env['RIVAL_URL'] ?? '', {
  maxPoolSize: 256,
  writeConcern: { w: 'majority', journal: true },
}).connect();
const sessions = client.db().collection<Stored>('sessions');
await sessions.createIndex({ scope: 1, created: 1 });
await sessions.createIndex({ key: 1 }, { unique: true, partialFilterExpression: { key: { $exists: true } } });

const duplicateKey = 11000;

serve((creation, response) => {
  create(creation, response).catch((thrown: unknown) => {
    process.stderr.write(`${String(thrown)}\n`);
    answer(response, 503, '{"error":{"code":"service_unavailable"}}');
  });
});

async function create({ scope, order, text, key }: Creation, response: ServerResponse): Promise<void> {
  const { id, created, body } = sessionOf(order);
  const digest = hash('sha256', text, 'hex');
  const keyed = key === null ? {} : { key: `${scope} ${key}`, hash: digest };
  try {
    await sessions.insertOne({ _id: id, scope, created, body, ...keyed });
  } catch (thrown) {
    if (!(thrown instanceof MongoServerError) || thrown.code !== duplicateKey) throw thrown;
    const kept = await sessions.findOne({ key: `${scope} ${key}` });
    return answer(response, kept?.hash === digest ? 201 : 422, kept?.body ?? '');
  }
  answer(response, 201, body);
}
