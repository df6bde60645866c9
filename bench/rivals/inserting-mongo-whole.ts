/** The same create on node:http and MongoDB with all that a create here leaves behind, but one command for each write:
 *  the session as we store it, under our indexes, with its event to send; then the event in the journal; then the
 *  session again, with nothing left to send. The answer leaves after the first and the third goes five seconds later,
 *  as ours do.
 *  Kinder than it would have to be: nothing keeps its events in order or looks for one that was not sent. */
import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { MongoClient } from 'mongodb';
import { mintId } from '../../src/kernel/id.ts';
import { storedDoc, storedRow, type StoredDoc, type StoredRow } from '../../src/store/mongo-record.ts';
import { openMongoStore } from '../../src/store/store-mongo.ts';
import { collections } from '../filling.ts';
import type { Template } from '../leaving.ts';
import { answer, serve, sessionOf, type Creation } from './order.ts';

const { RIVAL_URL: url = '', TEMPLATE: file = '' } = process.env;
const { session, entry } = JSON.parse(readFileSync(file, 'utf8')) as Template;
// for its collections and indexes alone
await (await openMongoStore({ url, collections, onWarning: () => undefined })).close();

const client = await new MongoClient(url, {
  maxPoolSize: 256,
  writeConcern: { w: 'majority', journal: true },
}).connect();
const sessions = client.db().collection<StoredDoc>(session.kind);
const journal = client.db().collection<StoredRow>(entry.kind);

const clearAfterMs = 5000;
let pos = 0;
/** What is the same of all is made once: a create costs it a few texts. */
const sending = storedDoc(session).stored;
const sent = storedDoc({ ...session, v: session.v + 1, out: [], busy: false }).stored;
const entered = storedRow(entry).stored;

serve((creation, response) => {
  create(creation, response).catch((thrown: unknown) => {
    process.stderr.write(`${String(thrown)}\n`);
    answer(response, 503, '{"error":{"code":"service_unavailable"}}');
  });
});

async function create({ order }: Creation, response: ServerResponse): Promise<void> {
  const { created, body } = sessionOf(order);
  const id = mintId('cs');
  const of = (text: string): string => text.replaceAll(session.id, id);
  const at = { _id: id, tok: id, ord: created, wake: created + 1_800_000 };
  await sessions.insertOne({ ...sending, ...at, json: of(sending.json) });
  answer(response, 201, body);
  const f = { ...entered.f, pos: ++pos, eventId: mintId('evt'), objectId: id };
  await journal.insertOne({ ...entered, _id: of(entered._id), ord: pos, created, f, json: of(entered.json) });
  setTimeout(() => void clear({ ...sent, ...at, json: of(sent.json) }), clearAfterMs);
}

async function clear(session: StoredDoc): Promise<void> {
  await sessions.replaceOne({ _id: session._id, v: sending.v, e: { $lte: session.e } }, session);
}
