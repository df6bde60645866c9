import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../../support/house.ts';
import { Shop } from '../../../src/cli/demo/shop.ts';
import { objectsIn, walked } from './walk.ts';

const walk = walked('accept-a-payment.md');

/** The shop's `call`, as the page says: of docs/guides/shop.mjs. */
const callOfShop = (): string => {
  const script = readFileSync(join(root, 'docs/guides/shop.mjs'), 'utf8');
  return /^async function call[^]*?^\}/m.exec(script)?.[0] ?? '';
};
const before = (): string => `
  const [galla, key] = ${JSON.stringify([walk().galla.url, walk().galla.keys.secretKey])};
  const idempotencyKey = Math.random().toString(36);
  ${callOfShop()}
`;

test(
  'the guide sells, shows a code, verifies, refunds, proves and follows',
  { timeout: 90_000 },
  async () => {
    const shop = await walk().start('node docs/guides/shop.mjs');
    await shop.heard(/the shop is open/);

    const hosted = await walk().node(['js', 'const session'], {
      before: `${before()}
        const response = { writeHead: (status, { location }) => ({ end: () => console.log(status, location) }) };`,
      after: 'console.log(JSON.stringify(session));',
    });
    const [session] = objectsIn(hosted);
    expect(hosted).toContain(`303 ${String(session?.['checkout_url'])}`);
    const [qr] = objectsIn(
      await walk().node(['js', 'const qr'], { before: before(), after: 'console.log(JSON.stringify(qr));' }),
    );

    // the script of the page, in place of a browser: an element, and the event source that every browser has
    const page = await walk().node(['html', '<img src'], {
      before: `import { EventSource } from 'undici';
        ${before()}
        const element = { set textContent(words) { console.log(words); } };
        const document = { getElementById: () => element };`,
      replace: { 'https://pay.example/v1/qr/cs_.../events': String(qr?.['events_url']) },
      after: `for (const outcome of ['scanned', 'success'])
        await call('POST', '/v1/test/checkout/${String(qr?.['id'])}/simulate', { outcome });`,
    });
    expect(page).toMatch(/Scanned\. Confirm it on your phone\.\s+Paid\. Thank you!/);

    const api = walk().galla.with(walk().galla.keys.secretKey);
    const server = await Shop.open();
    try {
      await verifies(server);
    } finally {
      await server.close();
    }

    const paymentId = await eventuallyPaid(String(qr?.['id']));
    const refund = await walk().run('KEY=', { replace: { pay_wfvvvc5fkjjqm0pf: paymentId } });
    expect(objectsIn(refund)).toMatchObject([{ paymentId, amount: 25_050 }]);

    const receipt = await walk().node(['js', 'import { compactVerify'], {
      before: `${before()} const paymentId = '${paymentId}';`,
      replace: { 'https://pay.example': walk().galla.url },
      after: 'console.log(JSON.stringify(paid));',
    });
    expect(objectsIn(receipt)).toMatchObject([{ paymentId, amount: 125_050 }]);

    await follows();

    async function eventuallyPaid(id: string): Promise<string> {
      const { body } = await api.must('GET', `/v1/checkout/${id}`);
      expect(body.at('status')).toBe('success');
      return body.text('paymentId');
    }
  },
);

/** A delivery of the service, verified by the lines of the guide. */
async function verifies(server: Shop): Promise<void> {
  const merchant = await walk().galla.merchant();
  const { secret } = await merchant.endpoint(server, ['payment.succeeded']);
  const session = await merchant.checkout({ metadata: { order_id: '1001' } });
  await merchant.simulate(session.text('id'), 'success');
  const { raw, headers } = await server.webhook(({ type }) => type === 'payment.succeeded');
  const said = await walk().node(['js', 'const webhook'], {
    before: `import { Webhook } from 'standardwebhooks';
      const [signingSecret, rawBody, request] = ${JSON.stringify([secret, raw.toString(), { headers }])};
      const markAsPaid = (order) => console.log('paid', order);`,
  });
  expect(said).toContain('paid 1001');
}

/** The door goes into the shop, the script into its page: a connection that is lost is made again with another ticket. */
async function follows(): Promise<void> {
  const script = readFileSync(join(walk().folder, 'docs/guides/shop.mjs'), 'utf8');
  const [above = '', below = ''] = script.split(/(?<=const doors = \{\n)/);
  walk().lend('js', "'POST /ticket'").write('with-tickets.mjs', { before: above.trimEnd(), after: below });
  const shop = await walk().started('node with-tickets.mjs');
  const [, shopUrl = ''] = await shop.heard(/the shop is open: (\S+)/);
  const said = await walk().node(['js', 'import { io }'], {
    before: `const fetch = (path, init) => globalThis.fetch('${shopUrl}' + path, init);
      let snapshots = 0;
      const draw = (payments) => {
        console.log('snapshot of', payments.length);
        if (++snapshots === 2) process.exit(0);
        // the network is away for a moment
        socket.io.engine.close();
      };
      const put = () => undefined;`,
    replace: { 'https://pay.example': walk().galla.url },
    after:
      "socket.on('connect_error', ({ message }) => { console.log('refused', message); process.exit(1); });",
  });
  expect(said.match(/snapshot of \d/g)).toHaveLength(2);
}
