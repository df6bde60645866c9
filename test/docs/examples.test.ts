import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Body } from '../../src/testing/demo/api.ts';
import { eventually } from '../../src/testing/demo/printer.ts';
import { startGalla, type Galla } from '../support/galla.ts';
import { pages } from '../support/house.ts';
import type { Merchant } from '../support/merchant.ts';

let galla: Galla;
let shop: Merchant;
/** What the service answers, by the name an example has on its page. */
const answers = new Map<string, unknown>();

const order = {
  amount: 125_050,
  description: 'Order 1001',
  returnUrl: 'http://127.0.0.1:9/return',
  cancelUrl: 'http://127.0.0.1:9/basket',
  customer: {
    name: 'Asha Rai',
    email: 'asha@example.com',
    phone: '9800000000',
    address: { line1: 'Ward 4', city: 'Patan' },
  },
  metadata: { order_id: '1001' },
  referenceId: 'A-1001',
};

const endpoint = { url: 'http://127.0.0.1:9999/hooks', description: 'Orders' };
const liveKey = { kind: 'secret', mode: 'live', name: 'Server' };
const isPoll = (entry: Body): boolean => entry.at('kind') === 'poll';

beforeAll(async () => {
  galla = await startGalla();
  shop = await galla.merchant();
  const { api, projectId } = shop;
  const made = (await api.post('/v1/checkout', order, { idempotencyKey: 'once' })).body;
  await shop.simulate(made.text('id'), 'success');
  const session = await shop.untilStatus(made.text('id'), 'success');
  const payment = await shop.payment(session.text('paymentId'));
  const must = async (path: string, body?: object): Promise<Body> =>
    (await api.must(body === undefined ? 'GET' : 'POST', path, body)).body;
  const admin = async (path: string, body?: object): Promise<Body> =>
    (await galla.admin.must(body === undefined ? 'GET' : 'POST', path, body)).body;
  const first = (body: Body): unknown => body.list('data')[0]?.value;
  const polls = (await must(`/v1/payments/${payment.text('id')}/timeline`)).list('data').filter(isPoll);
  const giving = {
    paymentId: payment.text('id'),
    amount: 25_050,
    reason: 'customer_request',
    notes: 'Returned',
  };
  const refund = await must('/v1/refunds', giving);
  const [event] = await shop.untilEvents(1, 'payment.succeeded');
  const hooks = await must('/v1/webhooks', endpoint);
  await must('/v1/checkout', order);
  const delivery = await eventually('a delivery that was tried', 10_000, async () => {
    const [tried] = (await must(`/v1/webhooks/${hooks.text('id')}/deliveries?status=retrying`)).list('data');
    return tried ?? null;
  });
  answers
    .set('checkout session', session.value)
    .set('payment', payment.value)
    .set('refund', refund.value)
    .set('receipt', (await must(`/v1/payments/${payment.text('id')}/receipt`)).value)
    .set('public keys', (await must('/v1/public/keys')).value)
    .set('provider', first(await must('/v1/providers')))
    .set('timeline entry', polls[0]?.value)
    .set('event', event?.value)
    .set('idempotency record', first(await must('/v1/idempotency/once')))
    .set('test clock', (await must('/v1/test/clock')).value)
    .set('ticket', (await must('/v1/live/tickets', {})).value)
    .set('webhook endpoint', hooks.value)
    .set('delivery', delivery.value)
    .set('simulated payment', (await shop.ledger(payment.text('id')))?.value)
    .set('node', first(await admin('/admin/v1/nodes')))
    .set('merchant', first(await admin('/admin/v1/merchants')))
    .set('key record', (await admin(`/admin/v1/projects/${projectId}/keys`, liveKey)).value);
});
afterAll(() => galla.stop());

const examples = pages().flatMap(({ path, text }) =>
  [...text.matchAll(/<!-- example: ([a-z ]+) -->\n```json\n([^]*?)```/g)].map(
    ([, name = '', json = '']) => [name, path, json] as const,
  ),
);

/** What a provider or a door said: an example may shorten it. */
const shortened: ReadonlySet<string> = new Set(['detail', 'payload', 'response']);

/** What a reader builds upon: names, their order, and the type of each value; null may be anything. */
function shapeOf(value: unknown, like: unknown): unknown {
  if (value === null || like === null) return null;
  if (Array.isArray(value)) return 'list';
  if (typeof value !== 'object') return typeof value;
  const other = like as { readonly [key: string]: unknown };
  return Object.entries(value).map(([name, each]) => [name, shapeOf(each, other[name] ?? null)]);
}

test('every object of the reference has an example', () => {
  expect(examples.map(([name]) => name).toSorted()).toEqual([...answers.keys()].toSorted());
});

test.each(examples)(
  "the example of a %s in %s has the fields of the service's answer",
  (name, _path, json) => {
    const [example, answer] = [JSON.parse(json) as object, answers.get(name) as object];
    const whole = (value: object): object =>
      Object.fromEntries(
        Object.entries(value).map(([key, each]) => [key, shortened.has(key) ? '...' : each]),
      );
    expect(shapeOf(whole(example), whole(answer))).toEqual(shapeOf(whole(answer), whole(example)));
  },
);
