/** How far sharing commands can go on MongoDB: a bare uWebSockets.js door and the lean rival's document, as many per
 *  insertMany as came while the one before was at the database. No rival: it checks no key and makes nothing else. */
import { MongoClient } from 'mongodb';
import { App, us_socket_local_port, type HttpResponse } from 'uWebSockets.js';
import { sessionOf, type Order, type Session } from './order.ts';

interface Stored {
  readonly _id: string;
  readonly scope: string;
  readonly created: number;
  readonly body: string;
}

const batchMax = 256;
const scope = 'prj_1:sandbox';

const client = await new MongoClient(process.env['RIVAL_URL'] ?? '', {
  writeConcern: { w: 'majority', journal: true },
}).connect();
const sessions = client.db().collection<Stored>('sessions');
await sessions.createIndex({ scope: 1, created: 1 });

const waiting: { readonly session: Session; readonly done: (body: string) => void }[] = [];
let busy = false;

App()
  .post('/v1/checkout', (response) => {
    const caller = { gone: false };
    response.onAborted(() => void (caller.gone = true));
    response.onData((chunk, last) => {
      if (!last) return;
      const session = sessionOf(JSON.parse(Buffer.from(chunk).toString('utf8')) as Order);
      waiting.push({ session, done: (body) => void (caller.gone || answer(response, body)) });
      if (!busy) void drain();
    });
  })
  .listen('127.0.0.1', 0, (socket) => {
    if (socket === false) throw new Error('no port');
    process.stdout.write(`http://127.0.0.1:${us_socket_local_port(socket)}\n`);
  });

function answer(response: HttpResponse, body: string): void {
  response.cork(() =>
    response.writeStatus('201 Created').writeHeader('Content-Type', 'application/json').end(body),
  );
}

async function drain(): Promise<void> {
  busy = true;
  while (waiting.length > 0) {
    const batch = waiting.splice(0, batchMax);
    const documents = batch.map(({ session: { id, created, body } }) => ({ _id: id, scope, created, body }));
    // a failure ends the process, and the bench says so
    await sessions.insertMany(documents, { ordered: false });
    for (const { session, done } of batch) done(session.body);
  }
  busy = false;
}
