/** Examples on pages written by hand, compared with the service's answers. Those of the API's operations are generated,
 *  and compared in test/gateways/http/openapi. */
import { beforeAll, expect, test } from 'vitest';
import { gallaOfFile } from '../support/of-file.ts';
import { pages } from '../support/house.ts';
import type { Merchant } from '../support/merchant.ts';

const galla = gallaOfFile();
let shop: Merchant;
/** What the service answers, by the name an example has on its page. */
const answers = new Map<string, unknown>();

const order = {
  amount: 125_050,
  returnUrl: 'http://127.0.0.1:9/return',
  customer: { name: 'Asha Rai', email: 'asha@example.com', phone: '9800000000' },
  metadata: { order_id: '1001' },
  referenceId: 'A-1001',
};

beforeAll(async () => {
  shop = await galla.merchant();
  const made = (await shop.api.post('/v1/checkout', order)).body;
  await shop.simulate(made.text('id'), 'success');
  const session = await shop.untilStatus(made.text('id'), 'success');
  const payment = await shop.payment(session.text('paymentId'));
  const [event] = await shop.untilEvents(1, 'payment.succeeded');
  answers.set('event', event?.value).set('simulated payment', (await shop.ledger(payment.text('id')))?.value);
});

const examples = pages().flatMap(({ path, text }) =>
  [...text.matchAll(/<!-- example: ([a-z ]+) -->\n```json\n([^]*?)```/g)].map(
    ([, name = '', json = '']) => [name, path, json] as const,
  ),
);

/** What a reader builds upon: names, their order, and the type of each value; null may be anything. */
function shapeOf(value: unknown, like: unknown): unknown {
  if (value === null || like === null) return null;
  if (Array.isArray(value)) return 'list';
  if (typeof value !== 'object') return typeof value;
  const other = like as { readonly [key: string]: unknown };
  return Object.entries(value).map(([name, each]) => [name, shapeOf(each, other[name] ?? null)]);
}

test('every example has an answer to be compared with', () => {
  expect(examples.map(([name]) => name).toSorted()).toEqual([...answers.keys()].toSorted());
});

test.each(examples)(
  "the example of a %s in %s has the fields of the service's answer",
  (name, _path, json) => {
    const [example, answer] = [JSON.parse(json) as object, answers.get(name) as object];
    expect(shapeOf(example, answer)).toEqual(shapeOf(answer, example));
  },
);
