import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Body } from '../../src/cli/demo/api.ts';
import { startGalla, type Galla } from '../support/galla.ts';
import { pages } from '../support/house.ts';
import type { Merchant } from '../support/merchant.ts';

let galla: Galla;
let shop: Merchant;
/** What the service answers, by the name an example has on its page. */
const answers = new Map<string, unknown>();

const order = {
  amount: 125_050, description: 'Order 1001', returnUrl: 'http://127.0.0.1:9/return', cancelUrl: 'http://127.0.0.1:9/basket',
  customer: { name: 'Asha Rai', email: 'asha@example.com', phone: '9800000000', address: { line1: 'Ward 4', city: 'Patan' } },
  metadata: { order_id: '1001' }, referenceId: 'A-1001',
};

beforeAll(async () => {
  galla = await startGalla();
  shop = await galla.merchant();
  const { api, projectId } = shop;
  const made = (await api.post('/v1/checkout', order, { idempotencyKey: 'once' })).body;
  await shop.simulate(made.text('id'), 'success');
  const session = await shop.untilStatus(made.text('id'), 'success');
  const payment = await shop.payment(session.text('paymentId'));
  const timeline = await api.must('GET', `/v1/payments/${payment.text('id')}/timeline`);
  const first = (body: Body): unknown => body.list('data')[0]?.value;
  answers.set('checkout session', session.value).set('payment', payment.value)
    .set('timeline entry', timeline.body.list('data').find((entry) => entry.at('kind') === 'poll')?.value)
    .set('event', (await shop.untilEvents(1, 'payment.succeeded'))[0]?.value)
    .set('idempotency record', first((await api.must('GET', '/v1/idempotency/once')).body))
    .set('test clock', (await api.must('GET', '/v1/test/clock')).body.value)
    .set('webhook endpoint', (await api.must('POST', '/v1/webhooks', { url: 'http://127.0.0.1:9999/hooks', description: 'Orders' })).body.value)
    .set('simulated payment', (await shop.ledger(payment.text('id')))?.value)
    .set('merchant', first((await galla.admin.must('GET', '/admin/v1/merchants')).body))
    .set('key record', (await galla.admin.must('POST', `/admin/v1/projects/${projectId}/keys`, { kind: 'secret', mode: 'live', name: 'Server' })).body.value);
});
afterAll(() => galla.stop());

const examples = pages().flatMap(({ path, text }) =>
  [...text.matchAll(/<!-- example: ([a-z ]+) -->\n```json\n([^]*?)```/g)].map(([, name = '', json = '']) => [name, path, json] as const));

/** What a reader builds upon: names, their order, and the type of each value; null may be anything. */
function shapeOf(value: unknown, like: unknown): unknown {
  if (value === null || like === null) return null;
  if (Array.isArray(value)) return 'list';
  if (typeof value !== 'object') return typeof value;
  return Object.entries(value).map(([name, each]) => [name, shapeOf(each, (like as { [key: string]: unknown })[name] ?? null)]);
}

test('every object of the reference has an example', () => {
  expect(examples.map(([name]) => name).toSorted()).toEqual([...answers.keys()].toSorted());
});

test.each(examples)('the example of a %s in %s reads as what the service answers', (name, _path, json) => {
  const [example, answer] = [JSON.parse(json) as object, answers.get(name) as object];
  // an example may shorten what a provider or a door said
  const shortened = /timeline|idempotency/.test(name) ? ['detail', 'response'] : [];
  for (const key of shortened) for (const one of [example, answer]) delete (one as { [key: string]: unknown })[key];
  expect(shapeOf(example, answer)).toEqual(shapeOf(answer, example));
});
