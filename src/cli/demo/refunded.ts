/** The demo's part on money that goes back: a part refund, a duplicate payment, and what anybody with the
 *  order number may see. */
import { randomUUID } from 'node:crypto';
import { Api } from './api.ts';
import { eventually, expect } from './printer.ts';
import type { World } from './world.ts';

/** The order that the first part of the demo has paid. */
const orderId = '1001';
const part = 25_050;
const twicePaid = 60_000;

export async function showRefunded(world: World): Promise<void> {
  const { printer } = world;
  printer.chapter('Money back');
  const paymentId = await printer.step('The shop gives back a part of order 1001, and repeats itself', () =>
    refundPart(world),
  );
  await printer.step('The webhook says how much; more than the rest is refused', () =>
    refuseMore(world, paymentId),
  );
  await printer.step('A buyer pays an order twice: the second payment is sent back', () => payTwice(world));
  await printer.step('Anybody with the order number sees where it stands', () => lookUp(world));
}

async function refundPart({ api }: World) {
  const { body: found } = await api.must('GET', `/v1/payments?orderId=${orderId}`);
  const paymentId = found.text('data.0.id');
  const body = { paymentId, amount: part, reason: 'customer_request', notes: 'Returned one item' };
  const idempotencyKey = randomUUID();
  const first = await api.must('POST', '/v1/refunds', body, { idempotencyKey });
  const again = await api.must('POST', '/v1/refunds', body, { idempotencyKey });
  expect(first.text === again.text, 'the repeated refund was answered with other bytes');
  const refunds = await api.must('GET', `/v1/refunds?paymentId=${paymentId}`);
  expect(refunds.body.at('total') === 1, `there are ${String(refunds.body.at('total'))} refunds, not one`);
  expect(first.body.at('status') === 'succeeded', `the refund is ${first.body.text('status')}`);
  return {
    value: paymentId,
    facts: [
      ['refund', `${first.body.text('id')}, ${part} paisa, ${first.body.text('status')}`],
      ['at wallet_b', first.body.text('providerRefundId')],
      ['again', 'the same answer, and one refund'],
    ] as const,
  };
}

async function refuseMore({ api, shop }: World, paymentId: string) {
  const heard = await shop.webhook(
    ({ type, objectId }) => type === 'payment.refunded' && objectId === paymentId,
  );
  const { body: payment } = await api.must('GET', `/v1/payments/${paymentId}`);
  const refunded = Number(payment.at('refundedAmount'));
  expect(refunded === part, `${refunded} paisa are refunded, not ${part}`);
  const left = Number(payment.at('amount')) - refunded;
  const more = await api.post('/v1/refunds', { paymentId, amount: left + 1, reason: 'customer_request' });
  expect(more.status === 422, `one paisa too much was answered ${more.status}`);
  return {
    value: null,
    facts: [
      ['event', `${heard.id}, ${heard.type}`],
      ['payment', `${refunded} of ${String(payment.at('amount'))} paisa refunded`],
      ['refused', `422 ${more.body.text('error.code')}: ${more.body.text('error.message')}`],
    ] as const,
  };
}

async function payTwice({ api, shop }: World) {
  const { body: session } = await api.must('POST', '/v1/checkout', {
    amount: twicePaid,
    returnUrl: `${shop.url}/return`,
    description: 'Order 1003',
  });
  const id = session.text('id');
  await api.must('POST', `/v1/test/checkout/${id}/simulate`, {
    outcome: 'double_payment',
    provider: 'wallet_b',
  });
  const refund = await eventually('the refund of the duplicate', 15_000, async () => {
    const { body } = await api.must('GET', `/v1/payments?sessionId=${id}&status=refunded`);
    const duplicate = body.list('data').find((one) => one.at('duplicate') === true);
    if (duplicate === undefined) return null;
    const { body: found } = await api.must('GET', `/v1/refunds?paymentId=${duplicate.text('id')}`);
    return found.list('data')[0] ?? null;
  });
  expect(refund.at('reason') === 'duplicate', `the refund's reason is ${refund.text('reason')}`);
  expect(refund.at('amount') === twicePaid, `${String(refund.at('amount'))} paisa went back`);
  const { body: paid } = await api.must('GET', `/v1/checkout/${id}`);
  expect(paid.text('paymentId') !== refund.text('paymentId'), 'the payment that counts was sent back');
  return {
    value: null,
    facts: [
      ['session', `${id}, ${paid.text('status')}`],
      ['kept', paid.text('paymentId')],
      ['sent back', `${refund.text('paymentId')}, reason duplicate, ${refund.text('status')}`],
    ] as const,
  };
}

async function lookUp({ api }: World) {
  const { status, body, text } = await new Api(api.baseUrl, null).get(
    `/v1/public/payment-status?query=${orderId}`,
  );
  expect(status === 200, `the public status answered ${status}: ${text}`);
  const code = body.text('status.code');
  expect(code === 'partially_refunded', `the status is ${code}`);
  expect(!/asha@example|Asha Rai|9800000000/.test(text), 'the public status names the buyer');
  return {
    value: null,
    facts: [
      ['without a key', `${body.text('lookup.matchedBy')} ${orderId}: ${code}`],
      ['merchant', body.text('merchant.name')],
      ['buyer', 'not in the answer'],
    ] as const,
  };
}
