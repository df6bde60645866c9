/** The same paid checkout as its best user would write it in a week: fastify, pg and undici on PostgreSQL with its
 *  defaults for durability. Prepared statements, one pool, each step one transaction, an outbox table whose worker is
 *  woken by the commit that fills it. It has no timers, no polling, no dashboard and no view rows. */
import { createHmac, hash, randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { request } from 'undici';

const env = (name: string): string => process.env[name] ?? '';
const packages = createRequire(`${env('PACKAGES')}/package.json`);

interface Result {
  readonly rows: readonly { readonly [column: string]: unknown }[];
}
interface Query {
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}
interface Pool {
  query(query: Query | string): Promise<Result>;
}
interface Asked {
  readonly body: unknown;
  readonly params: { readonly id: string };
  readonly query: { readonly [name: string]: string };
  readonly headers: { readonly [name: string]: string | undefined };
}
interface Reply {
  code(status: number): Reply;
  header(name: string, value: string): Reply;
  type(name: string): Reply;
  send(body: unknown): Reply;
}
interface Fastify {
  get(path: string, handle: (asked: Asked, reply: Reply) => Promise<unknown>): void;
  post(path: string, handle: (asked: Asked, reply: Reply) => Promise<unknown>): void;
  addContentTypeParser(
    type: string,
    options: object,
    parse: (asked: Asked, text: string, done: (error: null, body: unknown) => void) => void,
  ): void;
  listen(options: object): Promise<string>;
  readonly server: { address(): AddressInfo };
}

const { Pool: PgPool } = packages('pg') as { readonly Pool: new (options: object) => Pool };
const fastify = packages('fastify') as (options: object) => Fastify;

/** More connections gain nothing on two cores. */
const pool = new PgPool({ host: env('PG'), user: 'postgres', database: 'postgres', max: 16 });
const statement = (name: string, text: string) => {
  return async (...values: readonly unknown[]): Promise<Result['rows']> =>
    (await pool.query({ name, text, values })).rows;
};

await pool.query(`
  CREATE TABLE sessions(id text PRIMARY KEY, project text NOT NULL, status text NOT NULL, amount bigint NOT NULL,
    return_url text NOT NULL, description text, created timestamptz NOT NULL, updated timestamptz NOT NULL);
  CREATE INDEX ON sessions(project, created);
  CREATE TABLE payments(id text PRIMARY KEY, session text NOT NULL REFERENCES sessions, status text NOT NULL,
    amount bigint NOT NULL, pidx text, provider_ref text, created timestamptz NOT NULL, paid timestamptz);
  CREATE INDEX ON payments(session);
  CREATE TABLE events(id text PRIMARY KEY, type text NOT NULL, object text NOT NULL, body text NOT NULL,
    created timestamptz NOT NULL);
  CREATE TABLE outbox(id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, event text NOT NULL, body text NOT NULL,
    tries int NOT NULL DEFAULT 0, next timestamptz NOT NULL, status int, done timestamptz);
  CREATE INDEX ON outbox(next) WHERE done IS NULL;
  CREATE TABLE timeline(id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, session text NOT NULL, at timestamptz NOT NULL,
    summary text NOT NULL);
  CREATE INDEX ON timeline(session);`);

const insertSession = statement(
  'create',
  `WITH s AS (INSERT INTO sessions VALUES($1, $2, 'pending', $3, $4, $5, now(), now())),
    e AS (INSERT INTO events VALUES($6, 'checkout.created', $1, $7, now()))
    INSERT INTO timeline(session, at, summary) VALUES($1, now(), 'created')`,
);
const readSession = statement(
  'session',
  `SELECT s.*, p.id AS payment FROM sessions s LEFT JOIN payments p ON p.session = s.id WHERE s.id = $1`,
);
const beginPayment = statement(
  'begin',
  `WITH p AS (INSERT INTO payments VALUES($1, $2, 'pending', $3, NULL, NULL, now(), NULL)),
    s AS (UPDATE sessions SET status = 'initiated', updated = now() WHERE id = $2)
    INSERT INTO timeline(session, at, summary) VALUES($2, now(), 'start')`,
);
const startedPayment = statement(
  'started',
  `WITH p AS (UPDATE payments SET pidx = $2 WHERE id = $1 RETURNING session)
    INSERT INTO timeline(session, at, summary) SELECT session, now(), 'started' FROM p`,
);
const readPayment = statement(
  'payment',
  `SELECT p.*, s.return_url FROM payments p JOIN sessions s ON s.id = p.session WHERE p.id = $1`,
);
/** Only the first one that finds it pending makes the event. */
const paid = statement(
  'paid',
  `WITH p AS (UPDATE payments SET status = 'success', provider_ref = $2, paid = now()
      WHERE id = $1 AND status = 'pending' RETURNING session),
    s AS (UPDATE sessions SET status = 'success', updated = now() FROM p WHERE sessions.id = p.session),
    e AS (INSERT INTO events SELECT $3, 'payment.succeeded', $1, $4, now() FROM p),
    o AS (INSERT INTO outbox(event, body, next) SELECT $3, $4, now() FROM p)
    INSERT INTO timeline(session, at, summary) SELECT session, now(), 'paid' FROM p`,
);
/** The ones taken are nobody else's for a minute. */
const takeDue = statement(
  'take',
  `UPDATE outbox SET next = now() + interval '1 minute', tries = tries + 1 WHERE id IN
    (SELECT id FROM outbox WHERE done IS NULL AND next <= now() ORDER BY next LIMIT 50 FOR UPDATE SKIP LOCKED)
    RETURNING id, event, body`,
);
const sent = statement('sent', `UPDATE outbox SET done = now(), status = $2 WHERE id = $1`);

const callers = new Map([[hash('sha256', env('KEY'), 'hex'), 'prj_1']]);
const formKey = randomBytes(32);
const hookKey = randomBytes(32);
const id = (prefix: string): string => `${prefix}_${randomBytes(12).toString('hex')}`;
const tokenOf = (session: string): string =>
  createHmac('sha256', formKey).update(session).digest('base64url');

const app = fastify({ logger: false });
app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_asked, text, done) =>
  done(null, Object.fromEntries(new URLSearchParams(text))),
);

const callerOf = ({ headers }: Asked): string | undefined =>
  callers.get(hash('sha256', /^Bearer +(\S+)$/i.exec(headers['authorization'] ?? '')?.[1] ?? '', 'hex'));
const refused = (reply: Reply, status: number): Reply =>
  reply.code(status).send({ error: { code: 'refused' } });

app.post('/v1/checkout', async (asked, reply) => {
  const project = callerOf(asked);
  if (project === undefined) return refused(reply, 401);
  const order = asked.body as { amount: number; returnUrl: string; description?: string };
  if (!Number.isSafeInteger(order.amount) || order.amount < 1000 || !URL.canParse(order.returnUrl))
    return refused(reply, 400);
  const session = id('cs');
  const made = { id: session, status: 'pending', ...order, checkout_url: `${root}/pay/${session}` };
  const event = id('evt');
  const envelope = JSON.stringify({ id: event, type: 'checkout.created', data: made });
  await insertSession(session, project, order.amount, order.returnUrl, order.description, event, envelope);
  return reply.code(201).send(made);
});

app.get('/pay/:id', async ({ params }, reply) => {
  const [session] = await readSession(params.id);
  if (session === undefined) return refused(reply, 404);
  return reply.type('text/html')
    .send(`<!doctype html><title>Pay</title><h1>${Number(session['amount']) / 100}</h1>
    <form method="post" action="/pay/${params.id}/start"><input type="hidden" name="token" value="${tokenOf(params.id)}">
    <button name="provider" value="wallet_b">Wallet B</button></form>`);
});

app.post('/pay/:id/start', async ({ params, body }, reply) => {
  if ((body as { token?: string }).token !== tokenOf(params.id)) return refused(reply, 403);
  const [session] = await readSession(params.id);
  if (session?.['status'] !== 'pending') return refused(reply, 409);
  const payment = id('pay');
  await beginPayment(payment, params.id, session['amount']);
  const started = await provider('/api/v2/epayment/initiate/', {
    return_url: `${root}/return/${payment}`,
    website_url: root,
    amount: Number(session['amount']),
    purchase_order_id: payment,
    purchase_order_name: payment,
  });
  await startedPayment(payment, started['pidx']);
  return reply.code(303).header('location', String(started['payment_url'])).send('');
});

app.get('/return/:id', async ({ params }, reply) => {
  const [payment] = await readPayment(params.id);
  if (payment === undefined) return refused(reply, 404);
  const found = await provider('/api/v2/epayment/lookup/', { pidx: payment['pidx'] });
  if (found['status'] === 'Completed' && found['total_amount'] === Number(payment['amount'])) {
    const event = id('evt');
    const data = {
      id: params.id,
      sessionId: payment['session'],
      amount: Number(payment['amount']),
      status: 'success',
    };
    const envelope = { id: event, type: 'payment.succeeded', timestamp: new Date().toISOString(), data };
    await paid(params.id, found['transaction_id'], event, JSON.stringify(envelope));
    void post();
  }
  const back = `${String(payment['return_url'])}?session_id=${String(payment['session'])}`;
  return reply.code(303).header('location', back).send('');
});

app.get('/v1/checkout/:id', async (asked, reply) => {
  if (callerOf(asked) === undefined) return refused(reply, 401);
  const [session] = await readSession(asked.params.id);
  return session === undefined ? refused(reply, 404) : reply.send(session);
});

async function provider(path: string, body: object): Promise<{ readonly [name: string]: unknown }> {
  const answer = await request(env('PROVIDER') + path, {
    method: 'POST',
    headers: { authorization: 'Key bench', 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return (await answer.body.json()) as { readonly [name: string]: unknown };
}

let posting = false;
let again = false;

/** Posts what is due until nothing is; a call meanwhile makes it look once more. */
async function post(): Promise<void> {
  again = true;
  if (posting) return;
  posting = true;
  while (again) {
    again = false;
    const due = await takeDue();
    if (due.length > 0) again = true;
    for (const row of due) void postOne(row);
  }
  posting = false;
}

async function postOne(row: { readonly [column: string]: unknown }): Promise<void> {
  const [event, body] = [String(row['event']), String(row['body'])];
  const at = Math.floor(Date.now() / 1000);
  const signature = createHmac('sha256', hookKey).update(`${event}.${at}.${body}`).digest('base64');
  const answer = await request(env('HOOK'), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'webhook-id': event,
      'webhook-timestamp': String(at),
      'webhook-signature': `v1,${signature}`,
    },
    body,
  });
  await answer.body.dump();
  if (answer.statusCode < 300) await sent(row['id'], answer.statusCode);
}
/** What a crash or a failed post leaves behind. */
setInterval(() => void post(), 1000).unref();

await app.listen({ host: '127.0.0.1', port: 0 });
const root = `http://127.0.0.1:${app.server.address().port}`;
process.stdout.write(`${root}\n`);
