/** Our arm of the keyed calls: counters on the runtime and a store as they ship, behind a door of a few lines.
 *  `POST /counter/<name>/add` with an Idempotency-Key asks under the identity `k:<key>`: its outcome is committed in one
 *  write with the count, and a repeat of the key meets that outcome. */
import { App, us_socket_local_port, type HttpRequest, type HttpResponse } from 'uWebSockets.js';
import { cast } from '../actors/cast.ts';
import { createLocalBus } from '../test/support/simulated/bus-local.ts';
import { sha256Base32 } from '../src/kernel/hash.ts';
import { realScheduler } from '../src/kernel/time.ts';
import { scopeOf } from '../src/runtime/model/address.ts';
import type { AskResult } from '../src/runtime/model/envelope.ts';
import { Node } from '../src/runtime/node/node.ts';
import { OwnsEverything } from '../src/runtime/cluster/ownership.ts';
import { neverOpens } from '../src/runtime/activation/store-breaker.ts';
import { openMongoStore } from '../src/store/store-mongo.ts';
import { openSqliteStore } from '../src/store/store-sqlite.ts';
import type { Collection, Store } from '../src/store/store.ts';
import { createMetrics } from '../src/telemetry/metrics.ts';
import { version } from '../src/telemetry/version.ts';
import { counter, counterAt } from './counter.ts';
import { collections as kinds } from './filling.ts';

const { MONGODB_URL: url = '', FOLDER: dataDir = '' } = process.env;
const bodyBytesMax = 1024;
const incarnation = `n:${process.pid}`;
const scope = scopeOf(`prj_${'0'.repeat(24)}`, 'live');
const collections: readonly Collection[] = [...kinds, { kind: counter.kind, of: 'doc', indexes: [] }];
const fail = (line: string): void => void process.stderr.write(`${line}\n`);
const log = {
  warn: (...said: readonly unknown[]): void => fail(JSON.stringify(said)),
  error: (...said: readonly unknown[]): void => fail(JSON.stringify(said)),
};

const store: Store =
  url === ''
    ? await openSqliteStore({ dataDir, collections, onFatal: fail })
    : await openMongoStore({ url, collections, onWarning: () => undefined });
const node = new Node({
  actors: [counter, ...cast],
  store,
  actorBytesMax: 256 * 2 ** 20,
  scheduler: realScheduler,
  ownership: new OwnsEverything(incarnation),
  bus: createLocalBus().connect(incarnation),
  effects: {},
  dispatch: async (_scope, entries) => entries.map(() => []),
  publish: null,
  envelopeText: () => '',
  log,
  breaker: neverOpens,
  meters: createMetrics({ version, incarnation: () => incarnation, log }).meters,
});
await node.start();
node.open();
// the service's own waits do not hold a process
setInterval(() => undefined, 1000);

App()
  .post('/counter/:name/add', add)
  .listen('127.0.0.1', 0, (socket) => {
    if (socket === false) throw new Error('no port');
    process.stdout.write(`http://127.0.0.1:${us_socket_local_port(socket)}\n`);
  });

function add(response: HttpResponse, request: HttpRequest): void {
  const caller = { gone: false };
  response.onAborted(() => void (caller.gone = true));
  const name = request.getParameter(0) ?? '';
  const key = request.getHeader('idempotency-key');
  let text = '';
  response.onData((chunk, last) => {
    if (text.length < bodyBytesMax) text += Buffer.from(chunk).toString('utf8');
    if (!last) return;
    void counted(name, key, text).then((result) => {
      if (!caller.gone) response.cork(() => reply(response, result));
    });
  });
}

function counted(name: string, key: string, text: string): Promise<AskResult> {
  const { by } = JSON.parse(text) as { readonly by: number };
  const identity = { from: `k:${key}`, seq: 1, done: 0 };
  // hashed as a record's id is, so that counters lie in all slots
  const to = counterAt(`cnt_${sha256Base32([name], 24)}`);
  return node.client.ask(to, 'add', { by }, { by: 'merchant', scope, identity });
}

function reply(response: HttpResponse, result: AskResult): void {
  if (result.is === 'ok') {
    response.writeHeader('Content-Type', 'application/json').end(JSON.stringify(result.detail['count']));
    return;
  }
  response.writeStatus('503 Service Unavailable').end(JSON.stringify(result));
}
