/** What the rivals of a durable create share: node:http, the key, the order's checks, the view. As their best user would
 *  write them: keep-alive, the key's hash looked up in a map, nothing parsed twice. */
import { hash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Order {
  readonly amount: number;
  readonly returnUrl: string;
  readonly description?: string;
}

/** One checked request. */
export interface Creation {
  readonly scope: string;
  readonly order: Order;
  /** The body as it came. */
  readonly text: string;
  /** null: it came without an Idempotency-Key. */
  readonly key: string | null;
}

const callers = new Map([[hash('sha256', process.env['KEY'] ?? '', 'hex'), 'prj_1:sandbox']]);

/** Opens the door and says where; `create` answers the request. */
export function serve(create: (creation: Creation, response: ServerResponse) => void): void {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => void chunks.push(chunk));
    request.on('end', () => {
      const creation = checked(request, Buffer.concat(chunks).toString('utf8'));
      if (typeof creation === 'number') answer(response, creation, '{"error":{"code":"invalid"}}');
      else create(creation, response);
    });
  });
  server.listen(0, '127.0.0.1', () =>
    process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`),
  );
}

/** The request, or the status of its refusal. */
function checked(request: IncomingMessage, text: string): Creation | number {
  const bearer = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
  const scope = bearer === undefined ? undefined : callers.get(hash('sha256', bearer, 'hex'));
  if (scope === undefined) return 401;
  const order = JSON.parse(text) as Order;
  const { amount, returnUrl } = order;
  if (!Number.isSafeInteger(amount) || amount < 1000 || amount > 100_000_000 || !URL.canParse(returnUrl))
    return 400;
  const key = request.headers['idempotency-key'];
  return { scope, order, text, key: typeof key === 'string' ? key : null };
}

export interface Session {
  readonly id: string;
  readonly created: number;
  /** The answer. */
  readonly body: string;
}

export function sessionOf(order: Order): Session {
  const created = Date.now();
  const at = new Date(created).toISOString();
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
    expires_at: new Date(created + 1_800_000).toISOString(),
    createdAt: at,
    updatedAt: at,
  });
  return { id, created, body };
}

export function answer(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
  });
  response.end(body);
}
