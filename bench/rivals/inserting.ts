/** The same create on node:http and SQLite, as its best user would write it: keep-alive, prepared statements, WAL with
 *  synchronous=FULL, one commit per request before its answer. With an Idempotency-Key the answer is kept beside the
 *  session in one transaction. It makes no events, no view rows and no timers: all it does is insert. */
import { hash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import Database from 'libsql';

const database = new Database(join(process.env['FOLDER'] ?? '', 'rival.db'));
database.exec('PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL');
database.exec(
  `CREATE TABLE sessions(id TEXT PRIMARY KEY, scope TEXT NOT NULL, created INTEGER NOT NULL, body TEXT NOT NULL)
   STRICT`,
);
database.exec('CREATE INDEX by_scope ON sessions(scope, created)');
database.exec(
  'CREATE TABLE kept(key TEXT PRIMARY KEY, hash TEXT NOT NULL, answer TEXT NOT NULL) STRICT, WITHOUT ROWID',
);
const insert = database.prepare('INSERT INTO sessions(id, scope, created, body) VALUES (?, ?, ?, ?)');
const keep = database.prepare('INSERT INTO kept(key, hash, answer) VALUES (?, ?, ?)');
const find = database.prepare('SELECT hash, answer FROM kept WHERE key = ?');
const begin = database.prepare('BEGIN IMMEDIATE');
const commit = database.prepare('COMMIT');
const callers = new Map([[hash('sha256', process.env['KEY'] ?? '', 'hex'), 'prj_1:sandbox']]);

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => void chunks.push(chunk));
  request.on('end', () => create(request, response, Buffer.concat(chunks).toString('utf8')));
});

function create(request: IncomingMessage, response: ServerResponse, text: string): void {
  const bearer = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
  const scope = bearer === undefined ? undefined : callers.get(hash('sha256', bearer, 'hex'));
  if (scope === undefined) return answer(response, 401, '{"error":{"code":"api_key_invalid"}}');
  const order = JSON.parse(text) as {
    readonly amount: number;
    readonly returnUrl: string;
    readonly description?: string;
  };
  if (
    !Number.isSafeInteger(order.amount) ||
    order.amount < 1000 ||
    order.amount > 100_000_000 ||
    !URL.canParse(order.returnUrl)
  ) {
    return answer(response, 400, '{"error":{"code":"validation_failed"}}');
  }
  const key = request.headers['idempotency-key'];
  if (typeof key !== 'string') return answer(response, 201, stored(scope, order));
  const kept = find.get(`${scope} ${key}`) as { readonly hash: string; readonly answer: string } | undefined;
  if (kept !== undefined)
    return answer(response, kept.hash === hash('sha256', text, 'hex') ? 201 : 422, kept.answer);
  begin.run();
  const body = stored(scope, order);
  keep.run(`${scope} ${key}`, hash('sha256', text, 'hex'), body);
  commit.run();
  answer(response, 201, body);
}

function stored(
  scope: string,
  order: { readonly amount: number; readonly returnUrl: string; readonly description?: string },
): string {
  const now = Date.now();
  const at = new Date(now).toISOString();
  const id = `cs_${randomBytes(12).toString('hex')}`;
  const body = JSON.stringify({
    id,
    livemode: false,
    status: 'pending',
    flow: 'hosted',
    provider: null,
    source: 'checkout',
    amount: order.amount,
    currency: 'NPR',
    description: order.description ?? null,
    checkout_url: `http://127.0.0.1/pay/${id}`,
    returnUrl: order.returnUrl,
    cancelUrl: null,
    collectAddress: false,
    customer: null,
    customerAddress: null,
    metadata: {},
    referenceId: null,
    paymentId: null,
    attempts: 0,
    late: false,
    needsReview: false,
    sequence: 1,
    expires_at: new Date(now + 1_800_000).toISOString(),
    createdAt: at,
    updatedAt: at,
  });
  insert.run(id, scope, now, body);
  return body;
}

function answer(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
  });
  response.end(body);
}

server.listen(0, '127.0.0.1', () =>
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`),
);
