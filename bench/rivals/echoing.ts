/** What a remote ask is measured against: another process on the same NATS that answers at once with a text as long as
 *  ours; or, for the ask that commits, after one insertOne of the order (w: majority, j) with a database of its own. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MongoClient } from 'mongodb';
import { connect } from 'nats';
import { echoes, rawSubjects } from './echoed.ts';

interface Sent {
  readonly to: { readonly id: string };
  readonly data: object;
}

const nc = await connect({ servers: process.env['NATS_URL'] ?? '' });
nc.subscribe(`${rawSubjects.plain}*`, { callback: (_err, msg) => void msg.respond(echoes.plain) });

const client = await new MongoClient(process.env['RIVAL_URL'] ?? '', {
  maxPoolSize: 64,
  writeConcern: { w: 'majority', journal: true },
}).connect();
const sessions = client.db().collection<{ _id: string }>('sessions');
nc.subscribe(rawSubjects.stored, {
  callback(_err, msg) {
    const { to, data } = JSON.parse(msg.string()) as Sent;
    void sessions
      .insertOne({ _id: to.id, ...data })
      .then(() => msg.respond(echoes.stored))
      .catch((thrown: unknown) => process.stderr.write(`${String(thrown)}\n`));
  },
});
await nc.flush();

// its address says that it is ready; nothing is asked there
createServer((_request, response) => response.end()).listen(
  0,
  '127.0.0.1',
  function said(this: { address(): unknown }) {
    process.stdout.write(`http://127.0.0.1:${(this.address() as AddressInfo).port}\n`);
  },
);
