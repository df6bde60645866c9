// A shop in Express: a checkout, a verified webhook, a refund. docs/guides/express-and-php.md says how to run it.
import { randomUUID } from 'node:crypto';
import express from 'express';
import { Webhook } from 'standardwebhooks';

const { GALLA_URL, GALLA_KEY, GALLA_WEBHOOK_SECRET, PORT = '3000' } = process.env;
if (!GALLA_URL || !GALLA_KEY || !GALLA_WEBHOOK_SECRET) {
  console.error('Set GALLA_URL, GALLA_KEY and GALLA_WEBHOOK_SECRET.');
  process.exit(1);
}
const webhook = new Webhook(GALLA_WEBHOOK_SECRET);
const orders = new Map(); // order -> { state, paymentId, sequence }; keep it in your database

// Calls Galla. Without an answer, or with 503, nobody knows whether the call took effect: the same body with the same key
// asks again, and only one thing is made.
async function call(path, body, idempotencyKey) {
  const headers = {
    authorization: `Bearer ${GALLA_KEY}`,
    'content-type': 'application/json',
    'idempotency-key': idempotencyKey,
  };
  for (let tries = 1; ; tries++) {
    const answer = await fetch(GALLA_URL + path, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    }).catch((error) => error);
    if (answer.ok) return answer.json();
    if (tries < 5 && [undefined, 409, 429, 503].includes(answer.status))
      await new Promise((go) => setTimeout(go, 1000 * tries));
    else if (answer instanceof Error) throw answer;
    else {
      const { error } = await answer.json();
      throw Object.assign(new Error(error.message ?? error), { status: answer.status });
    }
  }
}

const app = express();

// The signature is of the bytes as they came. So this stands above express.json(), which replaces them by an object.
app.post('/hooks', express.raw({ type: 'application/json' }), (request, response) => {
  let event;
  try {
    event = webhook.verify(request.body, request.headers);
  } catch (error) {
    console.log(`refused: ${error.message}`);
    return response.sendStatus(400);
  }
  if (!event.test) learn(event);
  response.sendStatus(200);
});

// The same event may come twice, and a later one first: what is not newer than the order's state is left out.
function learn({ type, data }) {
  // payments and checkouts have your metadata, refunds have the paymentId
  console.log(`${type}  ${data.metadata?.order_id ?? data.paymentId}`);
  const order = orders.get(data.metadata?.order_id);
  if (order === undefined || !['payment.succeeded', 'payment.refunded'].includes(type)) return;
  if (data.duplicate || data.sequence <= order.sequence) return;
  const refunded = data.refundedAmount > 0 ? `, refunded ${data.refundedAmount} of ${data.amount} paisa` : '';
  Object.assign(order, { state: `paid${refunded}`, paymentId: data.id, sequence: data.sequence });
}

app.use(express.json());

app.get('/', (_request, response) => {
  response.send('<form method="post" action="/buy"><button>Buy the book, NPR 1,250.50</button></form>');
});

app.post('/buy', async (request, response) => {
  const order = randomUUID();
  orders.set(order, { state: 'waiting for the money', paymentId: null, sequence: 0 });
  const session = await call(
    '/v1/checkout',
    {
      amount: Math.round(1250.5 * 100), // paisa, an integer
      description: 'The Book',
      returnUrl: `${request.protocol}://${request.get('host')}/orders/${order}`,
      metadata: { order_id: order },
    },
    order,
  );
  response.redirect(303, session.checkout_url);
});

// The way back proves nothing: show what the webhook has told.
app.get('/orders/:order', (request, response) => {
  const order = orders.get(request.params.order);
  if (order === undefined) return response.sendStatus(404);
  response.type('text').send(order.state);
});

// For the shop's own staff: let nobody else in. One key for one decision to refund, so a second click is no second refund.
// The page with the button makes a new `decision` for each refund, e.g. by randomUUID().
app.post('/orders/:order/refund', async (request, response) => {
  const order = orders.get(request.params.order);
  if (!order?.paymentId) return response.status(409).json({ error: 'This order is not paid.' });
  const { amount, decision } = request.body ?? {};
  if (!decision) return response.status(400).json({ error: 'Send a decision: a text of your own for each refund.' });
  const body = { paymentId: order.paymentId, amount, reason: 'customer_request' };
  const refund = await call('/v1/refunds', body, `refund-${request.params.order}-${decision}`);
  response.json({ id: refund.id, status: refund.status });
});

// What was refused, and why. Without this Express answers a page of HTML.
app.use((error, _request, response, _next) => {
  console.log(`failed: ${error.message}`);
  response.status(error.status ?? 502).json({ error: error.message });
});

const server = app.listen(Number(PORT), '127.0.0.1', () => {
  console.log(`the shop is open: http://127.0.0.1:${server.address().port}`);
});
