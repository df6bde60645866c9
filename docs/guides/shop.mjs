// A shop in one file: sells one book, on Galla's hosted page or by a code to scan on its own page. Run it beside a sandbox:
//   node docs/guides/shop.mjs [address of the service] [secret sandbox key]
// Without arguments it takes the service of `npm start` and the key of its demo merchant, from the data folder
// (GALLA_DATA_DIR, like the service). Ctrl-C or SIGTERM ends it, and removes its endpoint.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';

// whatever ends it is said in one line
process.once('uncaughtException', (error) => {
  console.error(`${error.message}. Is Galla running here? Give its address and a secret sandbox key as arguments.`);
  process.exit(1);
});
const dataDir = process.env.GALLA_DATA_DIR || '.galla';
const demoKey = () => JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8')).secretKey;
const [galla = 'http://127.0.0.1:8080', key = demoKey()] = process.argv.slice(2);
const price = 125050; // paisa: NPR 1,250.50
const orders = new Map(); // order -> what is known of it; a real shop keeps this in its database
const readers = new Map(); // order -> the pages that show it, as open event streams
let shopUrl, webhook;

// Every call to Galla. The same idempotency key for the same purchase: repeat it as often as you like, one thing is made.
async function call(method, path, body, idempotencyKey) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  if (idempotencyKey) headers['idempotency-key'] = idempotencyKey;
  for (let tries = 1; ; tries++) {
    const answer = await fetch(galla + path, { method, headers, body: JSON.stringify(body) }).catch(() => {
      throw new Error(`Nothing answers at ${galla}`);
    });
    // 503 means that nobody knows yet: ask again
    if (answer.status === 503 && tries < 5) await new Promise((go) => setTimeout(go, 1000));
    else if (answer.ok) return answer.json();
    else throw new Error(`${answer.status} ${await answer.text()}`);
  }
}

const doors = {
  'GET /': () => page(`<h1>The Book</h1><p>NPR 1,250.50</p>
    <form method="post" action="/buy"><button>Buy, choose a wallet</button></form>
    <form method="post" action="/scan"><button>Buy, scan a code</button></form>`),

  // 1. Hosted: make a checkout, send the buyer to its page.
  'POST /buy': async () => {
    const order = newOrder();
    const returnUrl = `${shopUrl}/thanks?order=${order}`;
    const body = { amount: price, description: 'The Book', returnUrl, metadata: { order_id: order } };
    const session = await call('POST', '/v1/checkout', body, order);
    return { status: 303, headers: { location: session.checkout_url } };
  },
  // The way back proves nothing (anybody can type an address): show what the webhooks have told us, as they tell it.
  'GET /thanks': ({ query }) => {
    const order = text(query.get('order'));
    if (!orders.has(order)) return page('<h1>No such order</h1><p><a href="/">Back to the shop</a></p>');
    return page(`<h1>Your order</h1><p>Order ${order}: <b id="state" role="status">${orders.get(order)}</b></p>
      <script>
        const events = new EventSource('/orders?order=${order}');
        events.onmessage = ({ data }) => { document.getElementById('state').textContent = data; };
      </script>
      <p><a href="/">Back to the shop</a></p>`);
  },
  // What is known of an order, now and whenever it changes.
  'GET /orders': ({ query, response }) => {
    const order = text(query.get('order'));
    if (!orders.has(order)) return { status: 404 };
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    response.write(`data: ${orders.get(order)}\n\n`);
    readers.set(order, [...(readers.get(order) ?? []), response]);
    response.once('close', () => readers.set(order, readers.get(order).filter((each) => each !== response)));
  },

  // 2. Direct-QR: the code on our own page, which hears by itself what the buyer's phone does.
  'POST /scan': async () => {
    const order = newOrder();
    const customer = { name: 'Asha Rai', email: 'asha@example.com' };
    const qr = await call('POST', '/v1/qr/qr_a', { amount: price, customer, metadata: { order_id: order } }, order);
    // the sandbox's phone: a page that takes the text of the code
    const phone = `${galla}/sim/qr_a/?prn=${encodeURIComponent(qr.qr_message)}`;
    return page(`<h1>Scan to pay</h1><img src="${qr.qr_image}" width="320" height="320" alt="Code to scan with a bank's app">
      <p id="state" role="status">Waiting for your phone.</p>
      <script>
        const say = (words) => { document.getElementById('state').textContent = words; };
        const events = new EventSource(${JSON.stringify(qr.events_url)});
        events.addEventListener('qr.scanned', () => say('Scanned. Confirm it on your phone.'));
        events.addEventListener('qr.paid', () => { events.close(); say('Paid. Thank you!'); });
        events.addEventListener('qr.expired', () => { events.close(); say('The time is over. Start again.'); });
      </script>
      <p>This is a sandbox: <a href="${phone}" target="_blank" rel="noopener">open a simulated phone</a>, scan and pay there.</p>
      <p><a href="/">Back to the shop</a></p>`);
  },

  // 3. The webhook decides. Verify the bytes as they came; the same event may come twice.
  'POST /hooks': ({ body, headers }) => {
    const event = webhook.verify(body, headers);
    const order = event.data.metadata?.order_id;
    console.log(`${event.type}  order ${order}`);
    if (orders.has(order)) learn(order, news[event.type]);
    return { status: 200 };
  },
};

// What webhooks say of an order. They may come in another order than things happened, and money may come after the end:
// what stands further down is not taken back by what stands above it.
const news = {
  'payment.failed': 'that try was not paid',
  'checkout.expired': 'the time to pay is over',
  'checkout.cancelled': 'cancelled, nothing was paid',
  'payment.succeeded': 'paid, thank you',
};
const learn = (order, words) => {
  const rank = (each) => Object.values(news).indexOf(each);
  if (rank(words) <= rank(orders.get(order))) return;
  orders.set(order, words);
  for (const reader of readers.get(order) ?? []) reader.write(`data: ${words}\n\n`);
};

const newOrder = () => {
  const order = randomUUID().slice(0, 8);
  orders.set(order, 'waiting for the money');
  return order;
};
const text = (value) => String(value ?? '').replace(/[^\w-]/g, '');
const page = (html) => ({
  status: 200,
  headers: { 'content-type': 'text/html; charset=utf-8' },
  body: `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>Book shop</title>
    <link rel="icon" href="data:,">
    <body style="font:18px/1.5 system-ui;max-width:32rem;margin:3rem auto;padding:0 1rem">${html}`,
});

const server = createServer(async (request, response) => {
  const { pathname, searchParams: query } = new URL(request.url, shopUrl);
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const door = doors[`${request.method} ${pathname}`] ?? (() => ({ status: 404 }));
  try {
    const body = Buffer.concat(chunks).toString('utf8');
    const answer = await door({ query, headers: request.headers, body, response });
    // a door that answers nothing goes on with the response itself
    if (answer) response.writeHead(answer.status, answer.headers).end(answer.body);
  } catch (error) {
    console.error(error.message);
    response.writeHead(400, { 'content-type': 'text/plain' }).end('Something went wrong; see the terminal.\n');
  }
});

server.listen(0, '127.0.0.1', async () => {
  shopUrl = `http://127.0.0.1:${server.address().port}`;
  const endpoint = await call('POST', '/v1/webhooks', { url: `${shopUrl}/hooks`, events: Object.keys(news) });
  webhook = new Webhook(endpoint.signing_secret);
  const leave = async () => {
    await call('DELETE', `/v1/webhooks/${endpoint.id}`).catch(() => undefined);
    process.exit(0);
  };
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, leave);
  console.log(`the shop is open: ${shopUrl}`);
});
